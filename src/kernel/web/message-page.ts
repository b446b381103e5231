import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type Html, html, trusted } from './html.ts'

const style = readFileSync(new URL('./message-page.css', import.meta.url), 'utf8').replace(/\s*\n\s*/g, ' ')

/** Content-Security-Policy of message pages: the style, and forms that post to this origin. */
export const messagePageCsp = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Renders a page with a title and one sentence. `more` is appended after the sentence. */
export function messagePage({ title, sentence, more }: { title: string; sentence: string; more?: Html }): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${trusted(style)}</style>
</head>
<body>
<main>
<h1>${title}</h1>
<p>${sentence}</p>
${more}
</main>
</body>
</html>
`.text
}
