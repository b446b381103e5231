import {
  type BrandStyle,
  blocksOf,
  contrastOf,
  type MessageBlock,
  type MessageDocument,
  minContrast,
  type ReusableBlocks,
  textColorOn,
} from '../../content/rendering.ts'
import { type MessageStyle, styleOf } from './style.ts'

/** Returns the paths of the blocks of a document, or of the references to reusable blocks, that `hasFault` is true for. */
function pathsOf(
  { sections }: MessageDocument,
  reusable: ReusableBlocks,
  hasFault: (block: MessageBlock, section: MessageDocument['sections'][number]) => boolean,
): string[] {
  return sections.flatMap((section, at) =>
    section.columns.flatMap(({ blocks }, column) =>
      blocks.flatMap((block, place) =>
        blocksOf(block, reusable)?.some((each) => hasFault(each, section))
          ? [`sections.${at}.columns.${column}.blocks.${place}`]
          : [],
      ),
    ),
  )
}

/** Returns the paths of the blocks of a document whose text is hard to read on its background (WCAG 2.2, 1.4.3). */
export function contrastFaultsOf(document: MessageDocument, brand: BrandStyle, reusable: ReusableBlocks): string[] {
  const style = styleOf(document, brand)
  return pathsOf(
    document,
    reusable,
    (block, { backgroundColor = style.contentColor }) => !isReadable(block, backgroundColor, style),
  )
}

/** Returns the paths of the blocks that have no picture or no link yet. */
export function incompleteBlocksOf(document: MessageDocument, reusable: ReusableBlocks): string[] {
  return pathsOf(document, reusable, (block) => {
    if (block.type === 'social') return block.links?.some(({ href }) => href === '') ?? false
    if (block.type === 'image' || block.type === 'video') return block.src === '' || block.href === ''
    return (block.type === 'button' || block.type === 'product') && block.href === ''
  })
}

/** What a block does not set comes from the style of the message, or is chosen by the compiler, so that it is readable. */
function isReadable(block: MessageBlock, background: string, style: MessageStyle): boolean {
  if (block.type === 'heading' || block.type === 'text') {
    const isLarge = block.type === 'heading' && (block.level ?? 2) < 3
    const color = block.color ?? (background === style.contentColor ? style.textColor : textColorOn(background))
    return contrastOf(color, background) >= minContrast[isLarge ? 'large' : 'text']
  }
  if (block.type !== 'button' || block.color === undefined) return true
  return contrastOf(block.color, block.backgroundColor ?? style.accentColor) >= minContrast.text
}
