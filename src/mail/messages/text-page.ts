import { escapeHtml } from '../../kernel/web/html.ts'

/** Returns the page of a message without HTML: its text as it is, in which URLs are links. */
export function textPage(subject: string, text: string): string {
  // Every second piece is a URL, because the pattern is a group.
  const html = text
    .split(/(https?:\/\/[^\s<>"\]{}]*[^\s<>"\]{}.,;:!?'*_)])/)
    .map((piece, place) => {
      const shown = escapeHtml(piece)
      return place % 2 === 1 ? `<a href="${shown}" target="_blank">${shown}</a>` : shown
    })
    .join('')
  const style =
    'white-space:pre-wrap;overflow-wrap:anywhere;font:16px/1.5 sans-serif;max-width:40em;margin:2em auto;padding:0 1em'
  return (
    '<!doctype html><html><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">' +
    `<meta name="color-scheme" content="light dark"><title>${escapeHtml(subject)}</title></head>` +
    `<body><pre style="${style}">${html}</pre></body></html>`
  )
}
