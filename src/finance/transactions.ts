import { z } from 'zod'
import { ownAccount } from '../account/index.ts'
import type { Ctx } from '../db/context.ts'
import { emit } from '../events/index.ts'
import { check, name, sent, text } from '../kernel/check.ts'
import { invalid, refuse } from '../kernel/errors.ts'
import { idOf } from '../kernel/ids.ts'
import { amountOf, currencyCode, decimal } from '../kernel/money.ts'
import { again, type CustomerInput, checked, record as recordCustomer } from './customers.ts'
import { type Invoice, lock as lockInvoice } from './invoice-list.ts'
import { settle } from './invoices.ts'
import { byId as orderById } from './order-list.ts'
import { onceByEvent, type Reported } from './provider-events.ts'
import { mustMove } from './states.ts'
import { byId as subscriptionById } from './subscription-list.ts'
import { past } from './times.ts'
import { byId, lock, type Transaction, transactionColumns } from './transaction-list.ts'

export interface TransactionInput extends Reported {
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

const statuses = ['WAITING', 'PROCESSING', 'COMPLETED', 'REFUNDED', 'CANCELLED', 'ERROR'] as const

/** Where a transaction's coming to a status is news. */
const news = {
  COMPLETED: 'transaction.completed',
  REFUNDED: 'transaction.refunded',
  ERROR: 'transaction.error',
} as const

/**
 * Records money that moves, for an order, an invoice or a subscription, or for none of them. Whose it is follows from
 * these where no customer is given; so does its currency. Completed, it pays the invoice it names.
 *
 * Announces what its status says. Fails with NOT_FOUND for an order, invoice or subscription that is not there, and with
 * VALIDATION_ERROR, also for an `idTransaction` that is taken and for more than the invoice has open.
 */
export async function record(ctx: Ctx, input: TransactionInput): Promise<{ transaction: Transaction }> {
  const { idTransaction, status, type, currency, createdAt } = input
  const given = check(rules(ctx), sent({ idTransaction, status, type, currency, createdAt }))
  const buyer = input.customer == null ? undefined : checked(input.customer)
  const transaction = await onceByEvent(ctx, 'transactionRecord', input, byId, async (tx) => {
    const { order, subscription, invoice } = await parentsOf(tx, input)
    const parent = order ?? invoice ?? subscription
    const usual = parent?.currency ?? (await ownAccount(tx)).currency
    const row = { ...given, currency: given.currency ?? usual }
    const amount = amountOf(input.amount, row.currency, 'amount')
    if (invoice && invoice.currency !== row.currency)
      throw invalid({ currency: [`must be the invoice's: ${invoice.currency}`] })
    const customer = await customerOf(tx, buyer, input.createContact === true, parent?.customerId)
    const now = tx.clock.now()
    const [recorded] = await tx.sql<Transaction>`
      INSERT INTO transaction AS t (account_id, id_transaction, customer_id, order_id, invoice_id, subscription_id, status,
        type, amount, currency, created_at, updated_at)
      VALUES (${tx.sql.account}::int, ${row.idTransaction}, ${customer.id}::int, ${order?.id ?? null}::int,
        ${invoice?.id ?? null}::int, ${subscription?.id ?? null}::int, ${row.status}::transaction_status, ${row.type},
        ${amount.toString()}::numeric, ${row.currency}, ${row.createdAt ?? now}::timestamptz, ${now}::timestamptz)
      ON CONFLICT (account_id, id_transaction) DO NOTHING RETURNING ${transactionColumns}`
    if (!recorded) throw invalid({ idTransaction: ['is taken by another transaction'] })
    await arrive(tx, recorded, invoice)
    return recorded
  })
  return { transaction }
}

/**
 * Moves a transaction on. Announces what its new status says. Fails with NOT_FOUND where it cannot come to that from where
 * it stands, and with VALIDATION_ERROR where it would pay more than its invoice has open.
 */
export async function update(
  ctx: Ctx,
  input: Reported & { id: string | number; status: Transaction['status'] },
): Promise<{ transaction: Transaction }> {
  const transaction = await onceByEvent(ctx, 'transactionUpdate', input, byId, async (tx) => {
    const id = idOf('Transaction', input.id)
    // The invoice before the transaction, as everyone takes them; which one it is never changes.
    const known = await tx.load(byId, id)
    const paying = input.status === 'COMPLETED' && known !== null && known.invoiceId !== null
    const invoice = paying ? await lockInvoice(tx, known.invoiceId as number) : undefined
    const before = await lock(tx, id)
    mustMove('transaction', before.status, input.status)
    const [after] = await tx.sql<Transaction>`
      UPDATE transaction t SET status = ${input.status}::transaction_status, updated_at = ${tx.clock.now()}::timestamptz
      WHERE t.account_id = ${tx.sql.account} AND t.id = ${id} RETURNING ${transactionColumns}`
    await arrive(tx, after as Transaction, invoice)
    return after as Transaction
  })
  return { transaction }
}

/** What follows from the status that a transaction has come to. */
async function arrive(tx: Ctx, transaction: Transaction, invoice: Invoice | undefined): Promise<void> {
  const { id: transactionId, status } = transaction
  const amount = decimal(transaction.amount)
  if (invoice && status === 'COMPLETED' && !amount.isZero()) await settle(tx, invoice, amount)
  const type = news[status as keyof typeof news]
  if (type) await emit(tx, type, { transactionId })
}

const rules = (ctx: Ctx) =>
  z.object({
    idTransaction: name(255),
    status: z.enum(statuses).default('WAITING'),
    type: text(255).default('one_time'),
    currency: currencyCode.optional(),
    createdAt: past(ctx).optional(),
  })

/** What a transaction is for. An invoice that it pays is locked. */
async function parentsOf(tx: Ctx, { orderId, invoiceId, subscriptionId }: TransactionInput) {
  const order = orderId == null ? undefined : await tx.load(orderById, idOf('Order', orderId, 'orderId'))
  if (order === null) throw refuse('NOT_FOUND', 'There is no such order.')
  const subscription =
    subscriptionId == null
      ? undefined
      : await tx.load(subscriptionById, idOf('BillingSubscription', subscriptionId, 'subscriptionId'))
  if (subscription === null) throw refuse('NOT_FOUND', 'There is no such subscription.')
  const invoice = invoiceId == null ? undefined : await lockInvoice(tx, invoiceId, 'invoiceId')
  return { order, subscription, invoice }
}

async function customerOf(
  tx: Ctx,
  buyer: ReturnType<typeof checked> | undefined,
  createContact: boolean,
  parentsCustomer: number | undefined,
) {
  if (buyer) return recordCustomer(tx, buyer, createContact)
  if (parentsCustomer !== undefined) return again(tx, parentsCustomer)
  throw invalid({ customer: ['is required where no order, invoice or subscription tells whose it is'] })
}
