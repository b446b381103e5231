import type { Scope } from './scopes.ts'

/** Tables from whose rows figures are counted. */
export type FigureSource =
  | 'contact'
  | 'contact_consent'
  | 'contact_tag'
  | 'mail_recipient'
  | 'mail_open'
  | 'mail_click'
  | 'order'
  | 'billing_subscription'
  | 'submission'
  | 'visit'

/**
 * Figures that are counted by parts, and the rows that they are counted from: submissions of a form by state and answered
 * questions, answers by question and value, clicks by URL, enrolments by state. They are not series.
 */
export const partFigures = {
  FORM_SUBMISSIONS: 'submission_parts',
  FORM_CHOICES: 'submission_parts',
  FORM_NUMBERS: 'submission_parts',
  LINK_CLICKS: 'mail_click_parts',
  LINK_UNIQUE_CLICKS: 'mail_click_parts',
  ENROLMENTS: 'enrolment_parts',
} as const

/** Figures by parts that are states. Their parts have no time. */
export const partStates: readonly PartFigureName[] = ['ENROLMENTS']

export type PartFigureName = keyof typeof partFigures
export type PartSource = (typeof partFigures)[PartFigureName]

/** Objects that have series of figures. */
export type FigureObject =
  | 'Account'
  | 'Tag'
  | 'Segment'
  | 'Campaign'
  | 'Sequence'
  | 'SequenceStage'
  | 'Form'
  | 'Funnel'
  | 'FunnelStep'

/** A number that is counted over time. */
interface Figure {
  /** Scope that a key needs to read it. */
  readonly needs: Scope
  /** Whether values have a currency. Amounts do, and so do the numbers of orders and subscriptions. */
  readonly isByCurrency: boolean
  /** Whether values are amounts of money. */
  readonly isMoney: boolean
  /** Whether a value is a state at the end of an interval, and not the sum of the changes in it. */
  readonly isState: boolean
  readonly objects: readonly FigureObject[]
  /** The table whose rows are counted. Null if a job measures the figure, so that it cannot be compared with rows. */
  readonly source: FigureSource | null
  readonly description: string
}

const count = { isByCurrency: false, isMoney: false, isState: false } as const
const sales = { ...count, needs: 'finance:read', isByCurrency: true, objects: ['Account'] } as const
const audience = { ...count, needs: 'contacts:read', objects: ['Account'] } as const
const messages = {
  ...count,
  needs: 'mail:read',
  objects: ['Account', 'Campaign', 'Sequence', 'SequenceStage'],
} as const
const ofForm = { ...count, needs: 'forms:read', objects: ['Account', 'Form'], source: 'submission' } as const
const ofFunnel = { ...count, needs: 'funnels:read' } as const

/** All figures. */
export const figures = {
  REVENUE: {
    ...{ ...sales, isMoney: true, source: 'order' },
    description:
      'Total of the completed orders, by the time at which they were placed. Refunded orders are not included.',
  },
  ORDERS: {
    ...{ ...sales, source: 'order' },
    description: 'Number of completed orders, by the time at which they were placed.',
  },
  MRR: {
    ...{ ...sales, isMoney: true, isState: true, source: 'billing_subscription' },
    description:
      'Monthly recurring revenue: the amount per month of the subscriptions that are active at the end of the interval, trials included.',
  },
  CHURNED_SUBSCRIPTIONS: {
    ...{ ...sales, source: 'billing_subscription' },
    description: 'Number of subscriptions that ended and were not restarted.',
  },
  CHURNED_MRR: {
    ...{ ...sales, isMoney: true, source: 'billing_subscription' },
    description: 'Amount per month of the subscriptions that ended and were not restarted.',
  },
  NEW_CONTACTS: {
    ...{ ...audience, source: 'contact' },
    description: 'Number of contacts that were created, including those that were deleted since.',
  },
  UNSUBSCRIBES: {
    ...{ ...audience, source: 'contact_consent' },
    description: 'Number of times that a contact withdrew its consent to e-mail marketing.',
  },
  TAG_CONTACTS: {
    ...{ ...audience, objects: ['Tag'], isState: true, source: 'contact_tag' },
    description: 'Number of contacts that have the tag at the end of the interval.',
  },
  SEGMENT_CONTACTS: {
    ...{ ...audience, objects: ['Segment'], isState: true, source: null },
    description:
      'Number of contacts in the segment at the end of the interval. Counted when the segment is created or its filter is changed, and once a day.',
  },
  SENDS: {
    ...{ ...messages, source: 'mail_recipient' },
    description: 'Number of messages that the mail server accepted.',
  },
  OPENS: {
    ...{ ...messages, source: 'mail_open' },
    description: 'Number of opens. Opens of a message count up to 20 times, and opens by programs do not count.',
  },
  UNIQUE_OPENS: {
    ...{ ...messages, source: 'mail_recipient' },
    description: 'Number of messages that were opened, by the time of the first open.',
  },
  CLICKS: {
    ...{ ...messages, source: 'mail_click' },
    description:
      'Number of clicks on links. Clicks on a link of a message count up to 20 times, and clicks by programs do not count.',
  },
  UNIQUE_CLICKS: {
    ...{ ...messages, source: 'mail_recipient' },
    description: 'Number of messages with at least one click, by the time of the first click.',
  },
  SUBMISSIONS_STARTED: { ...ofForm, description: 'Number of submissions that were started.' },
  SUBMISSIONS_COMPLETED: { ...ofForm, description: 'Number of submissions that were completed.' },
  VISITS: {
    ...{ ...ofFunnel, objects: ['Account', 'Funnel', 'FunnelStep'], source: 'visit' },
    description:
      'Number of page views. Visits of bots do not count. The figure of a funnel is the sum of its present steps.',
  },
  OPT_INS: {
    ...{ ...ofFunnel, objects: ['Funnel', 'FunnelStep'], source: 'submission' },
    description: 'Number of completed submissions of the forms of the steps.',
  },
} as const satisfies Readonly<Record<string, Figure>>

export type FigureName = keyof typeof figures

/** A change of a figure at a time. Without `object`, it is a change of the whole account. */
export interface FigureChange {
  readonly figure: FigureName
  /** Type and integer ID of an object, from `figureObject`. */
  readonly object?: string
  readonly currency?: string
  readonly at: Date
  readonly value: string | number
}

/** Returns the key of an object in the roll-ups. */
export function figureObject(type: FigureObject, id: number): string {
  return type === 'Account' ? '' : `${type}:${id}`
}
