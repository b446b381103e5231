import { Group, Paper, Progress, type ProgressProps, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useFormat } from '../format.ts'
import { Muted } from '../layout/screen.tsx'
import { Spark } from './plot.tsx'
import type { FigureSeries } from './series.ts'

/** Figures that are amounts of money. Others have a currency too: that of the orders that they count. */
const amounts = new Set(['REVENUE', 'MRR', 'CHURNED_MRR'])

/** A figure with its change since the period before, and its course. */
export function SeriesFigure({ label, series }: { label: ReactNode; series: FigureSeries | null | undefined }) {
  const format = useFormat()
  if (!series) return <Figure label={label} value="–" />
  const { figure, total, previousTotal } = series
  const currency = amounts.has(figure) ? series.currency : null
  const before = Number(previousTotal)
  const change = before === 0 ? undefined : Number(total) / before - 1
  return (
    <Figure
      label={label}
      value={currency ? format.money({ amount: total, currency }) : format.number(total)}
      note={
        change !== undefined && (
          <Text span size="xs" fw={550} className={change < 0 ? 'falling' : 'rising'}>
            {change < 0 ? '↓' : '↑'} {format.percent(Math.abs(change))}
          </Text>
        )
      }
    >
      <Spark series={series} />
    </Figure>
  )
}

interface FigureProps {
  /** A text, or a link to what is counted. */
  readonly label: ReactNode
  readonly value: ReactNode
  readonly note?: ReactNode
  readonly children?: ReactNode
}

/** A number with its label. */
export function Figure({ label, value, note, children }: FigureProps) {
  return (
    <Paper p="sm">
      <Muted>{label}</Muted>
      <Group gap="0 var(--mantine-spacing-xs)" align="baseline" justify="space-between">
        <Text fz={22} fw={650} lh={1.4} truncate>
          {value}
        </Text>
        {typeof note === 'string' ? <Muted span>{note}</Muted> : note}
      </Group>
      {children}
    </Paper>
  )
}

/** A part of a whole as a bar. */
export function Bar({ value, of, label, ...bar }: ProgressProps & { readonly of: number; readonly label: string }) {
  return <Progress size="sm" {...bar} value={(100 * value) / Math.max(1, of)} aria-label={label} />
}
