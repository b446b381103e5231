/** How much of `whole` `part` is, in per cent to one decimal: 66.7. Nothing of nothing is 0. */
export function percentage(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part * 1000) / whole) / 10
}

/** How much of `whole` `part` is, as a ratio to four decimals: 0.1678. Nothing of nothing is 0. */
export function ratio(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part * 10_000) / whole) / 10_000
}
