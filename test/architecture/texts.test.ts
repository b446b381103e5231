import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { en } from '../../src/kernel/texts/en.ts'
import { directionOf, languageNames, textsIn } from '../../src/kernel/texts/texts.ts'

type Key = keyof typeof en
const keys = Object.keys(en) as Key[]
const folder = 'src/kernel/texts'
const catalogues = await Promise.all(
  Object.keys(languageNames).map(async (language) => {
    const module = await import(`../../${folder}/${language}.ts`)
    return [language, module[language] as Record<Key, string>] as const
  }),
)
const placeholdersOf = (text: string) => [...new Set([...text.matchAll(/\{(\w+)[,}]/g)].map(([, name]) => name))].sort()

describe('the texts for visitors and contacts', () => {
  it('are used, each of them', () => {
    const code = globSync('src/**/*.ts', { exclude: [`${folder}/**`, '**/generated/**', 'src/console/**'] })
      .map((path) => readFileSync(path, 'utf8'))
      .join('\n')
    const families = [...code.matchAll(/`([a-z][\w.]*\.)\$\{/gi)].map(([, start = '']) => start)
    const isUsed = (key: string) =>
      code.includes(`'${key}'`) ||
      // The title and the text of a page are named together.
      code.includes(`'${key.replace(/\.(?:title|text)$/, '')}'`) ||
      families.some((start) => key.startsWith(start) && !key.slice(start.length).includes('.'))
    expect(keys.filter((key) => !isUsed(key))).toEqual([])
  })

  it.each(catalogues)('have the values of the English ones: %s', (_language, catalogue) => {
    for (const key of keys) expect(placeholdersOf(catalogue[key]), key).toEqual(placeholdersOf(en[key]))
  })

  it.each(catalogues)('have a form for each number: %s', (language, catalogue) => {
    const { text } = textsIn(language)
    const formOf = (n: number) => new Intl.PluralRules(language).select(n)
    for (const key of keys.filter((each) => en[each].includes('plural'))) {
      const forms = [...catalogue[key].matchAll(/\b(one|few|many|other) \{/g)].map(([, form]) => form)
      const needed = new Set([1, 2, 3, 5, 12, 22, 100].map(formOf))
      // German has one word for all numbers of characters.
      if (forms.length > 1) for (const form of needed) expect(forms, key).toContain(form)
      for (const n of [1, 2, 5, 22]) expect(text(key, { minutes: n, max: n }), key).toContain(String(n))
    }
  })

  it('are in the first language that has them', () => {
    const languageIn = (...wanted: (string | null | undefined)[]) => textsIn(...wanted).language
    expect(languageIn('pt-BR', 'fr')).toBe('pt')
    expect(languageIn('', null, undefined, 'ja, de-AT;q=0.8, it;q=0.9')).toBe('it')
    expect(languageIn('ar', 'nl;q=0, pl')).toBe('pl')
    expect(languageIn('ja')).toBe('en')
    expect(languageIn('constructor, __proto__;q=x')).toBe('en')
    expect(languageIn('x'.repeat(100_000))).toBe('en')
  })

  it('keep braces, quotes and markup of values as they are', () => {
    const values = { address: 'a@example.com', account: `{x, plural, one {#}} L'été <b>` }
    expect(textsIn('fr').text('unsubscribe.done.all', values)).toBe(
      `a@example.com ne recevra plus aucun e-mail de {x, plural, one {#}} L'été <b>.`,
    )
  })

  it('are laid out from right to left where the language is', () => {
    expect(['ar', 'he-IL', 'fa', 'ur-PK', 'en', 'pl', ''].map(directionOf)).toEqual([
      ...['rtl', 'rtl', 'rtl', 'rtl'],
      ...['ltr', 'ltr', 'ltr'],
    ])
  })
})
