import {
  type MessageBlock,
  type MessageDocument,
  type MessageSection,
  maxBlocks,
  maxContentBytes,
} from './message-content.ts'

// Documents refer to reusable blocks, which are put in their place when a message is compiled.

type Column = MessageSection['columns'][number]
interface ShownColumn extends Omit<Column, 'blocks'> {
  readonly blocks: readonly MessageBlock[]
}
export interface ShownSection extends Omit<MessageSection, 'columns'> {
  readonly columns: readonly ShownColumn[]
}

/** A document as it is shown: with the blocks of reusable blocks in the place of references. */
export interface ShownDocument extends Omit<MessageDocument, 'sections'> {
  readonly sections: readonly ShownSection[]
}

/** The blocks of reusable blocks, by the ID that documents contain. */
export type ReusableBlocks = Readonly<Record<string, readonly MessageBlock[]>>

/** Returns the IDs of reusable blocks in a document that was not validated yet. */
export function referencesIn(document: unknown): string[] {
  const ids = childrenOf(document, 'sections')
    .flatMap((section) => childrenOf(section, 'columns'))
    .flatMap((column) => childrenOf(column, 'blocks'))
    .flatMap((block) => {
      const { type, reusableBlockId } = (block ?? {}) as { type?: unknown; reusableBlockId?: unknown }
      return type === 'reusable' && typeof reusableBlockId === 'string' ? [reusableBlockId] : []
    })
  return [...new Set(ids)]
}

function childrenOf(value: unknown, key: string): unknown[] {
  const children = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined
  return Array.isArray(children) ? children : []
}

/**
 * Returns the blocks of a reference, or the block itself. Undefined if there is no such reusable block. They are shown to the
 * contacts that match the condition of the reference and their own.
 */
export function blocksOf(
  block: Column['blocks'][number],
  reusable: ReusableBlocks,
): readonly MessageBlock[] | undefined {
  if (block.type !== 'reusable') return [block]
  if (!Object.hasOwn(reusable, block.reusableBlockId)) return undefined
  const { showTo } = block
  const blocks = reusable[block.reusableBlockId]
  if (!showTo) return blocks
  return blocks?.map((each) => ({ ...each, showTo: each.showTo ? { and: [showTo, each.showTo] } : showTo }))
}

/** Sizes of documents and reusable blocks in bytes of JSON. */
const sizes = new WeakMap<object, number>()

function sizeOf(content: object): number {
  const size = sizes.get(content) ?? Buffer.byteLength(JSON.stringify(content))
  sizes.set(content, size)
  return size
}

/** Returns which limit a valid document exceeds with its reusable blocks. Nothing is put in the place of references for this. */
export function excessOf(document: MessageDocument, reusable: ReusableBlocks): string | undefined {
  let [count, bytes] = [0, sizeOf(document)]
  for (const block of document.sections.flatMap(({ columns }) => columns.flatMap(({ blocks }) => blocks))) {
    const isFound = block.type === 'reusable' && Object.hasOwn(reusable, block.reusableBlockId)
    const shown = isFound ? reusable[block.reusableBlockId] : undefined
    count += shown?.length ?? 1
    bytes += shown ? sizeOf(shown) : 0
  }
  if (count > maxBlocks) return `must have at most ${maxBlocks} blocks with those of reusable blocks`
  if (bytes > maxContentBytes) return `must have at most ${maxContentBytes} bytes with its reusable blocks`
  return undefined
}

/** Returns the reusable blocks that a stored document shows: none if they grew beyond the limits since it was compiled. */
export function shownWithin(document: MessageDocument, reusable: ReusableBlocks): ReusableBlocks {
  return excessOf(document, reusable) === undefined ? reusable : {}
}

/** Puts reusable blocks in the place of references. A reference to none becomes nothing. */
export function withReusable(document: MessageDocument, reusable: ReusableBlocks): ShownDocument {
  const sections = document.sections.map((section) => ({
    ...section,
    columns: section.columns.map((column) => ({
      ...column,
      blocks: column.blocks.flatMap((block) => blocksOf(block, reusable) ?? []),
    })),
  }))
  return { ...document, sections }
}
