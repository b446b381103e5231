import { type ExportLink, exportLinks } from '../account/index.ts'
import { CampaignFilter } from '../campaigns/definition/campaign.schema.ts'
import { ConsentFilter } from '../contacts/consents/consent.schema.ts'
import { ContactFilter } from '../contacts/filters/contact-filter.schema.ts'
import { ImportFilter } from '../contacts/imports/import.schema.ts'
import { TagFilter } from '../contacts/tags/tag.schema.ts'
import { MediaFilter } from '../content/media/media.schema.ts'
import { WebhookFilter } from '../events/webhooks/webhook.schema.ts'
import { CreditNoteFilter } from '../finance/billing/credit-note.schema.ts'
import { InvoiceFilter } from '../finance/billing/invoice.schema.ts'
import { CustomerFilter } from '../finance/customers/customer.schema.ts'
import { OrderFilter } from '../finance/orders/order.schema.ts'
import { BillingSubscriptionFilter } from '../finance/subscriptions/subscription.schema.ts'
import { TransactionFilter } from '../finance/transactions/transaction.schema.ts'
import { FormFilter } from '../forms/form/form.schema.ts'
import { SubmissionFilter } from '../forms/submissions/submission.schema.ts'
import { FunnelFilter } from '../funnels/funnel/funnel.schema.ts'
import { builder } from '../graphql/schema/builder.ts'
import { invalid } from '../kernel/errors.ts'
import { RecipientFilter } from '../mail/recipients/recipient.schema.ts'
import { SuppressionFilter } from '../mail/suppressions/suppression.schema.ts'
import { SequenceFilter } from '../sequences/definition/sequence.schema.ts'
import { EnrolmentFilter } from '../sequences/enrolments/enrolment.schema.ts'
import { type ExportList, exports } from './exports.ts'

const ExportListType = builder.enumType('ExportList', {
  description:
    'A list that can be exported. Each list needs the read scope of its rows. A list with contact columns also needs the scope `CONTACTS_READ`.',
  values: {
    CONTACTS: { description: 'Contacts with their tags and custom fields.' },
    TAGS: { description: 'Tags without their contacts.' },
    CUSTOM_FIELDS: { description: 'Definitions of custom fields. Their values are part of CONTACTS.' },
    CONSENTS: { description: 'Consents that contacts gave or withdrew.' },
    CONTACT_IMPORTS: { description: 'Imports of contacts, with their numbers of rows.' },
    MEDIA: { description: 'Media files, without their bytes.' },
    RECIPIENTS: {
      description:
        'Recipients of messages, with their delivery status. Needs the scopes `MAIL_READ` and `CONTACTS_READ`.',
    },
    SUPPRESSIONS: { description: 'Suppressed e-mail addresses.' },
    SEQUENCES: { description: 'Sequences without their stages.' },
    ENROLMENTS: {
      description: 'Current and past enrolments in sequences. Needs the scopes `SEQUENCES_READ` and `CONTACTS_READ`.',
    },
    CAMPAIGNS: { description: 'Campaigns with subject, sender and numbers of recipients.' },
    CUSTOMERS: { description: 'Customers with their billing address.' },
    ORDERS: { description: 'Orders without their lines.' },
    TRANSACTIONS: { description: 'Payments, successful or not.' },
    INVOICES: { description: 'Invoices with their totals and what is paid of them.' },
    CREDIT_NOTES: { description: 'Credit notes with their totals, which are negative, and their invoice.' },
    SUBSCRIPTIONS: { description: 'Recurring sales, active or ended.' },
    FORMS: { description: 'Forms without their questions and submissions.' },
    SUBMISSIONS: {
      description: 'Form submissions with their answers. Needs the scopes `FORMS_READ` and `CONTACTS_READ`.',
    },
    FUNNELS: { description: 'Funnels without their steps.' },
    WEBHOOKS: { description: 'Webhooks without their secrets.' },
  } satisfies Record<ExportList, { description: string }>,
})

