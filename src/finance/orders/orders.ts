import { z } from 'zod'
import { ownAccount } from '../../account/index.ts'
import { type AcceptedTerms, GivenAttribution, recordActivity } from '../../contacts/index.ts'
import type { Ctx } from '../../db/context.ts'
import { emit } from '../../events/index.ts'
import { invalid } from '../../kernel/errors.ts'
import { check, name, sent, text } from '../../kernel/values/check.ts'
import { amountOf, currencyCode, type Decimal, decimal } from '../../kernel/values/money.ts'
import { computeLines, computeTotals, type Line, type LineInput, type VatCalculation } from '../amounts.ts'
import { vatCalculationOf } from '../billing-profile/billing-profile.ts'
import { checkCustomer, recordCustomer, type WithCustomer } from '../customers/customers.ts'
import { ports } from '../ports.ts'
import { runOncePerEvent, type WithProviderEvent } from '../recording/provider-events.ts'
import { mustBeTransition } from '../recording/status-transitions.ts'
import { pastTimestamp, rulesAt } from '../recording/timestamps.ts'
import { countOrder } from './order-figures.ts'
import { byId, lock, type Order, orderTable } from './order-list.ts'

interface OrderInput extends WithCustomer, WithProviderEvent {
  idOrder: string
  type?: string | null | undefined
  status?: 'WAITING' | 'COMPLETED' | null | undefined
  currency?: string | null | undefined
  amount?: string | null | undefined
  lines?: readonly LineInput[] | null | undefined
  pricesInclVat?: boolean | null | undefined
  stepId?: string | number | null | undefined
  attribution?: readonly { key: string; value: string }[] | null | undefined
  /** Terms that the buyer accepted on a page. No client can set them. */
  acceptedTerms?: readonly AcceptedTerms[] | undefined
  createdAt?: Date | null | undefined
}

interface OrderRef extends WithProviderEvent {
  id: string | number
}

/**
 * Records an order. With lines, its amount is their total, VAT included; a given amount must equal it. The customer is
 * created if there is none with the e-mail address.
 *
 * Emits `order.created`, and `order.completed` if its status is COMPLETED. Throws VALIDATION_ERROR, also if another order has
 * the same `idOrder` and if the funnel step does not exist.
 */
export async function record(ctx: Ctx, input: OrderInput): Promise<{ order: Order }> {
  const {
    customer,
    createContact,
    keepsCustomer,
    lines,
    pricesInclVat,
    amount,
    stepId,
    acceptedTerms = [],
    providerEvent: _event,
    ...rest
  } = input
  const currency = input.currency ?? (await ownAccount(ctx)).currency
  const fields = check(orderRules(ctx), { ...sent(rest), currency })
  const buyer = checkCustomer(customer)
  const vatCalculation = await vatCalculationOf(ctx, pricesInclVat)
  const amounts = { ...resolveAmount(lines, amount, fields.currency, vatCalculation), vatCalculation }
  return runOncePerEvent(ctx, 'orderRecord', input, { order: byId }, async (tx) => {
    const step = stepId == null ? null : await ports.mustBeStep(tx, stepId)
    const { id: customerId, contactId } = await recordCustomer(tx, buyer, createContact === true, keepsCustomer)
    const recorded = await insert(tx, { ...fields, ...amounts, step, customerId, acceptedTerms })
    await countOrder(tx, undefined, recorded)
    await recordActivity(tx, [contactId])
    const events = recorded.status === 'COMPLETED' ? (['order.created', 'order.completed'] as const) : 'order.created'
    await emit(tx, events, { orderId: recorded.id })
    return recorded
  })
}

/** Completes a waiting order. Emits `order.completed`. Throws INVALID_STATE if its status is not WAITING. */
export async function complete(ctx: Ctx, input: OrderRef): Promise<{ order: Order }> {
  return runOncePerEvent(ctx, 'orderComplete', input, { order: byId }, async (tx) => {
    const before = await lock(tx, input.id)
    mustBeTransition('order', before.status, 'COMPLETED')
    return change(tx, before, { ...before, status: 'COMPLETED', completedAt: tx.clock.now() }, 'order.completed')
  })
}

/** Cancels a waiting order. Emits `order.cancelled`. Throws INVALID_STATE if its status is not WAITING. */
export async function cancel(ctx: Ctx, input: OrderRef): Promise<{ order: Order }> {
  return runOncePerEvent(ctx, 'orderCancel', input, { order: byId }, async (tx) => {
    const before = await lock(tx, input.id)
    mustBeTransition('order', before.status, 'CANCELLED')
    return change(tx, before, { ...before, status: 'CANCELLED' }, 'order.cancelled')
  })
}

