import * as z from 'zod'
import { one, route } from '../envelope/route.ts'
import type { Scope } from '../gateway/gateway.ts'
import { type ExportFilterInput, ExportLinkReadDocument } from '../generated/documents.ts'
import { periodFilter, queryWithPeriod } from '../input/period.ts'
import { isoMicroseconds } from '../values/time.ts'

/** The lists that can be exported, with the scope that each requires. */
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

/** The lists that accept a period of creation, with the GraphQL name of their filter. */
const filterOfList = {
  contacts: 'contacts',
  campaigns: 'campaigns',
  orders: 'orders',
  transactions: 'transactions',
  invoices: 'invoices',
  credit_notes: 'creditNotes',
  subscriptions: 'subscriptions',
  submissions: 'submissions',
} as const satisfies Partial<Record<(typeof lists)[number], string>>

const message = `is supported only for ${Object.keys(filterOfList).join(', ')}`

const exportLink = route('GET /v1/export', ExportLinkReadDocument, {
  id: 'ACC-EXPORT',
  scopes: ({ list }) =>
    Object.hasOwn(scopeOfList, String(list)) ? [scopeOfList[list as keyof typeof scopeOfList]] : [],
  group: 'Account',
  summary: 'Export a complete list as CSV or NDJSON',
  description:
    'With `bom=true`, a CSV file begins with a byte order mark, which Excel needs. Returns the URL of a file with all rows, oldest first. The URL is valid for one hour and needs no key. The key needs the scope of the list.',
  errors: ['INVALID_PERIOD', 'VALIDATION_ERROR'],
  query: queryWithPeriod({
    list: z.enum(lists, { error: `must be one of ${lists.join(', ')}` }),
    format: z.enum(['csv', 'ndjson'], { error: 'must be csv or ndjson' }).default('csv'),
    bom: z.enum(['true', 'false'], { error: 'must be true or false' }).default('false'),
  }).refine(({ list, period }) => period === undefined || list in filterOfList, { path: ['period'], message }),
  variables: ({ query }) => ({
    list: query.list.toUpperCase() as Uppercase<typeof query.list>,
    format: query.format.toUpperCase() as Uppercase<typeof query.format>,
    byteOrderMark: query.bom === 'true',
    filter:
      query.period &&
      ({
        [filterOfList[query.list as keyof typeof filterOfList]]: { createdAt: periodFilter(query) },
      } as ExportFilterInput),
  }),
  reply: one(z.strictObject({ url: z.string(), expires_at: z.string() }), ({ exportLink: { url, expiresAt } }) => ({
    url,
    expires_at: isoMicroseconds(expiresAt),
  })),
})

/** Exports of lists, an addition to the specification. */
export const exportRoutes = [exportLink]
