import { t } from '@lingui/core/macro'
import { Group, Text, VisuallyHidden } from '@mantine/core'
import { useFormat } from '../format.ts'
import { Empty } from '../layout/screen.tsx'
import type { FigureSeries } from './series.ts'

const colors = ['indigo-6', 'teal-6', 'orange-6', 'grape-6'].map((name) => `var(--mantine-color-${name})`)

/** Most labels below a plot. A phone shows every second one. */
const maxLabels = 6

type NamedSeries = FigureSeries & { readonly name: string }

const valueAt = ({ points }: FigureSeries, index: number) => Number(points[index]?.value ?? 0)

/**
 * A plot of series over the same points in time: a bar for each value, because a curve shows values between the points, where
 * there are none.
 */
export function Plot({ label, series }: { label: string; series: readonly NamedSeries[] }) {
  const format = useFormat()
  const points = series[0]?.points ?? []
  const currency = series[0]?.currency
  const show = (value: number | string) =>
    currency ? format.money({ amount: String(value), currency }) : format.number(value)
  const values = points.map((_, index) => series.map((each) => valueAt(each, index)))
  const extent = extentOf(values)
  if (extent.low === extent.high) return <Empty>{t`Nothing happened in this period.`}</Empty>
  const ticks = ticksOf(extent, currency ? 0.01 : 1)
  const range = { low: ticks[0] ?? 0, high: ticks.at(-1) ?? 1 }
  const textOf = (index: number) =>
    series.map(({ name }, at) => `${name}: ${show(values[index]?.[at] ?? 0)}`).join('\n')
  const labelEvery = Math.ceil(points.length / maxLabels)
  return (
    <figure className="plot">
      <VisuallyHidden>
        <table>
          <caption>{label}</caption>
          <thead>
            <tr>
              <th>{t`Date`}</th>
              {series.map(({ name }) => (
                <th key={name}>{name}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {points.map(({ start }, index) => (
              <tr key={start}>
                <th>{format.date(start)}</th>
                {series.map((each) => (
                  <td key={each.name}>{show(each.points[index]?.value ?? 0)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </VisuallyHidden>
      <div aria-hidden="true">
        {series.length > 1 && (
          <Group gap="md" justify="end" mb="sm">
            {series.map(({ name }, index) => (
              <Text key={name} size="xs" component="span" className="plot-name">
                <span style={{ background: colors[index % colors.length] }} />
                {name}
              </Text>
            ))}
          </Group>
        )}
        <div className="plot-area">
          {ticks.map((tick) => (
            <span key={tick} className="plot-tick" style={{ bottom: `${percentOf(tick, range)}%` }}>
              {format.compact(tick)}
            </span>
          ))}
          <Bars className="plot-bars" values={values} range={range} titleOf={textOf} starts={points} />
        </div>
        <div className="plot-labels">
          {points.map(({ start }, index) => (
            <span key={start}>
              {index % labelEvery === 0 && (
                <span className={(index / labelEvery) % 2 === 1 ? 'odd' : ''}>{format.short(start)}</span>
              )}
            </span>
          ))}
        </div>
      </div>
    </figure>
  )
}

/** The course of a figure, without axes. */
export function Spark({ series }: { series: FigureSeries }) {
  const values = series.points.map((_, index) => [valueAt(series, index)])
  return (
    <div aria-hidden="true">
      <Bars className="spark" values={values} range={extentOf(values)} starts={series.points} />
    </div>
  )
}

interface Range {
  readonly low: number
  readonly high: number
}

/** Returns the least and the greatest value, zero included. A day of refunds alone has a value below it. */
function extentOf(values: readonly (readonly number[])[]): Range {
  return { low: Math.min(0, ...values.flat()), high: Math.max(0, ...values.flat()) }
}

/** Returns how far above the lower edge a value is, in percent of the height. */
function percentOf(value: number, { low, high }: Range): number {
  return low === high ? 0 : (100 * (value - low)) / (high - low)
}

interface BarsProps {
  readonly className: string
  /** The values of each point. */
  readonly values: readonly (readonly number[])[]
  /** The values at the lower and the upper edge. Bars begin at zero. */
  readonly range: Range
  readonly starts: FigureSeries['points']
  readonly titleOf?: (index: number) => string
}

function Bars({ className, values, range, starts, titleOf }: BarsProps) {
  const zero = percentOf(0, range)
  const barOf = (value: number) => {
    const end = percentOf(value, range)
    return { height: `${Math.abs(end - zero)}%`, bottom: `${Math.min(end, zero)}%` }
  }
  return (
    <div className={className}>
      {starts.map(({ start }, index) => (
        <div key={start} title={titleOf?.(index)}>
          {values[index]?.map((value, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the series of a plot keep their order
            <span key={at} style={{ ...barOf(value), background: colors[at % colors.length] }} />
          ))}
        </div>
      ))}
    </div>
  )
}

/** Returns the values of the lines of a plot: zero, and up to six equal steps of 1, 2 or 5 times a power of ten. */
function ticksOf({ low, high }: Range, leastStep: number): number[] {
  const largest = high - low
  const power = 10 ** Math.floor(Math.log10(largest / 4))
  const step = Math.max(
    leastStep,
    [1, 2, 5, 10].map((each) => each * power).find((each) => each * 4 >= largest) ?? largest,
  )
  const first = Math.floor(low / step)
  return Array.from({ length: Math.ceil(high / step) - first + 1 }, (_, index) => (first + index) * step)
}