/**
 * Adds a refund to a completed order whose row the caller has locked. `amount` is what is left of the order at most. If nothing
 * is left, the order is refunded. Emits `order.refunded` or `order.partially_refunded`.
 */
export async function addRefund(tx: Ctx, before: Order, amount: Decimal): Promise<Order> {
  const refunded = decimal(before.refundedAmount).plus(amount)
  const [status, event] = refunded.eq(before.amount)
    ? (['REFUNDED', 'order.refunded'] as const)
    : (['COMPLETED', 'order.partially_refunded'] as const)
  return change(tx, before, { ...before, status, refundedAmount: refunded.toString() }, event)
}

/** Stores status, refund and time of completion of an order. Adds the difference to the figures, and emits the event. */
async function change(
  tx: Ctx,
  before: Order,
  { id, status, refundedAmount, completedAt }: Order,
  event: 'order.completed' | 'order.cancelled' | 'order.refunded' | 'order.partially_refunded',
): Promise<Order> {
  const [row] = await tx.sql<Order>`
    UPDATE "order" o SET status = ${status}::order_status, refunded_amount = ${refundedAmount}::numeric,
      completed_at = ${completedAt}::timestamptz, updated_at = ${tx.clock.now()}::timestamptz
    WHERE o.account_id = ${tx.sql.account} AND o.id = ${id} RETURNING ${orderTable.columns}`
  const after = row as Order
  await countOrder(tx, before, after)
  await emit(tx, event, { orderId: id })
  return after
}

const orderRules = rulesAt((clock) =>
  z.object({
    idOrder: name(255),
    type: text(255).default(''),
    status: z.enum(['WAITING', 'COMPLETED']).default('WAITING'),
    currency: currencyCode,
    attribution: GivenAttribution.default({}),
    createdAt: pastTimestamp(clock).optional(),
  }),
)

type NewOrder = z.output<ReturnType<typeof orderRules>> & {
  lines: readonly Line[]
  amount: string
  vatCalculation: VatCalculation
  step: number | null
  customerId: number
  acceptedTerms: readonly AcceptedTerms[]
}

function resolveAmount(
  lines: OrderInput['lines'],
  amount: OrderInput['amount'],
  currency: string,
  vatCalculation: VatCalculation,
): { lines: readonly Line[]; amount: string } {
  const stated = amount == null ? undefined : amountOf(amount, currency, 'amount')
  if (!lines) {
    if (!stated) throw invalid({ amount: ['is required without lines'] }, 'REQUIRED')
    return { lines: [], amount: stated.toString() }
  }
  const computed = computeLines(lines, currency, vatCalculation)
  const { amountInclVat } = computeTotals(computed)
  if (stated && !stated.eq(decimal(amountInclVat))) {
    throw invalid({ amount: [`must equal the total of the lines, VAT included: ${amountInclVat}`] })
  }
  return { lines: computed, amount: amountInclVat }
}

async function insert(tx: Ctx, fields: NewOrder): Promise<Order> {
  const now = tx.clock.now()
  const createdAt = fields.createdAt ?? now
  const [order] = await tx.sql<Order>`
    INSERT INTO "order" AS o (account_id, id_order, customer_id, type, status, amount, currency, vat_calculation, step_id, attribution,
      accepted_terms, created_at, updated_at, completed_at)
    VALUES (${tx.sql.account}::int, ${fields.idOrder}, ${fields.customerId}::int, ${fields.type},
      ${fields.status}::order_status, ${fields.amount}::numeric, ${fields.currency},
      ${fields.vatCalculation}::vat_calculation, ${fields.step}::int,
      ${JSON.stringify(fields.attribution)}::jsonb, ${JSON.stringify(fields.acceptedTerms)}::jsonb, ${createdAt}::timestamptz, ${now}::timestamptz,
      ${fields.status === 'COMPLETED' ? createdAt : null}::timestamptz)
    ON CONFLICT (account_id, id_order) DO NOTHING RETURNING ${orderTable.columns}`
  if (!order) throw invalid({ idOrder: ['is used by another order'] }, 'TAKEN')
  if (fields.lines.length > 0) {
    await tx.sql.later`
      INSERT INTO order_line (account_id, order_id, position, name, quantity, unit_price, vat_rate, amount, vat)
      SELECT ${tx.sql.account}::int, ${order.id}::int, place, line->>'name', (line->>'quantity')::int,
        (line->>'unitPrice')::numeric, (line->>'vatRate')::numeric, (line->>'amount')::numeric, (line->>'vat')::numeric
      FROM jsonb_array_elements(${JSON.stringify(fields.lines)}::jsonb) WITH ORDINALITY AS given(line, place)`
  }
  return order
}
