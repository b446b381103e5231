import * as z from 'zod'
import type { Scope } from '../gateway.ts'
import { ExportLinkReadDocument } from '../generated/documents.ts'
import { periodFilter, withPeriod } from '../period.ts'
import { one, route } from '../route.ts'
import { isoMicroseconds } from '../time.ts'

/** The lists that can be exported, with the scope that each needs. */
const scopeOfList = {
  contacts: 'contacts:read',
  tags: 'contacts:read',
  custom_fields: 'contacts:read',
  consents: 'contacts:read',
  contact_imports: 'contacts:read',
  recipients: 'mail:read',
  suppressions: 'mail:read',
  sequences: 'sequences:read',
  enrolments: 'sequences:read',
  campaigns: 'campaigns:read',
  customers: 'finance:read',
  orders: 'finance:read',
  transactions: 'finance:read',
  invoices: 'finance:read',
  credit_notes: 'finance:read',
  subscriptions: 'finance:read',
  forms: 'forms:read',
  submissions: 'forms:read',
  funnels: 'funnels:read',
  webhooks: 'events:read',
} as const satisfies Record<string, Scope>

const lists = Object.keys(scopeOfList) as [keyof typeof scopeOfList, ...(keyof typeof scopeOfList)[]]

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
  needs: ({ list }) =>
    Object.hasOwn(scopeOfList, String(list)) ? [scopeOfList[list as keyof typeof scopeOfList]] : [],
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
