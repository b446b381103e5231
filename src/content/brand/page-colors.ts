import { type Color, colorOf, mixed, on, readableOn, white, written } from '../blocks/color.ts'
import { textColorOn } from '../blocks/contrast.ts'
import type { PageStyle } from './brand-style.ts'

/** Colour of error messages. */
const faultColor: Color = [179, 38, 30]

/** Returns the CSS colours of the elements on a background, with sufficient contrast. `bright` is the colour of links. */
export function colorsOn(background: Color, bright: Color): Readonly<Record<string, string>> {
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

/** Returns the CSS of a page of controls, such as that of a form. Its values were validated when the brand was set. */
export function controlPageStyle({ backgroundColor, color, accentColor, fontFamily }: PageStyle): string {
  const [background, accent] = [colorOf(backgroundColor) ?? white, colorOf(accentColor) ?? white]
  const declarations = {
    ...colorsOn(background, accent),
    '--c-text': color,
    '--c-accent': accentColor,
    '--c-on-accent': written(on(accent)),
  }
  const root = Object.entries(declarations).map(([name, value]) => `${name}: ${value}`)
  return `:root { ${root.join('; ')} }
body { background: ${backgroundColor}; font-family: ${fontFamily} }
`
}

/** Returns the CSS of a page of one message and a button. Its values were validated when the brand was set. */
export function messagePageStyle({ backgroundColor, color, accentColor, fontFamily }: PageStyle): string {
  return `body { background: ${backgroundColor}; color: ${color}; font-family: ${fontFamily} }
main { background: none; box-shadow: none }
button { background: ${accentColor}; color: ${textColorOn(accentColor, '#000000')} }
`
}
