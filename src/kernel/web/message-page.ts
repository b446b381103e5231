import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { directionOf } from '../texts/texts.ts'
import { type Html, html, trusted } from './html.ts'

const style = readFileSync(new URL('./message-page.css', import.meta.url), 'utf8').replace(/\s*\n\s*/g, ' ')

/** What a message page shows: `more` after the sentence, in a style of its own if it has one. `script` runs last. */
export interface MessagePage {
  readonly title: string
  readonly sentence: string
  /** BCP 47 language tag of the texts. Default: `en`. */
  readonly language?: string
  readonly more?: Html
  /** CSS after that of all message pages, whose values must be validated. */
  readonly style?: string | undefined
  /** A script of the server, without a value in it. */
  readonly script?: string | undefined
}

/** What the Content-Security-Policy of a message page allows. */
interface MessagePolicy extends Pick<MessagePage, 'style' | 'script'> {
  /** Origins to which the response to a form of the page can redirect. */
  readonly origins?: readonly string[]
  /** Whether pages of this origin can frame the page. */
  readonly isFramed?: boolean
}

/** Returns the Content-Security-Policy of a message page: its style, and forms that post to this origin. */
export function messagePageCsp({ style: own = '', script, origins = [], isFramed }: MessagePolicy = {}): string {
  return [
    "default-src 'none'",
    `style-src ${sourceOf(`${style}${own}`)}`,
    ...(script === undefined ? [] : [`script-src ${sourceOf(script)}`]),
    `form-action ${["'self'", ...origins].join(' ')}`,
    "base-uri 'none'",
    `frame-ancestors ${isFramed ? "'self'" : "'none'"}`,
  ].join('; ')
}

function sourceOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}

/** Renders a page with a title and one sentence. */
export function messagePage({ title, sentence, language = 'en', more, style: own = '', script }: MessagePage): string {
  return html`<!doctype html>
<html lang="${language}" dir="${directionOf(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${trusted(`${style}${own}`)}</style>
</head>
<body>
<main>
<h1>${title}</h1>
<p>${sentence}</p>
${more}
</main>
${script === undefined ? '' : html`<script>${trusted(script)}</script>`}
</body>
</html>
`.text
}
