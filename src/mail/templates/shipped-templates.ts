import { type BrandStyle, withReusable } from '../../content/rendering.ts'
import type { ShippedTemplate } from './shipped/build.ts'
import { news } from './shipped/news.ts'
import { occasions } from './shipped/occasions.ts'
import { relations } from './shipped/relations.ts'
import { thumbnailOf } from './thumbnail.ts'

/** The templates of the product, in the order in which they are shown. They contain no pictures, and have no colours of text. */
export const shippedTemplates = { ...news, ...relations, ...occasions } as const

export type ShippedTemplateKey = keyof typeof shippedTemplates

/** A template of the product with its key. */
export interface KeyedTemplate extends ShippedTemplate {
  readonly key: ShippedTemplateKey
}

/** Returns all templates of the product. */
export function listShipped(): KeyedTemplate[] {
  return Object.entries(shippedTemplates).map(([key, template]) => ({ key: key as ShippedTemplateKey, ...template }))
}

/** Returns the picture of a template of the product in the style of a brand. */
export function thumbnailOfShipped(content: ShippedTemplate['content'], brand: BrandStyle): string {
  return thumbnailOf(withReusable(content, {}), brand)
}
