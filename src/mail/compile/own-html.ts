import sanitizeHtml from 'sanitize-html'

/** Tags that are removed with their content. The text in other tags that are not allowed is kept. */
const removedWithContent = [
  ...['script', 'style', 'title', 'textarea', 'select', 'option', 'noscript', 'template', 'iframe', 'object', 'svg'],
  ...['math', 'xmp', 'noembed', 'noframes', 'plaintext', 'audio', 'video', 'canvas'],
]

const cell = ['align', 'valign', 'width', 'height', 'bgcolor', 'colspan', 'rowspan', 'scope']

/**
 * Returns the HTML that people wrote for a block, with what mail programs show. All tags are closed, so that the layout of the
 * message around it stays whole.
 */
export function ownHtml(html: string): string {
  return sanitizeHtml(html, {
    allowedTags: [
      ...['p', 'br', 'hr', 'div', 'span', 'center', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'blockquote', 'pre', 'font'],
      ...[
        'a',
        'strong',
        'b',
        'em',
        'i',
        'u',
        's',
        'del',
        'ins',
        'small',
        'big',
        'sub',
        'sup',
        'code',
        'ul',
        'ol',
        'li',
      ],
      ...['img', 'table', 'caption', 'thead', 'tbody', 'tfoot', 'tr', 'th', 'td'],
    ],
    allowedAttributes: {
      '*': ['style', 'title', 'lang', 'dir', 'align', 'role'],
      a: ['href', 'target', 'rel'],
      img: ['src', 'alt', 'width', 'height', 'border'],
      table: ['width', 'border', 'cellpadding', 'cellspacing', 'bgcolor', 'role'],
      tr: cell,
      td: cell,
      th: cell,
      font: ['color', 'face', 'size'],
      ol: ['start', 'type'],
    },
    allowedSchemes: ['http', 'https', 'mailto', 'tel'],
    allowProtocolRelative: false,
    nonTextTags: removedWithContent,
    parseStyleAttributes: false,
    transformTags: {
      img: (tagName, attribs) => ({ tagName, attribs: { ...attribs, alt: attribs['alt'] ?? '' } }),
    },
  })
}
