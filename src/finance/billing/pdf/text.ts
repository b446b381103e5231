import bidiFactory from 'bidi-js'

/** Scripts that fontkit lays out from right to left. */
const rightToLeft = /[\p{sc=Arab}\p{sc=Hebr}\p{sc=Syrc}\p{sc=Thaa}\p{sc=Nkoo}]/u
/** Characters of Latin, Greek and Cyrillic that both weights of DejaVu have, and that pdfkit lays out one after another. */
const plainText =
  /^[\n\u0020-\u007e\u00a0-\u02e9\u0384-\u038a\u038c\u038e-\u03a1\u03a3-\u0482\u048a-\u0525\u1e00-\u1efb\u2000-\u2064\u20a0-\u20b5\u2116\u2122]*$/
const withoutSpaces =
  /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}、。，！？）」』]/u

/** The vowel AM of Thai and Lao after the marks above its consonant. */
const marksBeforeAm =
  /([\u0e31\u0e34-\u0e37\u0e3b\u0e47-\u0e4e\u0eb1\u0eb4-\u0eb7\u0ebb\u0ec7-\u0ece]*)([\u0e33\u0eb3])/g

const bidi = bidiFactory()
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })
const words = new Intl.Segmenter('en', { granularity: 'word' })

/** Characters as a person sees them, with the name of the font that has them. `level` is odd from right to left. */
interface Cluster {
  readonly text: string
  readonly font: string
  readonly level: number
  readonly canBreakAfter: boolean
}

/** Text of one font and direction. */
export interface Run {
  readonly text: string
  readonly font: string
}

/**
 * Removes control characters except line breaks, and formatting characters except joiners. Composes characters and their marks.
 */
export function cleanText(text: string): string {
  return text
    .normalize('NFC')
    .replace(/\r\n?/g, '\n')
    .replace(/\t/g, ' ')
    .replace(/(?!\n|[\u200c\u200d])[\p{Cc}\p{Cf}\p{Variation_Selector}]/gu, '')
}

/** Whether a character needs a glyph. */
export function isDrawn(character: string): boolean {
  return !/^[\s\p{Cc}\p{Cf}\p{Variation_Selector}]$/u.test(character)
}

/** Whether pdfkit can lay out a text: one character after another, from left to right. */
export function isPlain(text: string): boolean {
  return plainText.test(text)
}

/**
 * Breaks a paragraph into lines of a width. Each line is a list of runs in the order in which they are drawn, from left to right
 * (Unicode bidirectional algorithm). `fontOf` returns the font of a cluster, `widthOf` the width of a run.
 */
export function layOut(
  paragraph: string,
  width: number,
  { fontOf, widthOf }: { fontOf(cluster: string): string; widthOf(run: Run): number },
): Run[][] {
  const lines: Cluster[][] = [[]]
  let room = width
  for (const unit of unitsOf(toClusters(paragraph, fontOf))) {
    const needed = measure(withoutEnd(unit), widthOf)
    if (needed > room && (lines.at(-1) as Cluster[]).length > 0) {
      lines.push([])
      room = width
    }
    for (const part of needed > width ? unit.map((cluster) => [cluster]) : [unit]) {
      const advance = measure(part, widthOf)
      if (advance > room && part.length === 1 && (lines.at(-1) as Cluster[]).length > 0) {
        lines.push([])
        room = width
      }
      ;(lines.at(-1) as Cluster[]).push(...part)
      room -= advance
    }
  }
  return lines.map((line) => inVisualOrder(withoutEnd(line)))
}

function toClusters(paragraph: string, fontOf: (cluster: string) => string): Cluster[] {
  const { levels } = bidi.getEmbeddingLevels(paragraph)
  const mirrored = bidi.getMirroredCharactersMap(paragraph, levels)
  const breaks = new Set([...words.segment(paragraph)].map(({ index }) => index))
  let before = ''
  return [...graphemes.segment(paragraph)].map(({ segment, index }) => {
    const end = index + segment.length
    const isBlank = /^\s+$/.test(segment)
    // A space keeps the font of the word before it, so that a text is one run.
    const font = isBlank && before !== '' ? before : fontOf(segment)
    before = font
    const adjacent = segment + (paragraph[end] ?? '')
    const canBreakAfter =
      isBlank ||
      (breaks.has(end) && withoutSpaces.test(adjacent) && !/^[\p{Pe}\p{Pf}\p{Po}]/u.test(paragraph.slice(end)))
    return { text: mirrored.get(index) ?? segment, font, level: levels[index] as number, canBreakAfter }
  })
}

/** Groups clusters that stay on one line. */
function unitsOf(clusters: readonly Cluster[]): Cluster[][] {
  const units: Cluster[][] = [[]]
  for (const cluster of clusters) {
    ;(units.at(-1) as Cluster[]).push(cluster)
    if (cluster.canBreakAfter) units.push([])
  }
  return units.filter((unit) => unit.length > 0)
}

function withoutEnd(line: readonly Cluster[]): Cluster[] {
  return line.slice(0, line.findLastIndex(({ text }) => text.trim() !== '') + 1)
}

function measure(clusters: readonly Cluster[], widthOf: (run: Run) => number): number {
  return toRuns(clusters).reduce((sum, run) => sum + widthOf(run), 0)
}

/** Reverses, from the highest level to 1, each sequence of runs of this level or above (rule L2). */
function inVisualOrder(line: readonly Cluster[]): Run[] {
  let runs = toRuns(line)
  const highest = Math.max(0, ...runs.map(({ level }) => level))
  for (let level = highest; level > 0; level -= 1) runs = reverseSequences(runs, level)
  return runs
}

function reverseSequences<Item extends { level: number }>(items: readonly Item[], level: number): Item[] {
  const result: Item[] = []
  let sequence: Item[] = []
  for (const item of items) {
    if (item.level >= level) sequence.unshift(item)
    else {
      result.push(...sequence, item)
      sequence = []
    }
  }
  return [...result, ...sequence]
}

function toRuns(clusters: readonly Cluster[]): (Run & { level: number })[] {
  const groups: Cluster[][] = []
  for (const cluster of clusters) {
    const last = groups.at(-1)
    const [first] = last ?? []
    if (last && first?.font === cluster.font && first.level === cluster.level) last.push(cluster)
    else groups.push([cluster])
  }
  return groups.map((group) => {
    const [{ font, level }] = group as [Cluster]
    return { text: toShapeable(group, level), font, level }
  })
}

/**
 * fontkit chooses the direction by the script. If it is not that of the level, the text is reversed so that the result is right.
 */
function toShapeable(group: readonly Cluster[], level: number): string {
  const texts = group.map(({ text }) => splitAm(text))
  const isReversed = rightToLeft.test(texts.join(''))
  return isReversed === (level % 2 === 1) ? texts.join('') : texts.toReversed().join('')
}

/**
 * Splits each vowel AM into its circle and AA, with the circle below the marks of the consonant, as HarfBuzz does:
 * fontkit leaves that to the font, whose circle is then above them. A copy of the text has the two parts, also where no mark is.
 */
function splitAm(text: string): string {
  return text.replace(marksBeforeAm, (_, marks: string, am: string) => {
    const point = am.charCodeAt(0)
    return `${String.fromCharCode(point + 0x1a)}${marks}${String.fromCharCode(point - 1)}`
  })
}
