import type { MessageDocument } from '../../../content/rendering.ts'

// Builds documents of shipped templates. Text is written with **bold**, [links](https://example.com/) and merge fields.

type Section = MessageDocument['sections'][number]
export type Block = Section['columns'][number]['blocks'][number]
type Column = Section['columns'][number]
type Inline = Extract<Block, { type: 'heading' }>['content'][number]

/** A template of the product. */
export interface ShippedTemplate {
  readonly name: string
  readonly description: string
  /** A subject and a preheader that suit it. */
  readonly subject: string
  readonly preheader: string
  readonly content: MessageDocument
}

/** Where links lead until people set their own. */
export const site = 'https://example.com/'

const pattern = /\{\{([A-Z_]+):([^{}]*)\}\}|\*\*(.+?)\*\*|\[(.+?)\]\((.+?)\)/g

function inline(source: string): Inline[] {
  const nodes: Inline[] = []
  let end = 0
  const addText = (text: string) => text !== '' && nodes.push({ type: 'text', text })
  for (const match of source.matchAll(pattern)) {
    const [all, name, fallback, bold, label, href] = match
    addText(source.slice(end, match.index))
    end = match.index + all.length
    if (name) nodes.push({ type: 'mergeField', attrs: { name, fallback } })
    else if (bold) nodes.push({ type: 'text', text: bold, marks: [{ type: 'bold' }] })
    else if (label && href) nodes.push({ type: 'text', text: label, marks: [{ type: 'link', attrs: { href } }] })
  }
  addText(source.slice(end))
  return nodes
}

type TextBlock = Extract<Block, { type: 'text' }>
type Align = 'left' | 'center' | 'right'

export const heading = (level: 1 | 2 | 3, source: string, align: Align = 'left'): Block => ({
  ...{ type: 'heading', level, content: inline(source), align },
})

const paragraph = (source: string) => ({ type: 'paragraph' as const, content: inline(source) })

/** Paragraphs. */
export const text = (...paragraphs: readonly string[]): TextBlock => ({
  ...{ type: 'text', content: { type: 'doc', content: paragraphs.map(paragraph) } },
})

export const aligned = (align: Align, ...paragraphs: readonly string[]): TextBlock => ({
  ...text(...paragraphs),
  align,
})

/** A list with dots, or with numbers. */
export const list = (items: readonly string[], type: 'bulletList' | 'orderedList' = 'bulletList'): TextBlock => {
  const content = items.map((item) => ({ type: 'listItem' as const, content: [paragraph(item)] }))
  return { type: 'text', content: { type: 'doc', content: [{ type, content }] } }
}

export const button = (label: string, path: string, align: Align = 'left'): Block => ({
  ...{ type: 'button', text: label, href: `${site}${path}`, align },
})

export const product = (name: string, price: string, description: string, path: string): Block => ({
  ...{ type: 'product', name, price, description, href: `${site}${path}`, button: 'View' },
})

export const divider: Block = { type: 'divider' }
export const logo: Block = { type: 'logo', align: 'left' }
export const space = (height: number): Block => ({ type: 'spacer', height })

/** A section of one column. */
export const section = (...blocks: readonly Block[]): Section => ({
  type: 'section',
  columns: [{ blocks: [...blocks] }],
})

/** A section of one column with a colour. */
export const band = (backgroundColor: string, ...blocks: readonly Block[]): Section => ({
  ...{ ...section(...blocks), backgroundColor, padding: 28 },
})

/** A section of several columns, each with its blocks. */
export const columns = (...all: readonly (readonly Block[])[]): Section => ({
  ...{ type: 'section', columns: all.map((blocks): Column => ({ blocks: [...blocks] })) },
})

/** Links to networks and the footer. */
export const ending = (why: string): Section => section(divider, { type: 'social' }, { type: 'footer', text: why })

export const document = (...sections: readonly Section[]): MessageDocument => ({ version: 1, sections: [...sections] })

/** A row of two cells, which phones show beside each other. */
export const row = (left: Block, right: Block): Section => ({
  ...{ type: 'section', padding: 0, stacked: false },
  columns: [
    { width: 8, blocks: [left] },
    { width: 4, blocks: [right] },
  ],
})
