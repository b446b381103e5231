import type { MessageDocument } from './message-content.ts'
import { blocksOf, type ReusableBlocks, type ShownDocument } from './references.ts'

/** A condition of a document: a filter of contacts as it was written, and the paths of the sections and blocks that have it. */
export interface Condition {
  readonly filter: object
  readonly paths: readonly string[]
}

/**
 * Returns the conditions of a document, each once, with those of reusable blocks, whose path is that of the reference. Their
 * order is that in which they first occur.
 */
export function conditionsOf({ sections }: MessageDocument, reusable: ReusableBlocks): Condition[] {
  const found = new Map<string, { filter: object; paths: Set<string> }>()
  const add = (filter: object | undefined, path: string) => {
    if (!filter) return
    const key = keyOf(filter)
    const condition = found.get(key) ?? { filter, paths: new Set() }
    condition.paths.add(path)
    found.set(key, condition)
  }
  for (const [place, { showTo, columns }] of sections.entries()) {
    const section = `sections.${place}`
    add(showTo, section)
    for (const [column, { blocks }] of columns.entries()) {
      for (const [index, block] of blocks.entries()) {
        const path = `${section}.columns.${column}.blocks.${index}`
        for (const shown of blocksOf(block, reusable) ?? []) add(shown.showTo, path)
      }
    }
  }
  return [...found.values()].map(({ filter, paths }) => ({ filter, paths: [...paths] }))
}

/** Returns the number of the condition that a section or block has, in the order of `conditionsOf`. Undefined if it has none. */
export function conditionNumbers({
  sections,
}: ShownDocument): (owner: { readonly showTo?: object | undefined }) => number | undefined {
  const owners = sections.flatMap((section) => [section, ...section.columns.flatMap(({ blocks }) => blocks)])
  const found = new Set(owners.flatMap(({ showTo }) => (showTo ? keyOf(showTo) : [])))
  const numbers = new Map([...found].map((key, number) => [key, number]))
  return ({ showTo }) => (showTo ? numbers.get(keyOf(showTo)) : undefined)
}

/** Keys of filters, of which one may belong to many blocks. */
const keys = new WeakMap<object, string>()

function keyOf(filter: object): string {
  const key = keys.get(filter) ?? JSON.stringify(filter)
  keys.set(filter, key)
  return key
}
