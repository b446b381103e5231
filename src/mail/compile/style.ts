import { type BrandStyle, fonts, type MessageDocument } from '../../content/rendering.ts'

/** The colours of a message in the dark scheme, of what has no colour of its own. */
export const darkColors = { background: '#111418', content: '#1b2027', text: '#e6e9ee', link: '#8ab4ff' } as const

/** The style of one message. */
export interface MessageStyle extends BrandStyle {
  readonly fontFamily: string
}

/** Returns the style of a message: that of the brand, with what the document overrides. */
export function styleOf({ style = {} }: Pick<MessageDocument, 'style'>, brand: BrandStyle): MessageStyle {
  const given = Object.fromEntries(Object.entries(style).filter(([, value]) => value !== undefined))
  const all: BrandStyle = { ...brand, ...given }
  return {
    ...all,
    fontFamily: fonts[all.font],
  }
}
