/** Points of a plot, connected in their order. */
export interface Series {
  readonly name: string
  readonly colour: string
  /** Width of the line. Defaults to 2. */
  readonly width?: number
  readonly points: readonly (readonly [x: number, y: number])[]
}

const [width, height, margin] = [720, 360, 60]
const legendWidth = 380

/**
 * Returns a plot of lines as SVG. Both axes begin at 0, or are logarithmic and begin at the power of ten below the least value.
 */
export function plot(
  labels: { title: string; x: string; y: string },
  series: readonly Series[],
  { isLogarithmic = false } = {},
): string {
  const all = series.flatMap(({ points }) => points)
  const [x, y] = [0, 1].map((axis) =>
    scale(
      all.map((point) => point[axis] ?? 0),
      isLogarithmic,
    ),
  ) as [Scale, Scale]
  const place = (point: readonly [number, number]) =>
    `${(margin + x.part(point[0]) * (width - 2 * margin)).toFixed(1)},${(height - margin - y.part(point[1]) * (height - 2 * margin)).toFixed(1)}`
  const text = (left: number, top: number, words: string, more = '') =>
    `<text x="${left}" y="${top}" ${more}>${words}</text>`
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width + legendWidth} ${height}" font-family="sans-serif" font-size="12">
<title>${labels.title}</title>
<rect width="${width + legendWidth}" height="${height}" fill="white"/>
<path d="M${place([x.least, y.most])} L${place([x.least, y.least])} L${place([x.most, y.least])}" fill="none" stroke="black"/>
${text(margin, 24, labels.title, 'font-size="14"')}
${text(margin, margin - 14, labels.y)}
${text(width - margin, height - 24, labels.x, 'text-anchor="end"')}
${x.ticks.map((tick) => text(margin + x.part(tick) * (width - 2 * margin), height - margin + 16, format(tick), 'text-anchor="middle"')).join('\n')}
${y.ticks.map((tick) => text(margin - 6, height - margin + 4 - y.part(tick) * (height - 2 * margin), format(tick), 'text-anchor="end"')).join('\n')}
${series
  .map(({ name, colour, width: stroke = 2, points }, index) => {
    const line = `<polyline points="${points.map(place).join(' ')}" fill="none" stroke="${colour}" stroke-width="${stroke}"/>`
    return `${line}${text(width - margin + 12, margin + 16 * index, name, `fill="${colour}"`)}`
  })
  .join('\n')}
</svg>
`
}

/** An axis: the values at its ends and at its labels, and the position of a value as a part of its length. */
interface Scale {
  readonly least: number
  readonly most: number
  readonly ticks: readonly number[]
  part(value: number): number
}

function scale(values: readonly number[], isLogarithmic: boolean): Scale {
  const most = Math.max(...values)
  if (!isLogarithmic) return { least: 0, most, ticks: [0, most], part: (value) => value / most }
  const [low, high] = [Math.floor(Math.log10(Math.min(...values))), Math.ceil(Math.log10(most))]
  return {
    least: 10 ** low,
    most: 10 ** high,
    ticks: Array.from({ length: high - low + 1 }, (_, power) => 10 ** (low + power)),
    part: (value) => (Math.log10(value) - low) / (high - low || 1),
  }
}

function format(value: number): string {
  return value >= 1_000 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)))
}
