import { z } from 'zod'
import { ownAccount } from '../../account/index.ts'
import type { Ctx } from '../../db/context.ts'
import { emit } from '../../events/index.ts'
import { invalid, refuseValue } from '../../kernel/errors.ts'
import { check, name, sent, text } from '../../kernel/values/check.ts'
import { idOf } from '../../kernel/values/ids.ts'
import { amountOf, currencyCode, decimal } from '../../kernel/values/money.ts'
import { type Invoice, lock as lockInvoice } from '../billing/invoice-list.ts'
import { applyPayment } from '../billing/invoices.ts'
import { type CustomerInput, checkCustomer, recordCustomer, refreshCustomer } from '../customers/customers.ts'
import { byId as orderById } from '../orders/order-list.ts'
import { runOncePerEvent, type WithProviderEvent } from '../recording/provider-events.ts'
import { mustBeTransition } from '../recording/status-transitions.ts'
import { pastTimestamp, rulesAt } from '../recording/timestamps.ts'
import { byId as subscriptionById } from '../subscriptions/subscription-list.ts'
import { byId, lock, type Transaction, transactionTable } from './transaction-list.ts'

interface TransactionInput extends WithProviderEvent {
  idTransaction: string
  customer?: CustomerInput | null | undefined
  createContact?: boolean | null | undefined
  orderId?: string | number | null | undefined
  invoiceId?: string | number | null | undefined
  subscriptionId?: string | number | null | undefined
  status?: Transaction['status'] | null | undefined
  type?: string | null | undefined
  amount: string
  currency?: string | null | undefined
  createdAt?: Date | null | undefined
}

interface StatusChange {
  id: string | number
  status: Transaction['status']
}

const statuses = ['WAITING', 'PROCESSING', 'COMPLETED', 'REFUNDED', 'CANCELLED', 'ERROR'] as const

/** The event that a transaction emits when it reaches a status. Other statuses have none of their own. */
const statusEvents = {
  COMPLETED: 'transaction.completed',
  REFUNDED: 'transaction.refunded',
  ERROR: 'transaction.error',
} as const

/**
 * Records a payment for an order, an invoice, a subscription, or none of them. Customer and currency default to theirs. A
 * completed transaction pays its invoice.
 *
 * Emits `transaction.created`, the event of its status (`statusEvents`), and `invoice.paid`. Throws NOT_FOUND for an order,
 * invoice or subscription that does not exist, and VALIDATION_ERROR, also if another transaction has the same `idTransaction`
 * and if the amount exceeds the open amount of the invoice.
 */
export async function record(ctx: Ctx, input: TransactionInput): Promise<{ transaction: Transaction }> {
  const { idTransaction, status, type, createdAt } = input
  const sentFields = sent({ idTransaction, status, type, currency: input.currency, createdAt })
  const fields = check(transactionRules(ctx), sentFields)
  const buyer = input.customer == null ? undefined : checkCustomer(input.customer)
  return runOncePerEvent(ctx, 'transactionRecord', input, { transaction: byId }, async (tx) => {
    const { order, subscription, invoice } = await loadParents(tx, input)
    const parent = order ?? invoice ?? subscription
    const currency = fields.currency ?? parent?.currency ?? (await ownAccount(tx)).currency
    const amount = amountOf(input.amount, currency, 'amount')
    if (invoice && invoice.currency !== currency) {
      throw invalid({ currency: [`must be the currency of the invoice: ${invoice.currency}`] })
    }
    const customer = await resolveCustomer(tx, buyer, input.createContact === true, parent?.customerId)
    const now = tx.clock.now()
    const [recorded] = await tx.sql<Transaction>`
      INSERT INTO transaction AS t (account_id, id_transaction, customer_id, order_id, invoice_id, subscription_id, status,
        type, amount, currency, created_at, updated_at)
      VALUES (${tx.sql.account}::int, ${fields.idTransaction}, ${customer.id}::int, ${order?.id ?? null}::int,
        ${invoice?.id ?? null}::int, ${subscription?.id ?? null}::int, ${fields.status}::transaction_status, ${fields.type},
        ${amount.toString()}::numeric, ${currency}, ${fields.createdAt ?? now}::timestamptz, ${now}::timestamptz)
      ON CONFLICT (account_id, id_transaction) DO NOTHING RETURNING ${transactionTable.columns}`
    if (!recorded) throw invalid({ idTransaction: ['is used by another transaction'] }, 'TAKEN')
    await payInvoice(tx, recorded, invoice)
    const event = statusEvent(recorded)
    await emit(tx, ['transaction.created', ...(event ? [event] : [])], { transactionId: recorded.id })
    return recorded
  })
}

