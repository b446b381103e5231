import { type Color, colorOf, colorsOn, on, white, written } from '../../../content/rendering.ts'
import { numberOf, propertiesOf } from './properties.ts'
import { type Declarations, safeColor, safeFontFamily } from './style.ts'

/** Default colour of buttons and links. */
const defaultAccent: Color = [59, 79, 216]
/** Returns the colour of buttons and links. */
export function accentOf(settings: unknown): Color {
  return colorOf(safeColor(propertiesOf(settings)['accentColor']) ?? '') ?? defaultAccent
}

/** Returns the CSS declarations of a page: colours, font and width. Invalid settings are ignored. */
export function pageStyle(settings: unknown): Declarations {
  const { backgroundColor, color, fontFamily, width } = propertiesOf(settings)
  const background = safeColor(backgroundColor)
  const words = safeColor(color)
  const fonts = safeFontFamily(fontFamily)
  const maxWidth = numberOf(width, 200, 10_000)
  const bright = accentOf(settings)
  return {
    ...colorsOn(colorOf(background ?? '') ?? white, bright),
    ...(words !== undefined && { '--c-text': words }),
    '--c-accent': written(bright),
    '--c-on-accent': written(on(bright)),
    ...(fonts !== undefined && { '--font': fonts }),
    ...(maxWidth !== undefined && { '--width': `${maxWidth}px` }),
    ...(background !== undefined && { 'background-color': background }),
  }
}
