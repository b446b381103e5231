import * as z from 'zod'
import { ExportLinkReadDocument } from '../generated/documents.ts'
import { periodFilter, withPeriod } from '../period.ts'
import { one, route } from '../route.ts'
import { isoMicroseconds } from '../time.ts'

const lists = [
  'contacts',
  'tags',
  'custom_fields',
  'consents',
  'contact_imports',
  'recipients',
  'suppressions',
  'sequences',
  'enrolments',
  'campaigns',
  'customers',
  'orders',
  'transactions',
  'invoices',
  'credit_notes',
  'subscriptions',
  'forms',
  'submissions',
  'funnels',
  'webhooks',
] as const

/** Those that may be narrowed to a period of creation, and what the graph calls their filter. */
const ofPeriod = {
  contacts: 'contacts',
  campaigns: 'campaigns',
  orders: 'orders',
  transactions: 'transactions',
  invoices: 'invoices',
  credit_notes: 'creditNotes',
  subscriptions: 'subscriptions',
  submissions: 'submissions',
} as const satisfies Partial<Record<(typeof lists)[number], string>>

const message = `is possible for ${Object.keys(ofPeriod).join(', ')}`

const exportLink = route(ExportLinkReadDocument, {
  id: 'ACC-EXPORT',
  method: 'GET',
  path: '/v1/export',
  group: 'Account',
  summary: 'Take a list away whole, as CSV or NDJSON',
  description:
    'Answers a link to a file with all rows, the oldest first, which is good for an hour and needs no key. A key needs the scope of the list.',
  errors: ['INVALID_PERIOD', 'VALIDATION_ERROR'],
  query: withPeriod({
    list: z.enum(lists, { error: `must be one of ${lists.join(', ')}` }),
    format: z.enum(['csv', 'ndjson'], { error: 'must be csv or ndjson' }).default('csv'),
  }).refine(({ list, period }) => period === undefined || list in ofPeriod, { path: ['period'], message }),
  variables: ({ query }) => ({
    list: query.list.toUpperCase() as Uppercase<typeof query.list>,
    format: query.format.toUpperCase() as Uppercase<typeof query.format>,
    filter: query.period && { [ofPeriod[query.list as keyof typeof ofPeriod]]: periodFilter(query) },
  }),
  reply: one(z.strictObject({ url: z.string(), expires_at: z.string() }), ({ exportLink: { url, expiresAt } }) => ({
    url,
    expires_at: isoMicroseconds(expiresAt),
  })),
})

/** Lists as files (design, 8: additions). */
export const exportRoutes = [exportLink]
