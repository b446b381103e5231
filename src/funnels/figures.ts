import { counted, type Figure } from '../db/figures/figures.ts'

const shared = { ...counted, needs: 'funnels:read' } as const

/** Figures of funnels. */
export const figures = {
  VISITS: {
    ...shared,
    objects: ['Account', 'Funnel', 'FunnelStep'],
    source: 'visit',
    description:
      'Number of page views. Visits of bots do not count. The figure of a funnel is the sum of its present steps.',
  },
  OPT_INS: {
    ...shared,
    objects: ['Funnel', 'FunnelStep'],
    source: 'submission',
    description: 'Number of completed submissions of the forms of the steps, without those of order forms.',
  },
} as const satisfies Readonly<Record<string, Figure>>
