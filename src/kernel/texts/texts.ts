import { type I18n, setupI18n } from '@lingui/core'
import { compileMessage } from '@lingui/message-utils/compileMessage'
import type { Catalogue, TextKey } from './catalogue.ts'
import { de } from './de.ts'
import { en } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import { it } from './it.ts'
import { nl } from './nl.ts'
import { pl } from './pl.ts'
import { pt } from './pt.ts'

export type { TextKey } from './catalogue.ts'

const catalogues = { en, fr, de, es, it, pt, nl, pl } satisfies Record<string, Catalogue>

/** A language that has all texts. */
export type Language = keyof typeof catalogues

/** The languages that have all texts, with their own names. */
export const languageNames: Readonly<Record<Language, string>> = {
  en: 'English',
  fr: 'Français',
  de: 'Deutsch',
  es: 'Español',
  it: 'Italiano',
  pt: 'Português',
  nl: 'Nederlands',
  pl: 'Polski',
}

/** Values of the placeholders of a text. */
export type Values = Readonly<Record<string, string | number>>

type PageOf<Key> = Key extends `${infer Name}.title` ? (`${Name}.text` extends TextKey ? Name : never) : never

/** A page of the catalogue: it has a title and a text. */
export type PageName = PageOf<TextKey>

/** The texts in one language. */
export interface Texts {
  readonly language: Language
  /** Returns a text with its values, which are not escaped. */
  text(key: TextKey, values?: Values): string
  /** Returns the title and the sentence of a page, with the values of the sentence. */
  page(name: PageName, values?: Values): { language: Language; title: string; sentence: string }
}

/** Returns whether a text exists, for keys that are made of names. */
export const isTextKey = (key: string): key is TextKey => Object.hasOwn(en, key)

const compiled = new Map<Language, Texts>()

/**
 * Returns the texts in the first of the languages that has them: those of the page, of the contact, and of the browser, for
 * example. Each is a BCP 47 language tag, or a header `Accept-Language`. English if none has them.
 */
export function textsIn(...wanted: readonly (string | null | undefined)[]): Texts {
  const language = wanted.flatMap(languagesOf).find(isKnown) ?? 'en'
  const known = compiled.get(language) ?? compile(language)
  compiled.set(language, known)
  return known
}

const isKnown = (language: string): language is Language => Object.hasOwn(catalogues, language)

/** Returns the languages of a tag or a header, the preferred first. What follows ten of them is not read. */
function languagesOf(tags: string | null | undefined): string[] {
  return (tags ?? '')
    .slice(0, 200)
    .split(',', 10)
    .map((part) => {
      const [tag = '', ...parameters] = part.split(';')
      const quality = parameters.find((each) => each.trim().startsWith('q='))?.trim()
      return { language: tag.trim().toLowerCase().split(/[-_]/, 1)[0] ?? '', quality: Number(quality?.slice(2) ?? 1) }
    })
    .filter(({ quality }) => quality > 0)
    .toSorted((a, b) => b.quality - a.quality)
    .map(({ language }) => language)
}

function compile(language: Language): Texts {
  const catalogue: Catalogue = catalogues[language]
  const i18n: I18n = setupI18n({
    locale: language,
    messages: {
      [language]: Object.fromEntries(Object.entries(catalogue).map(([key, text]) => [key, compileMessage(text)])),
    },
  })
  const text: Texts['text'] = (key, values) => i18n._(key, { ...values })
  return {
    language,
    text,
    page: (name, values) => ({ language, title: text(`${name}.title`), sentence: text(`${name}.text`, values) }),
  }
}

const rightToLeft = /^(?:ar|ckb|dv|fa|he|ps|sd|ug|ur|yi)\b/i

/** Returns the direction in which a language is written. */
export function directionOf(language: string): 'ltr' | 'rtl' {
  return rightToLeft.test(language) ? 'rtl' : 'ltr'
}
