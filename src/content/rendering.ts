// The part without a database. Worker threads import this file, because index.ts loads the whole module.

export { type Color, colorOf, on, white, written } from './blocks/color.ts'
export { type Condition, conditionNumbers, conditionsOf } from './blocks/conditions.ts'
export { contrastOf, minContrast, textColorOn } from './blocks/contrast.ts'
export { contentError, faultAt, readContent, validated } from './blocks/json-input.ts'
export {
  type Font,
  fonts,
  type MessageBlock,
  MessageContent,
  type MessageDocument,
  maxBlocks,
  maxConditions,
  maxContentBytes,
  networks,
} from './blocks/message-content.ts'
export { ownHtmlFault } from './blocks/own-html-limits.ts'
export {
  blocksOf,
  excessOf,
  type ReusableBlocks,
  referencesIn,
  type ShownDocument,
  type ShownSection,
  shownWithin,
  withReusable,
} from './blocks/references.ts'
export { type RichTextBody, richTextOf } from './blocks/rich-text.ts'
export { inlineHtml, inlineText, type RichTextStyle, richTextHtml, richTextPlain } from './blocks/rich-text-html.ts'
export { line, linkPattern, maxLinkLength, pageLink, prose, size } from './blocks/values.ts'
export { type BrandStyle, defaultStyle, type PageStyle } from './brand/brand-style.ts'
export { colorsOn, controlPageStyle, messagePageStyle } from './brand/page-colors.ts'
