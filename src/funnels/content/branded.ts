import type { PageStyle } from '../../content/rendering.ts'
import { propertiesOf } from '../html/styles/properties.ts'

/**
 * Returns a page document with the style of the brand, as far as its settings have none of their own. A page with a background or
 * a text colour of its own has both by itself, because the other one of the brand may be hard to read on it.
 */
export function branded(document: unknown, brand: PageStyle | null): unknown {
  if (brand === null || document === null) return document
  const page = propertiesOf(document)
  const own = Object.fromEntries(Object.entries(propertiesOf(page['settings'])).filter(([, value]) => value != null))
  const { accentColor, fontFamily, ...colors } = brand
  const hasColors = own['backgroundColor'] !== undefined || own['color'] !== undefined
  return { ...page, settings: { accentColor, fontFamily, ...(!hasColors && colors), ...own } }
}
