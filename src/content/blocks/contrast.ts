import { colorOf, contrast, white } from './color.ts'

/** The contrast from which text is readable (WCAG 2.2, 1.4.3), and that of large text. */
export const minContrast = { text: 4.5, large: 3 } as const

/** Returns the contrast of two colours (`#rrggbb`), from 1 to 21 (WCAG 2.2). */
export function contrastOf(one: string, other: string): number {
  return contrast(colorOf(one) ?? white, colorOf(other) ?? white)
}

/** Returns the darker or the lighter of two text colours, whichever is readable better on a background. */
export function textColorOn(background: string, dark = '#1f2933', light = '#ffffff'): string {
  return contrastOf(background, dark) >= contrastOf(background, light) ? dark : light
}