const ExportFormatType = builder.enumType('ExportFormat', {
  description: 'File format of an export. The file is UTF-8. Columns have the names of the REST API. Times are in UTC.',
  values: {
    CSV: {
      description:
        'Comma-separated values with a header. Text that a spreadsheet could run as a formula is prefixed with an apostrophe.',
    },
    NDJSON: { description: 'One JSON object per line.' },
  },
})

const ExportFilter = builder.inputType('ExportFilterInput', {
  description: 'Filter for the rows of an export. Exactly one field must be set: that of the exported list.',
  isOneOf: true,
  fields: (t) => ({
    contacts: t.field({ type: ContactFilter, description: 'Filter for contacts.' }),
    tags: t.field({ type: TagFilter, description: 'Filter for tags.' }),
    consents: t.field({ type: ConsentFilter, description: 'Filter for consents.' }),
    contactImports: t.field({ type: ImportFilter, description: 'Filter for contact imports.' }),
    media: t.field({ type: MediaFilter, description: 'Filter for media files.' }),
    recipients: t.field({ type: RecipientFilter, description: 'Filter for recipients.' }),
    suppressions: t.field({ type: SuppressionFilter, description: 'Filter for suppressions.' }),
    sequences: t.field({ type: SequenceFilter, description: 'Filter for sequences.' }),
    enrolments: t.field({ type: EnrolmentFilter, description: 'Filter for enrolments.' }),
    campaigns: t.field({ type: CampaignFilter, description: 'Filter for campaigns.' }),
    customers: t.field({ type: CustomerFilter, description: 'Filter for customers.' }),
    orders: t.field({ type: OrderFilter, description: 'Filter for orders.' }),
    transactions: t.field({ type: TransactionFilter, description: 'Filter for transactions.' }),
    invoices: t.field({ type: InvoiceFilter, description: 'Filter for invoices.' }),
    creditNotes: t.field({ type: CreditNoteFilter, description: 'Filter for credit notes.' }),
    subscriptions: t.field({ type: BillingSubscriptionFilter, description: 'Filter for billing subscriptions.' }),
    forms: t.field({ type: FormFilter, description: 'Filter for forms.' }),
    submissions: t.field({ type: SubmissionFilter, description: 'Filter for form submissions.' }),
    funnels: t.field({ type: FunnelFilter, description: 'Filter for funnels.' }),
    webhooks: t.field({ type: WebhookFilter, description: 'Filter for webhooks.' }),
  }),
})

export const ExportLinkType = builder.objectRef<ExportLink>('ExportLink').implement({
  description: 'Download link of an export.',
  fields: (t) => ({
    url: t.exposeString('url', { description: 'URL of the file. The request needs no API key.' }),
    expiresAt: t.exposeTime('expiresAt', {
      description: 'Time at which the link expires. It expires earlier if the API key is disabled.',
    }),
  }),
})

builder.queryField('exportLink', (t) =>
  t.field({
    type: ExportLinkType,
    description:
      'Returns a link to download all rows of a list, oldest first. The link is valid for one hour, unless the API key is disabled before.\n\nNeeds the scopes of the list.',
    args: {
      list: t.arg({ type: ExportListType, required: true, description: 'List to export.' }),
      format: t.arg({ type: ExportFormatType, required: true, defaultValue: 'CSV', description: 'File format.' }),
      filter: t.arg({ type: ExportFilter, description: 'Filter for the rows. All rows if absent.' }),
      byteOrderMark: t.arg.boolean({
        required: true,
        defaultValue: false,
        description: 'Whether the file begins with a byte order mark. Excel needs it to read CSV as UTF-8.',
      }),
    },
    resolve: (_root, { list, format, filter, byteOrderMark }, ctx) => {
      const field = list.toLowerCase().replace(/_[a-z]/g, (letter) => letter.slice(1).toUpperCase())
      const [[name, value] = [field, {}]] = Object.entries<object>(filter ?? {})
      if (name !== field) throw invalid({ [`filter.${name}`]: [`is not the filter of the list ${list}`] })
      return exportLinks.linkTo(ctx, exports, {
        list,
        format,
        filter: value,
        filterPath: `filter.${name}`,
        hasMark: byteOrderMark,
      })
    },
  }),
)
