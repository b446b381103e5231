/** A section, row, column or block of a document while it is edited. `id` is that of the editor, not that of the document. */
export interface Block {
  readonly id: string
  readonly type: string
  /** All other properties, also those that this editor does not know. */
  readonly values: Values
  readonly children?: readonly Block[]
}

export type Values = Readonly<Record<string, unknown>>

/** A document while it is edited: sections of rows of columns of blocks. */
export interface Tree {
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

/** Creates a row with columns of blocks. */
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

type Change = (blocks: readonly Block[], index: number) => readonly Block[]

/** Changes the list that contains a block. Everything else keeps its identity, so that it is not rendered again. */
function changeIn(blocks: readonly Block[], id: string, change: Change): readonly Block[] {
  const index = blocks.findIndex((each) => each.id === id)
  if (index >= 0) return change(blocks, index)
  let isChanged = false
  const next = blocks.map((each) => {
    const children = each.children && changeIn(each.children, id, change)
    if (children === each.children || !children) return each
    isChanged = true
    return { ...each, children }
  })
  return isChanged ? next : blocks
}

const changeBlock = (tree: Tree, id: string, change: Change): Tree => ({
  ...tree,
  sections: changeIn(tree.sections, id, change),
})

/** Replaces a block by what `change` makes of it. */
export function replaceBlock(tree: Tree, id: string, change: (block: Block) => Block): Tree {
  return changeBlock(tree, id, (blocks, index) => blocks.with(index, change(blocks[index] as Block)))
}

/** Sets the properties of a block. */
export const withValues = (id: string, values: Values) => (tree: Tree) =>
  replaceBlock(tree, id, (block) => ({ ...block, values }))

/** Sets the condition under which a block is shown. */
export function withCondition({ values: { showTo: _, ...values }, ...block }: Block, showTo: unknown): Block {
  return { ...block, values: showTo === undefined ? values : { ...values, showTo } }
}

/** Moves a block among its siblings to a position, starting at 1. */
export function moveBlock(tree: Tree, id: string, position: number): Tree {
  return changeBlock(tree, id, (blocks, index) =>
    blocks.toSpliced(index, 1).toSpliced(position - 1, 0, blocks[index] as Block),
  )
}

/** Removes a block. */
export function removeBlock(tree: Tree, id: string): Tree {
  return changeBlock(tree, id, (blocks, index) => blocks.toSpliced(index, 1))
}

/** Puts blocks after another one. */
export function insertAfter(tree: Tree, id: string, ...added: readonly Block[]): Tree {
  return changeBlock(tree, id, (blocks, index) => blocks.toSpliced(index + 1, 0, ...added))
}

/** Adds blocks to the end of another. */
export function appendBlock(tree: Tree, parentId: string, ...added: readonly Block[]): Tree {
  return replaceBlock(tree, parentId, (parent) => ({ ...parent, children: [...(parent.children ?? []), ...added] }))
}

/** Adds a section to the end. */
export const appendSection = (section: Block) => (tree: Tree) => ({ ...tree, sections: [...tree.sections, section] })

/** Moves a block to the place of another of the same kind, or to the end of an empty column. */
export function moveTo(tree: Tree, id: string, overId: string): Tree {
  const place = placeOf(tree, id)
  const target = placeOf(tree, overId)
  if (!place || !target || id === overId) return tree
  if (target.block.type === 'column') return appendBlock(removeBlock(tree, id), overId, place.block)
  if (place.siblings === target.siblings) return moveBlock(tree, id, target.index + 1)
  return changeBlock(removeBlock(tree, id), overId, (blocks, index) => blocks.toSpliced(index, 0, place.block))
}

/** Where a block is: the blocks around it, from the section, and its position among its siblings. */
export interface Place {
  readonly block: Block
  readonly ancestors: readonly Block[]
  readonly siblings: readonly Block[]
  readonly index: number
}

/** Finds a block. */
export function placeOf({ sections }: Tree, id: string): Place | undefined {
  const find = (siblings: readonly Block[], ancestors: readonly Block[]): Place | undefined => {
    for (const [index, block] of siblings.entries()) {
      if (block.id === id) return { block, ancestors, siblings, index }
      const found = block.children && find(block.children, [...ancestors, block])
      if (found) return found
    }
    return undefined
  }
  return find(sections, [])
}

/** Returns a copy of a block with ids of its own. */
export function copyOf({ type, values: { id: _, ...values }, children }: Block): Block {
  return newBlock(type, values, children?.map(copyOf))
}

/** Sets the number of columns of a row. The blocks of removed columns move to the last one. */
export function setColumns(row: Block, count: number): Block {
  const columns = row.children ?? []
  const kept = columns.slice(0, count).map(({ values: { width: _, ...values }, ...column }) => ({ ...column, values }))
  const moved = columns.slice(count).flatMap(({ children = [] }) => children)
  const last = kept.at(-1)
  if (last && moved.length > 0) kept[kept.length - 1] = { ...last, children: [...(last.children ?? []), ...moved] }
  while (kept.length < count) kept.push(newBlock('column', {}, []) as (typeof kept)[number])
  return { ...row, children: kept }
}

/** The widths of the columns of a row, in twelfths. Columns without a width share what is left. */
export function widthsOf({ children: columns = [] }: Block): readonly number[] {
  const own = columns.map(({ values: { width } }) => (typeof width === 'number' ? width : undefined))
  const given = own.reduce<number>((sum, width = 0) => sum + width, 0)
  const rest = (12 - given) / (own.filter((width) => width === undefined).length || 1)
  return own.map((width = rest) => width)
}

/** Sets the widths of the columns of a row, in twelfths. Equal ones are those of columns without a width. */
export function setWidths(row: Block, widths: readonly number[]): Block {
  const isEqual = new Set(widths).size === 1
  const columns = (row.children ?? []).map(({ values: { width: _, ...values }, ...column }, index) => ({
    ...column,
    values: isEqual ? values : { ...values, width: widths[index] },
  }))
  return { ...row, children: columns }
}

/** The columns of a section, and the blocks in them. */
export const columnsOf = ({ children = [] }: Block) => children.flatMap((row) => row.children ?? [])
export const blocksOf = (section: Block) => columnsOf(section).flatMap(({ children = [] }) => children)

/** Reads the property at a path. */
export function valueAt(values: Values, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => Object(value)[name], values)
}

/** Sets the property at a path. An undefined value removes it. */
export function withValue(values: Values, path: string, value: unknown): Values {
  const [name = '', ...others] = path.split('.')
  const next = others.length > 0 ? withValue(Object(values[name]) as Values, others.join('.'), value) : value
  const { [name]: _, ...rest } = values
  return next === undefined ? rest : { ...rest, [name]: next }
}
