import { type Block, copyOf } from './tree.ts'

// Blocks are copied from one message to another. The clipboard of the system is not used, because browsers ask before a page
// may read it, and not every address allows it.
const name = 'copied-blocks'

/** Keeps a block for other documents in this browser. */
export function copyBlock(block: Block): void {
  localStorage.setItem(name, JSON.stringify(block))
}

/** Returns the block that was copied, with ids of its own. */
export function copiedBlock(): Block | undefined {
  const text = localStorage.getItem(name)
  return text === null ? undefined : copyOf(JSON.parse(text) as Block)
}
