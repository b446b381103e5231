import { sentence } from '../shared/format.ts'

/** A section, row, column or element of a page while it is edited. `id` is that of the editor, not that of the document. */
export interface Block {
  readonly id: string
  readonly type: string
  /** All other properties, also those that this editor does not know. */
  readonly values: Values
  readonly children?: readonly Block[]
}

export type Values = Readonly<Record<string, unknown>>

/** A page while it is edited. */
export interface PageTree {
  /** The properties of the document without its sections. */
  readonly values: Values
  readonly sections: readonly Block[]
}

let lastId = 0

/** Creates a block with an id of its own. */
export function newBlock(type: string, values: Values = {}, children?: readonly Block[]): Block {
  lastId += 1
  return { id: `block-${lastId}`, type, values, ...(children && { children }) }
}

/** Creates a row with columns of elements. */
export function newRow(...columns: (readonly Block[])[]): Block {
  return newBlock(
    'row',
    {},
    columns.map((children) => newBlock('column', {}, children)),
  )
}

/** Creates a section with one row. */
export function newSection(columns: (readonly Block[])[], values: Values = {}): Block {
  return newBlock('section', values, [newRow(...columns)])
}

/** Reads a page document. Anything but a document gives an empty page. */
export function fromDocument(document: unknown): PageTree {
  const { root, ...values } = Object(document) as { root?: unknown } & Values
  return { values: { ...values, version: 1 }, sections: blocksOf(root) }
}

function blocksOf(list: unknown): Block[] {
  if (!Array.isArray(list)) return []
  return list.map((each) => {
    const { type, children, ...values } = Object(each) as { type?: unknown; children?: unknown } & Values
    return newBlock(String(type), values, Array.isArray(children) ? blocksOf(children) : undefined)
  })
}

/** Returns the document of a page. */
export function toDocument({ values, sections }: PageTree): object {
  return { ...values, root: sections.map(toNode) }
}

function toNode({ type, values, children }: Block): object {
  return { type, ...values, ...(children && { children: children.map(toNode) }) }
}

type Change = (blocks: readonly Block[], index: number) => readonly Block[]

function changeIn(blocks: readonly Block[], id: string, change: Change): readonly Block[] {
  const index = blocks.findIndex((each) => each.id === id)
  if (index >= 0) return change(blocks, index)
  return blocks.map((each) => (each.children ? { ...each, children: changeIn(each.children, id, change) } : each))
}

const changeBlock = (tree: PageTree, id: string, change: Change): PageTree => ({
  ...tree,
  sections: changeIn(tree.sections, id, change),
})

/** Replaces a block by what `change` makes of it. */
export function replaceBlock(tree: PageTree, id: string, change: (block: Block) => Block): PageTree {
  return changeBlock(tree, id, (blocks, index) => blocks.with(index, change(blocks[index] as Block)))
}

/** Moves a block among its siblings to a position, starting at 1. */
export function moveBlock(tree: PageTree, id: string, position: number): PageTree {
  return changeBlock(tree, id, (blocks, index) =>
    blocks.toSpliced(index, 1).toSpliced(position - 1, 0, blocks[index] as Block),
  )
}

/** Removes a block. */
export function removeBlock(tree: PageTree, id: string): PageTree {
  return changeBlock(tree, id, (blocks, index) => blocks.toSpliced(index, 1))
}

/** Adds a block to the end of another. */
export function appendBlock(tree: PageTree, parentId: string, block: Block): PageTree {
  return replaceBlock(tree, parentId, (parent) => ({ ...parent, children: [...(parent.children ?? []), block] }))
}

/** Sets the number of columns of a row. The elements of removed columns move to the last one. */
export function setColumns(row: Block, count: number): Block {
  const columns = row.children ?? []
  const kept = columns.slice(0, count).map(({ values: { width: _, ...values }, ...column }) => ({ ...column, values }))
  const moved = columns.slice(count).flatMap(({ children = [] }) => children)
  const last = kept.at(-1)
  if (last && moved.length > 0) kept[kept.length - 1] = { ...last, children: [...(last.children ?? []), ...moved] }
  while (kept.length < count) kept.push(newBlock('column', {}, []) as (typeof kept)[number])
  return { ...row, children: kept }
}

/** What is wrong with a block: a sentence for each of its properties. */
export type Faults = ReadonlyMap<string, Readonly<Record<string, string>>>

/** Finds the blocks that the messages of the server are about, such as `root.0.children.1.href must be …`. */
export function faultsOf(tree: PageTree, messages: readonly string[]): Faults {
  const faults = new Map<string, Record<string, string>>()
  for (const message of messages) {
    const [, path = '', reason = message] = /^root\.(\S+) (.*)$/s.exec(message) ?? []
    let blocks: readonly Block[] | undefined = tree.sections
    let found: Block | undefined
    const parts = path.split('.')
    while (blocks && /^\d+$/.test(parts[0] ?? '')) {
      found = blocks[Number(parts.shift())]
      blocks = parts[0] === 'children' ? found?.children : undefined
      if (blocks) parts.shift()
    }
    if (found) faults.set(found.id, { ...faults.get(found.id), [parts.join('.')]: sentence(reason) })
  }
  return faults
}
