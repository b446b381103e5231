import {
  appendBlock,
  appendSection,
  type Block,
  columnsOf,
  insertAfter,
  moveBlock,
  newSection,
  placeOf,
  type Tree,
} from './tree.ts'

/** Puts blocks after the chosen block, at the end of the chosen section, or at the end of the document. */
export function insertion(tree: Tree, selectedId: string | undefined, blocks: readonly Block[]) {
  const place = selectedId === undefined ? undefined : placeOf(tree, selectedId)
  const section = place?.ancestors[0] ?? place?.block ?? tree.sections.at(-1)
  return (before: Tree): Tree =>
    blocks.reduce((now, block, index) => {
      if (block.type === 'section') return section ? insertAfter(now, section.id, block) : appendSection(block)(now)
      const previous = index === 0 ? place?.block : blocks[index - 1]
      if (previous && previous.type !== 'section') return insertAfter(now, previous.id, block)
      const column = section && columnsOf(section).at(-1)
      const [last, beforeLast] = column?.children?.toReversed() ?? []
      // A footer stays the last.
      if (column && last?.type === 'footer') {
        return beforeLast
          ? insertAfter(now, beforeLast.id, block)
          : moveBlock(appendBlock(now, column.id, block), block.id, 1)
      }
      return column ? appendBlock(now, column.id, block) : appendSection(newSection([[block]]))(now)
    }, before)
}
