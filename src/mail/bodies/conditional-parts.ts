/** A part of the plain text that is shown under a condition: its number, and the range of the part in UTF-16 code units. */
export type ConditionalRange = readonly [condition: number, from: number, until: number]

const marks = /<!--(if|end) (\d+)-->/g

/** Returns the comments around HTML that is shown if a condition holds. They are no part of any message. */
export function marksOf(condition: number): [start: string, end: string] {
  return [`<!--if ${condition}-->`, `<!--end ${condition}-->`]
}

/** Reads a comment of `marksOf`. Undefined for any other comment. */
export function readMark(comment: string): { readonly isStart: boolean; readonly condition: number } | undefined {
  const [, word, condition] = /^<!--(if|end) (\d{1,2})-->$/.exec(comment) ?? []
  return word === undefined ? undefined : { isStart: word === 'if', condition: Number(condition) }
}

/** Returns the HTML that is shown to all contacts. */
export function commonHtml(html: string): string {
  let depth = 0
  let common = ''
  let done = 0
  for (const { index, 0: mark, 1: word } of html.matchAll(marks)) {
    if (depth === 0) common += html.slice(done, index)
    depth = word === 'if' ? depth + 1 : Math.max(0, depth - 1)
    done = index + mark.length
  }
  return depth === 0 ? common + html.slice(done) : common
}

/** A part of the plain text, which is shown if all of its conditions hold. */
export interface ConditionalPiece {
  readonly piece: string
  readonly conditions: readonly number[]
}

/** Returns the text that is shown to all contacts. */
export function commonText(pieces: readonly ConditionalPiece[]): string {
  return pieces.map(({ piece, conditions }) => (conditions.length === 0 ? piece : '')).join('')
}

/** Divides text at the ends of its conditional ranges, which may contain each other. */
export function piecesOf(text: string, ranges: readonly ConditionalRange[]): ConditionalPiece[] {
  const cuts = new Set([0, text.length, ...ranges.flatMap(([, from, until]) => [from, until])])
  const sorted = [...cuts].filter((at) => at <= text.length).sort((a, b) => a - b)
  return sorted.slice(1).map((until, place) => {
    const from = sorted[place] as number
    const around = ranges.filter((range) => range[1] <= from && until <= range[2])
    return { piece: text.slice(from, until), conditions: [...new Set(around.map(([condition]) => condition))] }
  })
}
