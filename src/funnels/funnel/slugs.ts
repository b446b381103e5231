/** Maximum length of a path in characters. */
export const maxPathLength = 100

/** Words of lowercase ASCII letters and digits, joined by hyphens. */
export const pathPattern = /^[a-z0-9]+(?:-[a-z0-9]+)*$/

/** Path of a name without characters that can be written in ASCII. */
const defaultPath = 'page'

/** Latin characters without a Unicode decomposition into character and accent. */
const letters: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  å: 'a',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ı: 'i',
  ħ: 'h',
  ŋ: 'n',
  ŧ: 't',
}

/** Derives a path from a name: `Crème brûlée & co` becomes `creme-brulee-co`. */
export function slugOf(name: string): string {
  const ascii = name
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[ßæœøåđðþłıħŋŧ]/g, (letter) => letters[letter] ?? '')
    .replace(/['’]/g, '')
  return cut(ascii.replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, ''), maxPathLength) || defaultPath
}

/** Returns the first of `base`, `base-1`, `base-2` … that is not in `taken`. A long base is shortened for the number. */
export function freePath(base: string, taken: ReadonlySet<string>): string {
  if (!taken.has(base)) return base
  for (let number = 1; ; number += 1) {
    const suffix = `-${number}`
    const path = `${cut(base, maxPathLength - suffix.length)}${suffix}`
    if (!taken.has(path)) return path
  }
}

function cut(path: string, length: number): string {
  return path.slice(0, length).replace(/-+$/, '')
}
