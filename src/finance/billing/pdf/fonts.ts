import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import type { Font } from 'fontkit'
import { findInFolder } from './font-folder.ts'
import { isDrawn } from './text.ts'
import { type ExtraFont, parseFonts, withWeight } from './variable-font.ts'

/** The fonts of one document, by language of the text and character, and the characters that no font has. */
export interface FontSet {
  find(text: string, character: string): ExtraFont | undefined
  readonly missing: readonly string[]
}

const require = createRequire(import.meta.url)

/** Packages of fonts by name of their script. DejaVu has Latin, Greek, Cyrillic, Arabic, Hebrew, Armenian, Georgian and Lao. */
const scripts = ['devanagari', 'thai', 'bengali', 'tamil', 'sc', 'jp', 'kr'] as const
type Script = (typeof scripts)[number]

/** Maximum number of characters that are reported. */
const maxMissing = 100

/** Fonts of the files that were parsed last, which do not change. One takes some 300 kB. */
const parsed = new Map<string, ExtraFont>()
const maxParsed = 30

/**
 * Loads the fonts for the characters of texts that the first font lacks: from packages, and then from a folder. A package has
 * many files, of which only those with such characters are read.
 */
export async function loadFonts(texts: readonly string[], first: Font, folder?: string | undefined): Promise<FontSet> {
  const found = new Map<string, ExtraFont>()
  const missing = new Set<string>()
  const leads = new Map<string, Script>()
  const leadOf = (text: string) => {
    const lead = leads.get(text) ?? (orderOf(text)[0] as Script)
    leads.set(text, lead)
    return lead
  }
  for (const text of texts) {
    const order = orderOf(text)
    for (const character of new Set(text)) {
      const key = `${order[0]} ${character}`
      const codePoint = character.codePointAt(0) as number
      if (!isDrawn(character) || first.hasGlyphForCodePoint(codePoint) || found.has(key)) continue
      const font = await findInPackages(order, codePoint)
      if (font) found.set(key, font)
      else missing.add(character)
    }
  }
  const inFolder =
    missing.size > 0 && folder !== undefined ? findInFolder(folder, missing) : new Map<string, ExtraFont>()
  for (const character of inFolder.keys()) missing.delete(character)
  return {
    find: (text, character) => found.get(`${leadOf(text)} ${character}`) ?? inFolder.get(character),
    missing: [...missing].slice(0, maxMissing),
  }
}

/**
 * Returns the packages in the order in which they are tried. Chinese, Japanese and Korean write the same character differently.
 */
function orderOf(text: string): readonly Script[] {
  const first = /[\p{sc=Hira}\p{sc=Kana}]/u.test(text) ? 'jp' : /\p{sc=Hang}/u.test(text) ? 'kr' : 'sc'
  return [first, ...scripts.filter((script) => script !== first)]
}

async function findInPackages(order: readonly Script[], codePoint: number): Promise<ExtraFont | undefined> {
  for (const script of order) {
    const file = fileOf(script, codePoint)
    if (file === undefined) continue
    const font = parsed.get(file) ?? (await parseFile(file))
    if (font.plain.hasGlyphForCodePoint(codePoint)) return font
  }
  return undefined
}

async function parseFile(file: string): Promise<ExtraFont> {
  // The decoder is loaded only for a document that needs it.
  const { default: wawoff2 } = await import('wawoff2')
  // The result is in the memory of the decoder, which the next file overwrites.
  const [base] = parseFonts(Uint8Array.from(await wawoff2.decompress(readFileSync(file))))
  if (!base) throw new Error(`${file} contains no font.`)
  const name = basename(file, '.woff2')
  const font = { name, plain: withWeight(base, 400, name), bold: withWeight(base, 700, name) }
  parsed.set(file, font)
  const [oldest] = parsed.keys()
  if (parsed.size > maxParsed && oldest !== undefined) parsed.delete(oldest)
  return font
}

interface Range {
  readonly file: string
  readonly from: number
  readonly to: number
}

const rangesByScript = new Map<Script, readonly Range[]>()

/** Returns the file of a package that contains a character. */
function fileOf(script: Script, codePoint: number): string | undefined {
  const ranges = rangesByScript.get(script) ?? readRanges(script)
  rangesByScript.set(script, ranges)
  return ranges.find(({ from, to }) => codePoint >= from && codePoint <= to)?.file
}

/** Reads which file of a package contains which characters: `{ "thai": "U+E01-E3A,U+E3F-E5B", "[21]": … }`. */
function readRanges(script: Script): Range[] {
  const index = require.resolve(`@fontsource-variable/noto-sans-${script}/unicode.json`)
  const texts = JSON.parse(readFileSync(index, 'utf8')) as Record<string, string>
  return Object.entries(texts).flatMap(([part, ranges]) => {
    const file = join(dirname(index), 'files', `noto-sans-${script}-${part.replace(/[[\]]/g, '')}-wght-normal.woff2`)
    return ranges.split(',').map((range) => {
      const [from = 0, to = from] = range
        .replace(/^U\+/i, '')
        .split('-')
        .map((code) => Number.parseInt(code, 16))
      return { file, from, to }
    })
  })
}
