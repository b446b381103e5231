import { escapeHtml } from '../../kernel/web/html.ts'
import type { InlineNode, RichTextBody, RichTextNode } from './rich-text.ts'

/** Styles for places whose readers show no style sheets. */
export interface RichTextStyle {
  /** Declarations of each paragraph, list and item, such as `margin:0`. */
  readonly block: string
  /** Declarations of links. */
  readonly link: string
}

const tags = { bold: 'strong', italic: 'em', underline: 'u' } as const

/** Returns the HTML of inline text. Merge fields are written as `{{NAME:fallback}}`. All text is escaped. */
export function inlineHtml(nodes: readonly InlineNode[], style?: RichTextStyle): string {
  return nodes.map((node) => inlineNodeHtml(node, style)).join('')
}

function inlineNodeHtml(node: InlineNode, style: RichTextStyle | undefined): string {
  if (node.type === 'hardBreak') return '<br>'
  const text = node.type === 'text' ? node.text : mergeFieldOf(node.attrs)
  return (node.marks ?? []).reduceRight((inner, mark) => {
    if (mark.type !== 'link') return `<${tags[mark.type]}>${inner}</${tags[mark.type]}>`
    return `<a href="${escapeHtml(mark.attrs.href)}"${styleOf(style?.link)}>${inner}</a>`
  }, escapeHtml(text))
}

function mergeFieldOf({ name, fallback }: { name: string; fallback?: string | null | undefined }): string {
  return fallback ? `{{${name}:${fallback}}}` : `{{${name}}}`
}

function styleOf(declarations: string | undefined): string {
  return declarations ? ` style="${escapeHtml(declarations)}"` : ''
}

/** Returns the HTML of paragraphs and lists, with styles in attributes if given. */
export function richTextHtml({ content }: RichTextBody, style?: RichTextStyle): string {
  return content.map((node) => nodeHtml(node, style)).join('')
}

function nodeHtml(node: RichTextNode, style: RichTextStyle | undefined): string {
  if (node.type === 'paragraph') {
    const { textAlign } = node.attrs ?? {}
    const declarations = [style?.block, textAlign ? `text-align:${textAlign}` : ''].filter(Boolean).join(';')
    return `<p${styleOf(declarations)}>${inlineHtml(node.content ?? [], style) || '<br>'}</p>`
  }
  const tag = node.type === 'bulletList' ? 'ul' : 'ol'
  const items = node.content.map((item) => `<li>${richTextHtml(item, style && { ...style, block: 'margin:0' })}</li>`)
  return `<${tag}${styleOf(style && `${style.block};padding:0 0 0 24px`)}>${items.join('')}</${tag}>`
}

/** Returns inline text without formats. The address of a link follows its text. */
export function inlineText(nodes: readonly InlineNode[]): string {
  return nodes
    .map((node, place) => {
      if (node.type === 'hardBreak') return '\n'
      const text = node.type === 'text' ? node.text : mergeFieldOf(node.attrs)
      const href = hrefOf(node)
      // A link whose parts have different formats consists of several nodes.
      return href === undefined || href === hrefOf(nodes[place + 1]) || href === text ? text : `${text} [${href}]`
    })
    .join('')
}

function hrefOf(node: InlineNode | undefined): string | undefined {
  if (node === undefined || node.type === 'hardBreak') return undefined
  return node.marks?.find((mark) => mark.type === 'link')?.attrs.href
}

/** Returns paragraphs and lists as plain text, with a blank line between paragraphs. */
export function richTextPlain({ content }: RichTextBody): string {
  return content
    .map((node) => {
      if (node.type === 'paragraph') return inlineText(node.content ?? [])
      return node.content
        .map((item, index) => {
          const mark = node.type === 'bulletList' ? '- ' : `${index + 1}. `
          const inner = richTextPlain(item).replace(/\n\n/g, '\n').split('\n')
          return `${mark}${inner.join(`\n${' '.repeat(mark.length)}`)}`
        })
        .join('\n')
    })
    .join('\n\n')
}
