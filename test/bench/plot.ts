/** Points of a plot, connected in their order. */
export interface Series {
  readonly name: string
  readonly colour: string
  readonly points: readonly (readonly [x: number, y: number])[]
}

const [width, height, margin] = [720, 360, 60]

/** Returns a plot of lines as SVG. Both axes begin at 0. */
export function plot(labels: { title: string; x: string; y: string }, series: readonly Series[]): string {
  const all = series.flatMap(({ points }) => points)
  const [maxX, maxY] = [Math.max(...all.map(([x]) => x)), Math.max(...all.map(([, y]) => y))]
  const place = ([x, y]: readonly [number, number]) =>
    `${(margin + (x / maxX) * (width - 2 * margin)).toFixed(1)},${(height - margin - (y / maxY) * (height - 2 * margin)).toFixed(1)}`
  const text = (x: number, y: number, words: string, more = '') => `<text x="${x}" y="${y}" ${more}>${words}</text>`
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">
<title>${labels.title}</title>
<rect width="${width}" height="${height}" fill="white"/>
<path d="M${place([0, maxY])} L${place([0, 0])} L${place([maxX, 0])}" fill="none" stroke="black"/>
${text(margin, 24, labels.title, 'font-size="14"')}
${text(margin, margin - 14, labels.y)}
${text(width - margin, height - 24, labels.x, 'text-anchor="end"')}
${text(margin - 6, height - margin, '0', 'text-anchor="end"')}
${text(margin - 6, margin + 6, maxY.toPrecision(3), 'text-anchor="end"')}
${text(width - margin, height - margin + 16, maxX.toLocaleString('en'), 'text-anchor="end"')}
${series
  .map(({ name, colour, points }, index) => {
    const line = `<polyline points="${points.map(place).join(' ')}" fill="none" stroke="${colour}" stroke-width="2"/>`
    return `${line}${text(width - margin, margin + 16 * index, name, `fill="${colour}" text-anchor="end"`)}`
  })
  .join('\n')}
</svg>
`
}
