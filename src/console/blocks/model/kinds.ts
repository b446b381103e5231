import { t } from '@lingui/core/macro'
import { sentence } from '../../shared/format.ts'
import { type Block, newBlock, type Tree, type Values } from './tree.ts'

/** How a property of a block is edited. `name` is its path: `product.amount`. */
export interface BlockField {
  readonly name: string
  readonly label: string
  readonly kind:
    | 'line'
    | 'area'
    | 'number'
    | 'choice'
    | 'switch'
    | 'color'
    | 'lines'
    | 'links'
    | 'networks'
    | 'currency'
    | 'picture'
  readonly description?: string
  /** Choices with their values in the document. The first is the default, which is not stored if it is undefined. */
  readonly choices?: readonly (readonly [value: string | number | boolean | null | undefined, label: string])[]
  /** Whether an empty text is stored. Others are left out of the document. */
  readonly isRequired?: boolean
  readonly isShown?: (values: Values) => boolean
}

/** A kind of blocks: its name, the properties that are edited, and those of a new one. */
export interface BlockKind {
  readonly label: string
  /** Other words by which the insert menu finds it. */
  readonly words?: string
  readonly initial: Values
  readonly fields: readonly BlockField[]
  readonly nameOf?: (values: Values) => unknown
  /** Text with formats that is written on the canvas. */
  readonly rich?: RichKind
}

/** Formatted text of a block as a document of the text editor. */
interface RichKind {
  /** Whether it is one paragraph without lists. */
  readonly isLine: boolean
  /** Returns undefined if the text of the block has another form, which a field shows. */
  readonly read: (values: Values) => RichDocument | undefined
  readonly write: (values: Values, document: RichDocument) => Values
}

/** A node of formatted text, in the form of ProseMirror and TipTap. */
export interface RichNode {
  readonly type: string
  readonly text?: string
  readonly attrs?: Readonly<Record<string, unknown>>
  readonly marks?: readonly { readonly type: string; readonly attrs?: Readonly<Record<string, unknown>> }[]
  readonly content?: readonly RichNode[]
}

/** Paragraphs and lists. */
export interface RichDocument extends RichNode {
  readonly type: 'doc'
}

/** A document of paragraphs that each contain nodes. */
export const richDocument = (...paragraphs: (readonly RichNode[])[]): RichDocument => ({
  type: 'doc',
  content: paragraphs.map((content) => ({ type: 'paragraph', ...(content.length > 0 && { content }) })),
})

/** The nodes of a plain text, in which merge fields and line breaks become nodes of their own. */
export function richNodes(text: string): RichNode[] {
  return text.split(/(\{\{[^{}]+\}\}|\n)/).flatMap((part): RichNode[] => {
    if (part === '') return []
    if (part === '\n') return [{ type: 'hardBreak' }]
    const [, name, fallback = null] = /^\{\{([^{}:]+)(?::([^{}]*))?\}\}$/.exec(part) ?? []
    return [name === undefined ? { type: 'text', text: part } : { type: 'mergeField', attrs: { name, fallback } }]
  })
}

/** The documents of lines by their nodes, so that a line that was not changed is the same document. */
const lines = new WeakMap<object, RichDocument>()

/** Formatted text in the property `content`: the nodes of a line. */
export const richLine: RichKind = {
  isLine: true,
  read: ({ content }) => {
    const nodes = Array.isArray(content) ? content : []
    const document = lines.get(nodes) ?? richDocument(nodes)
    lines.set(nodes, document)
    return document
  },
  write: (values, document) => {
    const content = (document.content ?? []).flatMap(({ content: nodes = [] }, index) => [
      ...(index > 0 ? [{ type: 'hardBreak' }] : []),
      ...nodes,
    ])
    lines.set(content, document)
    return { ...values, content }
  },
}

/** Returns a function that makes a value once. A table with texts is made on its first use, because a language is active then. */
export function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}

export const alignField = once(
  (): BlockField => ({
    name: 'align',
    label: t`Alignment`,
    kind: 'choice',
    choices: [
      [undefined, t`Automatic`],
      ['left', t({ message: 'Left', context: 'alignment' })],
      ['center', t`Centre`],
      ['right', t({ message: 'Right', context: 'alignment' })],
    ],
  }),
)
const fieldOf =
  (kind: BlockField['kind']) =>
  (name: string, label: string, description?: string): BlockField => ({
    ...{ name, label, kind },
    ...(description && { description }),
  })
