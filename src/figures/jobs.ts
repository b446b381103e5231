import type { System } from '../db/context.ts'
import type { Jobs } from '../db/jobs.ts'
import type { Metrics } from '../kernel/metrics.ts'
import { compactFigures } from './compaction.ts'
import { checkFigures, type Drift, fillFigures } from './reconciliation.ts'

/** Number of differences that are logged in one run. All are counted in the metric. */
const maxLogged = 100

/** Creates the jobs of figures. The metric `campanile_figure_drift` has the differences that the last check found. */
export function newFigureJobs(metrics: Pick<Metrics, 'watch'>): Jobs {
  let found: readonly Drift[] = []
  metrics.watch(
    'campanile_figure_drift',
    'Figures of objects that differed from their rows in the last check by this process.',
    ['figure'],
    () =>
      [...Map.groupBy(found, ({ figure }) => figure)].map(([figure, { length }]) => ({
        labels: { figure },
        value: length,
      })),
  )
  return {
    'figures:compact': compactFigures,
    'figures:fill': fillFigures,
    'figures:check': async (system: System) => {
      found = await checkFigures(system)
      for (const drift of found.slice(0, maxLogged)) system.log.warn(drift, 'a figure differs from its rows')
    },
  }
}
