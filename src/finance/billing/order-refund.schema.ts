import { idText, requiredId } from '../../graphql/schema/descriptions.ts'
import { mutation } from '../../graphql/schema/mutation.ts'
import { OrderType } from '../orders/order.schema.ts'
import { lines, providerEventField } from '../recording/recording.schema.ts'
import { CreditNoteType } from './credit-note.schema.ts'
import * as orderRefunds from './order-refunds.ts'

mutation('orderRefund', {
  needs: 'finance:write',
  description:
    'Refunds a completed order, in part with `amount` or `lines`. A part is credited to the invoice of the order by one credit note, if there is an invoice that is not credited completely. When nothing is left of the order, its status becomes REFUNDED. Without `amount` and `lines`, all that is left is refunded and no invoice is credited; use `creditNoteIssue` for it. Transactions do not change; use `transactionUpdate` for them. Returns INVALID_STATE if the status of the order is not COMPLETED, and VALIDATION_ERROR if the part exceeds what is left of the order or of the invoice.',
  input: (t) => ({
    id: t.id(requiredId('the order')),
    amount: t.field({
      type: 'Decimal',
      description:
        'Part to refund, VAT included. Defaults to what is left of the order. On the credit note, it is apportioned among the VAT rates of the invoice. Not allowed together with `lines`.',
    }),
    lines: lines(
      t,
      'Lines to refund, as in `creditNoteIssue`: their total, VAT included, is refunded. They need an invoice of the order. Maximum 500.',
    ),
    invoiceId: t.id({
      description: `${idText('the invoice of the order to credit')} Required if several invoices of the order are not credited completely. Only with \`amount\` or \`lines\`.`,
    }),
    reason: t.string({
      description:
        'Reason of the credit, as on the credit note. Maximum 1,000 characters. Only with `amount` or `lines`, and if an invoice is credited.',
    }),
    ...providerEventField(t),
  }),
  run: orderRefunds.refund,
  payload: (t) => ({
    order: t.expose('order', { type: OrderType, description: 'The order after the change.' }),
    creditNote: t.expose('creditNote', {
      type: CreditNoteType,
      nullable: true,
      description: 'The credit note of the part. Null if no invoice was credited.',
    }),
  }),
})
