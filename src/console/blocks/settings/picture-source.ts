import type { LibraryPictureFragment } from '../../generated/blocks.documents.ts'

/** The most pixels that a message shows of the width of a picture. */
const enoughWidth = 1_200

/** Returns the address of a picture for a block: that of the smallest variant that is wide enough, or else its own. */
export function sourceOf({ url, variants }: Pick<LibraryPictureFragment, 'url' | 'variants'>): string {
  // Variants are in the order of their width. The original may have many more bytes than a message needs.
  return variants.find(({ width }) => width >= enoughWidth)?.url ?? url
}
