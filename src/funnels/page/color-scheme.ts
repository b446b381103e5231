import { type Color, colorOf, mixed, on, readableOn, white, written } from './color.ts'
import { numberOf, propertiesOf } from './properties.ts'
import { type Declarations, safeColor, safeFontFamily } from './style.ts'

const accent: Color = [59, 79, 216]
const fault: Color = [179, 38, 30]

/** The colours of whatever stands on a background, so that it can be read. */
export function colorsOn(background: Color, bright: Color): Declarations {
  const words = on(background)
  return {
    '--c-back': written(background),
    '--c-text': written(words),
    '--c-muted': written(readableOn(background, mixed(words, background, 0.7))),
    // What a control is known by has a contrast of three at least; what only divides has not.
    '--c-line': written(mixed(words, background, 0.5)),
    '--c-rule': written(mixed(words, background, 0.14)),
    '--c-surface': written(words === white ? mixed(white, background, 0.08) : white),
    '--c-fault': written(readableOn(background, fault)),
    '--c-link': written(readableOn(background, bright)),
    color: 'var(--c-text)',
    // The parts of controls that a browser draws itself.
    'color-scheme': words === white ? 'dark' : 'light',
  }
}

/** The colour of buttons and links. */
export function accentOf(settings: unknown): Color {
  return colorOf(safeColor(propertiesOf(settings)['accentColor']) ?? '') ?? accent
}

/** The colours and fonts of a page. */
export function pageStyle(settings: unknown): Declarations {
  const { backgroundColor, color, fontFamily, width } = propertiesOf(settings)
  const background = safeColor(backgroundColor)
  const words = safeColor(color)
  const fonts = safeFontFamily(fontFamily)
  const room = numberOf(width, 200, 10_000)
  const bright = accentOf(settings)
  return {
    ...colorsOn(colorOf(background ?? '') ?? white, bright),
    ...(words !== undefined && { '--c-text': words }),
    '--c-accent': written(bright),
    '--c-on-accent': written(on(bright)),
    ...(fonts !== undefined && { '--font': fonts }),
    ...(room !== undefined && { '--width': `${room}px` }),
    ...(background !== undefined && { 'background-color': background }),
  }
}
