/** Returns `part` as a percentage of `whole`, rounded to one decimal: 66.7. Returns 0 if `whole` is 0. */
export function percentage(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part * 1000) / whole) / 10
}

/** Returns `part` as a ratio of `whole`, rounded to four decimals: 0.1678. Returns 0 if `whole` is 0. */
export function ratio(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part * 10_000) / whole) / 10_000
}