/**
 * Changes the status of a transaction. A completed transaction pays its invoice. Emits the event of the new status
 * (`statusEvents`) or `transaction.updated`, and `invoice.paid`. Throws INVALID_STATE if the transition is not allowed, and
 * VALIDATION_ERROR if the amount exceeds the open amount of the invoice.
 */
export async function update(ctx: Ctx, input: WithProviderEvent & StatusChange): Promise<{ transaction: Transaction }> {
  return runOncePerEvent(ctx, 'transactionUpdate', input, { transaction: byId }, async (tx) => {
    const { before, invoice } = await lockWithInvoice(tx, input)
    const { id } = before
    mustBeTransition('transaction', before.status, input.status)
    const [after] = await tx.sql<Transaction>`
      UPDATE transaction t SET status = ${input.status}::transaction_status, updated_at = ${tx.clock.now()}::timestamptz
      WHERE t.account_id = ${tx.sql.account} AND t.id = ${id} RETURNING ${transactionTable.columns}`
    const changed = after as Transaction
    await payInvoice(tx, changed, invoice, 'id')
    await emit(tx, statusEvent(changed) ?? 'transaction.updated', { transactionId: id })
    return changed
  })
}

/** Returns a transaction, and locks it as `update` does. Throws NOT_FOUND. */
export async function lockForUpdate(tx: Ctx, input: StatusChange): Promise<Transaction> {
  return (await lockWithInvoice(tx, input)).before
}

/** Locks a transaction, and its invoice if the status pays it. */
async function lockWithInvoice(tx: Ctx, input: StatusChange) {
  const id = idOf('Transaction', input.id)
  // All operations lock the invoice before the transaction. The invoice of a transaction never changes.
  const invoiceId = (await tx.load(byId, id))?.invoiceId
  const invoice = input.status === 'COMPLETED' && invoiceId != null ? await lockInvoice(tx, invoiceId) : undefined
  return { before: await lock(tx, id), invoice }
}

/** Pays the invoice of a transaction that reached COMPLETED. `owner` as in `applyPayment`. */
async function payInvoice(
  tx: Ctx,
  transaction: Transaction,
  invoice: Invoice | undefined,
  owner?: 'id',
): Promise<void> {
  const amount = decimal(transaction.amount)
  if (invoice && transaction.status === 'COMPLETED' && !amount.isZero()) await applyPayment(tx, invoice, amount, owner)
}

function statusEvent({ status }: Transaction) {
  return (statusEvents as Partial<Record<string, (typeof statusEvents)[keyof typeof statusEvents]>>)[status]
}

const transactionRules = rulesAt((clock) =>
  z.object({
    idTransaction: name(255),
    status: z.enum(statuses).default('WAITING'),
    type: text(255).default('one_time'),
    currency: currencyCode.optional(),
    createdAt: pastTimestamp(clock).optional(),
  }),
)

/** Loads the order, the subscription and the invoice of a transaction, and locks the invoice. Throws NOT_FOUND. */
async function loadParents(tx: Ctx, { orderId, invoiceId, subscriptionId }: TransactionInput) {
  const order = orderId == null ? undefined : await tx.load(orderById, idOf('Order', orderId, 'orderId'))
  if (order === null) throw refuseValue('orderId', 'NOT_FOUND', 'There is no such order.')
  const subscription =
    subscriptionId == null
      ? undefined
      : await tx.load(subscriptionById, idOf('BillingSubscription', subscriptionId, 'subscriptionId'))
  if (subscription === null) throw refuseValue('subscriptionId', 'NOT_FOUND', 'There is no such subscription.')
  const invoice = invoiceId == null ? undefined : await lockInvoice(tx, invoiceId, 'invoiceId')
  return { order, subscription, invoice }
}

async function resolveCustomer(
  tx: Ctx,
  buyer: ReturnType<typeof checkCustomer> | undefined,
  createContact: boolean,
  parentCustomerId: number | undefined,
) {
  if (buyer) return recordCustomer(tx, buyer, createContact)
  if (parentCustomerId !== undefined) return refreshCustomer(tx, parentCustomerId)
  throw invalid({ customer: ['is required without an order, invoice or subscription'] }, 'REQUIRED')
}
