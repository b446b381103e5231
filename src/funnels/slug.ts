/** The most characters of a path. */
export const maxPathLength = 100

/** How a path is written: words of ASCII letters and digits, joined by hyphens. */
export const pathForm = /^[a-z0-9]+(?:-[a-z0-9]+)*$/

/** What a name without any letter or digit that ASCII can show becomes. */
const nameless = 'page'

/** Latin letters that do not come apart into a letter and an accent. */
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

/** The path that a name makes: `Crème brûlée & co` is `creme-brulee-co`. */
export function slugOf(name: string): string {
  const ascii = name
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[ßæœøåđðþłıħŋŧ]/g, (letter) => letters[letter] ?? '')
    .replace(/['’]/g, '')
  return cut(ascii.replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, ''), maxPathLength) || nameless
}

/** The first of base, base-1, base-2 … that is not taken; the end of a long base makes room for the number. */
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
