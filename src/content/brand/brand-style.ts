import type { Font, Network } from '../blocks/message-content.ts'

/** How messages of an account look, and what it says about itself in each. */
export interface BrandStyle {
  readonly backgroundColor: string
  readonly contentColor: string
  readonly textColor: string
  readonly accentColor: string
  readonly font: Font
  /** URL of the logo, and its alternative text. */
  readonly logo: { readonly src: string; readonly alt: string } | null
  /** Postal address. Empty if it is not known. */
  readonly address: string
  readonly links: readonly { readonly network: Network; readonly href: string }[]
}

/** How pages of an account look. Text has a contrast of at least 4.5 to the background. */
export interface PageStyle {
  readonly backgroundColor: string
  readonly color: string
  readonly accentColor: string
  readonly fontFamily: string
}

/** The style of an account without a brand. */
export const defaultStyle: BrandStyle = {
  backgroundColor: '#f4f5f7',
  contentColor: '#ffffff',
  textColor: '#1f2933',
  accentColor: '#1d4ed8',
  font: 'ARIAL',
  logo: null,
  address: '',
  links: [],
}
