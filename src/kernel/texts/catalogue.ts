import type { en } from './en.ts'

/** The key of a text. */
export type TextKey = keyof typeof en

/** All texts in one language, as ICU messages. */
export type Catalogue = Readonly<Record<TextKey, string>>
