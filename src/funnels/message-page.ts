import { createHash } from 'node:crypto'
import { type Html, html, trusted } from '../kernel/html.ts'

const style = `
:root { color-scheme: light }
body { font: 1.125rem/1.6 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; margin: 0; background: #f4f5f7; color: #1f2430 }
main { max-width: 34rem; margin: 12vh auto; padding: clamp(1.5rem, 5vw, 3rem); box-sizing: border-box; background: #fff; border-radius: 16px; box-shadow: 0 1px 3px #1f243014, 0 12px 40px #1f24300f }
h1 { font-size: clamp(1.5rem, 4vw, 2rem); line-height: 1.25; margin: 0 0 1rem; letter-spacing: -.01em }
p { margin: 0 0 1rem; overflow-wrap: anywhere }
p:last-child, form { margin: 0 }
button { font: inherit; font-weight: 600; padding: .75rem 1.75rem; border: 0; border-radius: 10px; background: #1f2430; color: #fff; cursor: pointer }
button:focus-visible { outline: 3px solid #4c7dff; outline-offset: 3px }
@media (max-width: 40rem) { main { margin: 1rem; } }
`

/** What a browser may do on such a page: show its style, and send its form back to us. */
export const messagePageCsp = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** A page of our own that says one thing. */
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
