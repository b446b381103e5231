import { type ExportLink, exportLinks } from '../account/index.ts'
import { CampaignFilter } from '../campaigns/campaign.schema.ts'
import { ConsentFilter } from '../contacts/consent.schema.ts'
import { ContactFilter } from '../contacts/contact.schema.ts'
import { ImportFilter } from '../contacts/import.schema.ts'
import { TagFilter } from '../contacts/tag.schema.ts'
import { WebhookFilter } from '../events/webhooks/webhook.schema.ts'
import { CreditNoteFilter } from '../finance/credit-note.schema.ts'
import { CustomerFilter } from '../finance/customer.schema.ts'
import { InvoiceFilter } from '../finance/invoice.schema.ts'
import { OrderFilter } from '../finance/order.schema.ts'
import { BillingSubscriptionFilter } from '../finance/subscription.schema.ts'
import { TransactionFilter } from '../finance/transaction.schema.ts'
import { FormFilter } from '../forms/form.schema.ts'
import { SubmissionFilter } from '../forms/submission.schema.ts'
import { FunnelFilter } from '../funnels/funnel.schema.ts'
import { builder } from '../graphql/builder.ts'
import { invalid } from '../kernel/errors.ts'
import { SuppressionFilter } from '../mail/bounces/suppression.schema.ts'
import { RecipientFilter } from '../mail/delivery/recipient.schema.ts'
import { EnrolmentFilter } from '../sequences/enrolment.schema.ts'
import { SequenceFilter } from '../sequences/sequence.schema.ts'
import { type ExportList, exports } from './exports.ts'

const ExportListType = builder.enumType('ExportList', {
  description:
    'A list that can be taken away whole. Each needs the scope of its rows; one with columns of contacts needs `contacts:read` too.',
  values: {
    CONTACTS: { description: 'Contacts, with their tags and custom fields.' },
    TAGS: { description: 'Tags.' },
    CUSTOM_FIELDS: { description: 'Definitions of custom fields.' },
    CONSENTS: { description: 'What contacts agreed to and withdrew.' },
    CONTACT_IMPORTS: { description: 'Imports of contacts.' },
    RECIPIENTS: { description: 'Messages, to whomever they go. Needs `mail:read` and `contacts:read`.' },
    SUPPRESSIONS: { description: 'Addresses that are written to no more.' },
    SEQUENCES: { description: 'Sequences.' },
    ENROLMENTS: { description: 'Who is, and was, in which sequence. Needs `sequences:read` and `contacts:read`.' },
    CAMPAIGNS: { description: 'Campaigns.' },
    CUSTOMERS: { description: 'Customers.' },
    ORDERS: { description: 'Orders.' },
    TRANSACTIONS: { description: 'Transactions.' },
    INVOICES: { description: 'Invoices.' },
    CREDIT_NOTES: { description: 'Credit notes.' },
    SUBSCRIPTIONS: { description: 'Billing plans.' },
    FORMS: { description: 'Forms.' },
    SUBMISSIONS: { description: 'Submissions of forms, with their answers. Needs `forms:read` and `contacts:read`.' },
    FUNNELS: { description: 'Funnels.' },
    WEBHOOKS: { description: 'Webhooks, without their secrets.' },
  } satisfies Record<ExportList, { description: string }>,
})

const ExportFormatType = builder.enumType('ExportFormat', {
  description: 'How an export is written: in UTF-8, its columns named as the REST API calls them, its times in UTC.',
  values: {
    CSV: {
      description:
        'Cells parted by commas, with a header. A text that a spreadsheet would take for a formula begins with an apostrophe.',
    },
    NDJSON: { description: 'A JSON object on each line.' },
  },
})

const ExportFilter = builder.inputType('ExportFilter', {
  description: 'Which rows of a list are exported: the filter of that list.',
  fields: (t) => ({
    contacts: t.field({ type: ContactFilter, description: 'Which contacts.' }),
    tags: t.field({ type: TagFilter, description: 'Which tags.' }),
    consents: t.field({ type: ConsentFilter, description: 'Which consents.' }),
    contactImports: t.field({ type: ImportFilter, description: 'Which imports.' }),
    recipients: t.field({ type: RecipientFilter, description: 'Which messages.' }),
    suppressions: t.field({ type: SuppressionFilter, description: 'Which suppressions.' }),
    sequences: t.field({ type: SequenceFilter, description: 'Which sequences.' }),
    enrolments: t.field({ type: EnrolmentFilter, description: 'Which enrolments.' }),
    campaigns: t.field({ type: CampaignFilter, description: 'Which campaigns.' }),
    customers: t.field({ type: CustomerFilter, description: 'Which customers.' }),
    orders: t.field({ type: OrderFilter, description: 'Which orders.' }),
    transactions: t.field({ type: TransactionFilter, description: 'Which transactions.' }),
    invoices: t.field({ type: InvoiceFilter, description: 'Which invoices.' }),
    creditNotes: t.field({ type: CreditNoteFilter, description: 'Which credit notes.' }),
    subscriptions: t.field({ type: BillingSubscriptionFilter, description: 'Which billing plans.' }),
    forms: t.field({ type: FormFilter, description: 'Which forms.' }),
    submissions: t.field({ type: SubmissionFilter, description: 'Which submissions.' }),
    funnels: t.field({ type: FunnelFilter, description: 'Which funnels.' }),
    webhooks: t.field({ type: WebhookFilter, description: 'Which webhooks.' }),
  }),
})

const ExportLinkType = builder.objectRef<ExportLink>('ExportLink').implement({
  description: 'Where a list can be taken away.',
  fields: (t) => ({
    url: t.exposeString('url', { description: 'The address of the file: it holds all rows, and needs no key.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'Until when it is good, if the key is.' }),
  }),
})

builder.queryField('exportLink', (t) =>
  t.field({
    type: ExportLinkType,
    description:
      'A link under which a list can be taken away whole, the oldest row first. It is good for an hour, and as long as the key is.\n\nNeeds the scopes that the list needs.',
    args: {
      list: t.arg({ type: ExportListType, required: true, description: 'Which list.' }),
      format: t.arg({ type: ExportFormatType, required: true, defaultValue: 'CSV', description: 'How it is written.' }),
      filter: t.arg({ type: ExportFilter, description: 'Which rows; all where absent.' }),
    },
    resolve: (_root, { list, format, filter }, ctx) => {
      const own = list.toLowerCase().replace(/_[a-z]/g, (letter) => letter.slice(1).toUpperCase())
      const given = Object.entries(filter ?? {}).filter(([, each]) => each != null)
      const other = given.find(([name]) => name !== own)
      if (other) throw invalid({ filter: [`of ${other[0]} says nothing of ${list}`] })
      return exportLinks.linkTo(ctx, exports, { list, format, filter: (given[0]?.[1] ?? {}) as object })
    },
  }),
)
