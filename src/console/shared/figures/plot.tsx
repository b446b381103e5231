import { t } from '@lingui/core/macro'
import '@mantine/charts/styles.css'
import { AreaChart, Sparkline } from '@mantine/charts'
import { VisuallyHidden } from '@mantine/core'
import { useFormat } from '../format.ts'
import type { FigureSeries } from './series.ts'

const colors = ['indigo.6', 'teal.6', 'orange.6', 'grape.6']

type NamedSeries = FigureSeries & { readonly name: string }

/** A plot of series over the same points in time. */
export function Plot({ label, series }: { label: string; series: readonly NamedSeries[] }) {
  const format = useFormat()
  const points = series[0]?.points ?? []
  const currency = series[0]?.currency
  const show = (value: number | string) =>
    currency ? format.money({ amount: String(value), currency }) : format.number(value)
  const data = points.map(({ start }, index) => ({
    start: format.short(start),
    ...Object.fromEntries(series.map((each) => [each.name, Number(each.points[index]?.value ?? 0)])),
  }))
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
        <AreaChart
          h={230}
          data={data}
          dataKey="start"
          series={series.map(({ name }, index) => ({ name, color: colors[index % colors.length] as string }))}
          curveType="monotone"
          // A line needs two points.
          withDots={data.length < 3}
          withLegend={series.length > 1}
          legendProps={{ verticalAlign: 'top', height: 36 }}
          gridAxis="x"
          tickLine="none"
          strokeWidth={2}
          fillOpacity={0.15}
          valueFormatter={show}
          yAxisProps={{
            width: 48,
            allowDecimals: Boolean(currency),
            tickFormatter: (value: number) => format.compact(value),
          }}
          xAxisProps={{ minTickGap: 40 }}
          areaProps={{ isAnimationActive: false }}
          areaChartProps={{ accessibilityLayer: false }}
        />
      </div>
    </figure>
  )
}

/** The course of a figure, without axes. */
export function Spark({ series }: { series: FigureSeries }) {
  return (
    <div inert>
      <Sparkline
        h={36}
        data={series.points.map(({ value }) => Number(value))}
        color="indigo.5"
        fillOpacity={0.15}
        strokeWidth={1.5}
        curveType="monotone"
        areaProps={{ isAnimationActive: false }}
      />
    </div>
  )
}
