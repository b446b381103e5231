import { directionOf } from '../../kernel/texts/texts.ts'
import { outlineOf } from './html-outline.ts'

/** A language tag (BCP 47), such as `en` or `pt-BR`. */
export const languageTag = /^[a-z]{2,3}(?:-[a-z0-9]{2,8})*$/i

/** Maximum length of a language tag. */
export const maxLanguage = 35

/**
 * Sets the language of a document: the attribute `lang` of its `html` element, which readers are read aloud by, and `dir` if the
 * language is written from right to left.
 */
export function withLanguage(html: string, language: string): string {
  const tag = outlineOf(html).tags.find(({ from, until }) => /^<?html(?:[\s>/]|$)/i.test(html.slice(from, until)))
  if (!tag) return html
  const start = html.slice(tag.from, tag.until).search(/html/i) + tag.from + 'html'.length
  const attributes = html.slice(start, tag.until).replace(/\slang\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>]+)/i, '')
  const direction = directionOf(language)
  const own = direction === 'rtl' && !/\sdir\s*=/i.test(attributes) ? ` dir="${direction}"` : ''
  return `${html.slice(0, start)} lang="${language}"${own}${attributes}${html.slice(tag.until)}`
}
