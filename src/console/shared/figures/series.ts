/** A series as the fragment FigureSeries selects it. */
export interface FigureSeries {
  readonly figure: string
  readonly interval: string
  readonly currency: string | null
  readonly total: string
  readonly previousTotal: string
  readonly points: readonly { readonly start: string; readonly value: string; readonly previous: string }[]
}

/** Returns the series that could be read, with their names in a plot. */
export function namedSeries(series: Readonly<Record<string, FigureSeries | null | undefined>>) {
  return Object.entries(series).flatMap(([name, each]) => (each ? [{ ...each, name }] : []))
}