export const colorField = fieldOf('color')
export const lineField = fieldOf('line')
export const numberField = fieldOf('number')
export const pictureField = fieldOf('picture')

/** Where a message of the server is in a document: positions from the section on, and the property of what is there. */
interface DocumentPlace {
  readonly at: readonly number[]
  readonly property: string
}

/** A kind of documents: what they consist of, and how they are stored. */
export interface DocumentModel {
  readonly contentLabel: string
  /** What `rootFields` are. */
  readonly styleLabel?: string
  readonly kinds: Readonly<Record<string, BlockKind>>
  readonly sectionFields: readonly BlockField[]
  readonly rootFields: readonly BlockField[]
  /** Whether sections consist of rows, each with columns, and not of columns. */
  readonly hasRows: boolean
  /** Whether it is one column without sections. */
  readonly isFlat?: boolean
  /** Whether blocks and sections can be shown to some contacts only. */
  readonly hasConditions: boolean
  /** Reads a document. Anything but a document gives an empty tree. */
  readonly read: (document: unknown) => Tree
  readonly write: (tree: Tree) => object
  /** Reads a path such as `sections.0.columns.1.blocks.2.href`. */
  readonly placeOf: (path: string) => DocumentPlace | undefined
}

/** Reads the members of a list, each as a block whose children `childrenOf` finds. */
export function readBlocks(
  list: unknown,
  type: string | undefined,
  childrenOf: (values: Values) => [Values, readonly Block[] | undefined],
): Block[] {
  if (!Array.isArray(list)) return []
  return list.map((each) => {
    const { type: own, ...values } = Object(each) as Values
    const [rest, children] = childrenOf(values)
    return newBlock(type ?? String(own), rest, children)
  })
}

/** Finds the block at positions, from the section on. */
export function blockAt({ sections }: Tree, at: readonly number[]): Block | undefined {
  const [first = -1, ...others] = at
  return others.reduce<Block | undefined>((block, index) => block?.children?.[index], sections[first])
}

/** What is wrong with a block: a sentence for each of its properties. */
export type Faults = ReadonlyMap<string, Readonly<Record<string, string>>>

/** Finds the blocks that the messages of the server are about, such as `sections.0.columns.1.blocks.2.href must be …`. */
export function faultsOf(tree: Tree, { placeOf }: DocumentModel, messages: readonly string[]): Faults {
  const faults = new Map<string, Record<string, string>>()
  for (const message of messages) {
    const [, path = '', reason = message] = /^(\S*\d\S*) (.*)$/s.exec(message) ?? []
    // Reasons begin with a capital letter.
    const place = placeOf(`${path.charAt(0).toLowerCase()}${path.slice(1)}`)
    const found = place && blockAt(tree, place.at)
    if (found) faults.set(found.id, { ...faults.get(found.id), [place.property]: sentence(reason.replace(/\.$/, '')) })
  }
  return faults
}

/** Returns the label of a block's kind, and its text in lists. */
export function blockName({ kinds }: DocumentModel, { type, values }: Block): { label: string; text: string } {
  const kind = kinds[type]
  return { label: kind?.label ?? type, text: String(kind?.nameOf?.(values) ?? '').trim() }
}

/** Returns the text of formatted text, for names. */
export function plainText(node: unknown): string {
  if (Array.isArray(node)) return node.map(plainText).join('')
  const { type, text, attrs, content } = Object(node)
  if (type === 'text') return String(text)
  if (type === 'mergeField') return `{{${attrs?.name}}}`
  return type === 'hardBreak' ? ' ' : `${plainText(content ?? [])}${type === 'paragraph' ? ' ' : ''}`
}

/** Returns the name of the file at an address. */
export const fileName = (src: unknown): string =>
  String(src ?? '')
    .split('/')
    .at(-1) ?? ''

/** Whether a picture is one of the media library. The policy of the console shows no others. */
export const isOfLibrary = (src: string): boolean => /^https?:\/\/[^/]+\/m\/[^/]+\/[0-9a-f]{64}\//.test(src)
