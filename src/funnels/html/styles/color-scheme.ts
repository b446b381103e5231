import { type Color, colorOf, mixed, on, readableOn, white, written } from './color.ts'
import { numberOf, propertiesOf } from './properties.ts'
import { type Declarations, safeColor, safeFontFamily } from './style.ts'

/** Default colour of buttons and links. */
const defaultAccent: Color = [59, 79, 216]
/** Colour of error messages. */
const faultColor: Color = [179, 38, 30]

/** Returns the CSS colours of the elements on a background, with sufficient contrast. `bright` is the colour of links. */
export function colorsOn(background: Color, bright: Color): Declarations {
  const words = on(background)
  return {
    '--c-back': written(background),
    '--c-text': written(words),
    '--c-muted': written(readableOn(background, mixed(words, background, 0.7))),
    // The border of a control needs a contrast of at least 3:1 (WCAG 2.2, 1.4.11); a divider does not.
    '--c-line': written(mixed(words, background, 0.5)),
    '--c-rule': written(mixed(words, background, 0.14)),
    '--c-surface': written(words === white ? mixed(white, background, 0.08) : white),
    '--c-fault': written(readableOn(background, faultColor)),
    '--c-link': written(readableOn(background, bright)),
    color: 'var(--c-text)',
    // For the parts of controls that the browser draws.
    'color-scheme': words === white ? 'dark' : 'light',
  }
}

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
