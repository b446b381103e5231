import { eventObject, resourceFields } from '../events/feed/event-object.schema.ts'
import { CreditNoteType } from './billing/credit-note.schema.ts'
import { InvoiceType } from './billing/invoice.schema.ts'
import { BillingProfileType } from './billing-profile/billing-profile.schema.ts'
import * as billingProfile from './billing-profile/billing-profile.ts'
import { OrderType } from './orders/order.schema.ts'
import { BillingSubscriptionType } from './subscriptions/subscription.schema.ts'
import { TransactionType } from './transactions/transaction.schema.ts'

eventObject('OrderEvent', 'An event of an order.', (t) => resourceFields(t, 'order', OrderType))

eventObject('TransactionEvent', 'An event of a transaction.', (t) => resourceFields(t, 'transaction', TransactionType))

eventObject('TransactionChangeEvent', 'A transaction was created or updated.', (t) =>
  resourceFields(t, 'transaction', TransactionType),
)

eventObject('BillingProfileChangeEvent', 'The billing profile was updated.', (t) => ({
  billingProfile: t.field({
    type: BillingProfileType,
    description: 'Current billing profile of the account.',
    resolve: (_event, _args, ctx) => billingProfile.load(ctx),
  }),
}))

eventObject('InvoiceEvent', 'An event of an invoice.', (t) => resourceFields(t, 'invoice', InvoiceType))

eventObject('CreditNoteEvent', 'An event of a credit note.', (t) => resourceFields(t, 'creditNote', CreditNoteType))

eventObject('BillingSubscriptionEvent', 'An event of a billing subscription.', (t) =>
  resourceFields(t, 'subscription', BillingSubscriptionType),
)
