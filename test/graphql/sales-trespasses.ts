import { type ForeignAccess, type Parties, refusedMutation } from './foreign.ts'

/** Access to customers, orders, payments, invoices and subscriptions of another account. */
export function listForeignSalesAccess(parties: Parties): Record<string, readonly ForeignAccess[]> {
  const { foreign, form } = parties
  return {
    customer: [{ names: ['id'], args: { id: form(foreign.customer) }, select: 'id', comes: null }],
    order: [
      { names: ['ref.id'], args: { ref: { id: form(foreign.order) } }, select: 'id', comes: null },
      { names: [], args: { ref: { idOrder: foreign.order.idOrder } }, select: 'id', comes: null },
    ],
    transaction: [{ names: ['id'], args: { id: form(foreign.transaction) }, select: 'id', comes: null }],
    invoice: [{ names: ['id'], args: { id: form(foreign.invoice) }, select: 'id', comes: null }],
    creditNote: [{ names: ['id'], args: { id: form(foreign.creditNote) }, select: 'id', comes: null }],
    billingSubscription: [
      { names: ['id'], args: { id: form(foreign.billingSubscription) }, select: 'id', comes: null },
    ],
    orderRecord: [
      {
        ...refusedMutation(
          ['input.stepId'],
          { idOrder: 'new', amount: '1', customer: { email: 'new@example.com' }, stepId: form(foreign.step) },
          'order { id }',
        ),
        comes: 'VALIDATION_ERROR',
      },
    ],
    orderComplete: [refusedMutation(['input.id'], { id: form(foreign.order) }, 'order { id }')],
    orderCancel: [refusedMutation(['input.id'], { id: form(foreign.order) }, 'order { id }')],
    orderRefund: [
      refusedMutation(['input.id'], { id: form(foreign.order) }, 'order { id }'),
      refusedMutation(
        ['input.invoiceId'],
        { id: form(parties.own.order), amount: '1', invoiceId: form(foreign.invoice) },
        'order { id }',
      ),
    ],
    transactionRecord: Object.entries({
      orderId: foreign.order,
      invoiceId: foreign.invoice,
      subscriptionId: foreign.billingSubscription,
    }).map(([name, thing]) =>
      refusedMutation(
        [`input.${name}`],
        { idTransaction: 'new', amount: '1', [name]: form(thing) },
        'transaction { id }',
      ),
    ),
    transactionUpdate: [
      refusedMutation(['input.id'], { id: form(foreign.transaction), status: 'COMPLETED' }, 'transaction { id }'),
    ],
    invoiceIssue: [refusedMutation(['input.orderId'], { orderId: form(foreign.order) }, 'invoice { id }')],
    invoicePay: [refusedMutation(['input.id'], { id: form(foreign.invoice) }, 'invoice { id }')],
    creditNoteIssue: [refusedMutation(['input.invoiceId'], { invoiceId: form(foreign.invoice) }, 'creditNote { id }')],
    subscriptionRenew: [
      refusedMutation(['input.id'], { id: form(foreign.billingSubscription) }, 'subscription { id }'),
    ],
    subscriptionFail: [refusedMutation(['input.id'], { id: form(foreign.billingSubscription) }, 'subscription { id }')],
    subscriptionEnd: [refusedMutation(['input.id'], { id: form(foreign.billingSubscription) }, 'subscription { id }')],
    subscriptionRestart: [
      refusedMutation(['input.id'], { id: form(foreign.billingSubscription) }, 'subscription { id }'),
    ],
  }
}
