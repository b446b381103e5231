import type { System } from '../db/context.ts'
import type { Jobs } from '../db/jobs/jobs.ts'
import type { Metrics } from '../kernel/telemetry/metrics.ts'
import { checkFigures, type Drift, type SkippedFigure } from './check.ts'
import { compactFigures } from './compaction.ts'

/** Number of differences that are logged in one run. All are counted in the metric. */
const maxLogged = 100

/**
 * Creates the jobs of figures. The metrics `campanile_figure_drift` and `campanile_figure_skipped` have the differences that the
 * last check found, and what it could not compare.
 */
export function newFigureJobs(metrics: Pick<Metrics, 'watch'>): Jobs {
  let found: readonly Drift[] = []
  let skipped: readonly SkippedFigure[] = []
  const watch = (name: string, help: string, list: () => readonly { readonly figure: string }[]) =>
    metrics.watch(name, help, ['figure'], () =>
      [...Map.groupBy(list(), ({ figure }) => figure)].map(([figure, { length }]) => ({
        labels: { figure },
        value: length,
      })),
    )
  watch(
    'campanile_figure_drift',
    'Figures of objects that differed from their rows in the last check by this process.',
    () => found,
  )
  watch(
    'campanile_figure_skipped',
    'Figures that the last check by this process could not compare with their rows in time.',
    () => skipped,
  )
  return {
    'figures:compact': compactFigures,
    'figures:check': async (system: System) => {
      const unknown: SkippedFigure[] = []
      found = await checkFigures(system, (part) => unknown.push(part))
      skipped = unknown
      for (const part of skipped.slice(0, maxLogged))
        system.log.warn(part, 'figures could not be compared with their rows')
      for (const drift of found.slice(0, maxLogged)) system.log.warn(drift, 'a figure differs from its rows')
    },
  }
}
