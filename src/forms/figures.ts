import { counted, type Figure } from '../db/figures/figures.ts'

const shared = { ...counted, needs: 'forms:read', objects: ['Account', 'Form'], source: 'submission' } as const

/** Figures of submissions. */
export const figures = {
  SUBMISSIONS_STARTED: { ...shared, description: 'Number of submissions that were started.' },
  SUBMISSIONS_COMPLETED: { ...shared, description: 'Number of submissions that were completed.' },
} as const satisfies Readonly<Record<string, Figure>>

/**
 * Figures of forms by parts, and the rows that they are counted from: submissions by state and answered questions, answers by
 * question and value.
 */
export const partFigures = {
  FORM_SUBMISSIONS: 'submission_parts',
  FORM_CHOICES: 'submission_parts',
  FORM_NUMBERS: 'submission_parts',
} as const

export type PartFigure = keyof typeof partFigures
