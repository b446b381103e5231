/** Red, green and blue, each from 0 to 255. */
export type Color = readonly [number, number, number]

export const white: Color = [255, 255, 255]
const ink: Color = [22, 24, 29]

/** Minimum contrast of text of any size (WCAG 2.2, 1.4.3). */
const minTextContrast = 4.5

/** Parses `white`, `black`, `#rgb`, `#rrggbb` and `rgb(r, g, b)`. Returns undefined for other notations. */
export function colorOf(text: string): Color | undefined {
  const value = text.trim().toLowerCase()
  if (value === 'white') return white
  if (value === 'black') return [0, 0, 0]
  const hex = /^#(?:([0-9a-f]{3})|([0-9a-f]{6}))$/.exec(value)
  if (hex) {
    const digits = hex[2] ?? [...(hex[1] as string)].map((digit) => digit + digit).join('')
    return [0, 2, 4].map((at) => Number.parseInt(digits.slice(at, at + 2), 16)) as unknown as Color
  }
  const rgb = /^rgb\(\s*(\d{1,3})\s*[\s,]\s*(\d{1,3})\s*[\s,]\s*(\d{1,3})\s*\)$/.exec(value)
  return rgb ? ([1, 2, 3].map((at) => Math.min(Number(rgb[at]), 255)) as unknown as Color) : undefined
}

/** Returns a colour in the CSS notation `#rrggbb`. */
export function written(color: Color): string {
  return `#${color.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`
}

/** Mixes `color` into another colour. `share` is the share of `color`, from 0 to 1. */
export function mixed(color: Color, into: Color, share: number): Color {
  return into.map((part, at) => part + ((color[at] as number) - part) * share) as unknown as Color
}

/** Returns the contrast ratio of two colours, from 1 to 21. */
export function contrast(one: Color, other: Color): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

/** Returns the text colour for a background: white if its contrast is sufficient or higher, otherwise `ink`. */
export function on(color: Color): Color {
  return contrast(color, white) >= minTextContrast || contrast(color, white) > contrast(color, ink) ? white : ink
}

/** Darkens or lightens a colour until its contrast to the background is sufficient for text. */
export function readableOn(background: Color, color: Color): Color {
  const towards = on(background)
  for (let share = 0; share < 1; share += 0.1) {
    const candidate = mixed(towards, color, share)
    if (contrast(candidate, background) >= minTextContrast) return candidate
  }
  return towards
}

function luminance(color: Color): number {
  const [red = 0, green = 0, blue = 0] = color.map((part) => {
    const share = part / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
