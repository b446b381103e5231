import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Font } from 'fontkit'
import { type ExtraFont, parseFonts, withWeight } from './variable-font.ts'

/** Files over this size are skipped, because a thread reads a file completely. */
const maxFileBytes = 64 * 1024 * 1024

/**
 * Finds fonts for characters in the files of a folder and its subfolders, small files first. Files are read until all characters
 * are found; a file that is not a font is skipped.
 */
export function findInFolder(folder: string, characters: Iterable<string>): Map<string, ExtraFont> {
  const open = new Set(characters)
  const found = new Map<string, ExtraFont>()
  for (const file of listFiles(folder)) {
    if (open.size === 0) break
    for (const font of readFonts(file)) {
      const covered = [...open].filter((each) => font.hasGlyphForCodePoint(each.codePointAt(0) as number))
      if (covered.length === 0) continue
      const extra = {
        name: `${file} ${font.postscriptName}`,
        plain: withWeight(font, 400, font.postscriptName),
        bold: withWeight(font, 700, font.postscriptName),
      }
      for (const character of covered) {
        found.set(character, extra)
        open.delete(character)
      }
    }
  }
  return found
}

function listFiles(folder: string): string[] {
  const files = globSync('**/*.{ttf,otf,ttc,otc,TTF,OTF,TTC,OTC}', { cwd: folder }).map((name) => join(folder, name))
  return files
    .map((file) => ({ file, size: sizeOf(file), isRegular: /regular/i.test(file) }))
    .filter(({ size }) => size > 0 && size <= maxFileBytes)
    .sort((a, b) => Number(b.isRegular) - Number(a.isRegular) || a.size - b.size || (a.file < b.file ? -1 : 1))
    .map(({ file }) => file)
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}

function readFonts(file: string): Font[] {
  try {
    return parseFonts(readFileSync(file))
  } catch {
    return []
  }
}
