import { z } from 'zod'
import { ownAccount } from '../account/index.ts'
import type { Ctx } from '../db/context.ts'
import { emit } from '../events/index.ts'
import { GivenAttribution } from '../kernel/attribution.ts'
import { check, name, sent, text } from '../kernel/check.ts'
import { invalid } from '../kernel/errors.ts'
import { amountOf, currencyCode, decimal } from '../kernel/money.ts'
import { type Line, type LineInput, linesOf, totalsOf } from './amounts.ts'
import { checked, type ForCustomer, record as recordCustomer } from './customers.ts'
import { byId, lock, type Order, orderColumns } from './order-list.ts'
import { ports } from './ports.ts'
import { onceByEvent, type Reported } from './provider-events.ts'
import { mustMove } from './states.ts'
import { past } from './times.ts'

export interface OrderInput extends ForCustomer, Reported {
  idOrder: string
  type?: string | null | undefined
  status?: 'WAITING' | 'COMPLETED' | null | undefined
  currency?: string | null | undefined
  amount?: string | null | undefined
  lines?: readonly LineInput[] | null | undefined
  stepId?: string | number | null | undefined
  attribution?: readonly { key: string; value: string }[] | null | undefined
  createdAt?: Date | null | undefined
}

export interface Moved extends Reported {
  id: string | number
}

/**
 * Records a purchase. With lines its amount is what they come to, VAT included; an amount that is given besides must be
 * the same. The customer is found by address, or made.
 *
 * Announces `order.created`, and `order.completed` where it is. Fails with VALIDATION_ERROR, also for an `idOrder` that is
 * taken and a step that the account does not have.
 */
export async function record(ctx: Ctx, input: OrderInput): Promise<{ order: Order }> {
  const { customer, createContact, keepsCustomer, lines, amount, stepId, providerEvent: _event, ...rest } = input
  const currency = input.currency ?? (await ownAccount(ctx)).currency
  const given = check(orderRules(ctx), { ...sent(rest), currency })
  const buyer = checked(customer)
  const made = amountsOf(lines, amount, given.currency)
  const order = await onceByEvent(ctx, 'orderRecord', input, byId, async (tx) => {
    const step = stepId == null ? null : await ports.mustBeStep(tx, stepId)
    const { id: customerId } = await recordCustomer(tx, buyer, createContact === true, keepsCustomer)
    const recorded = await insert(tx, { ...given, ...made, step, customerId })
    await emit(tx, 'order.created', { orderId: recorded.id })
    if (recorded.status === 'COMPLETED') await emit(tx, 'order.completed', { orderId: recorded.id })
    return recorded
  })
  return { order }
}

/** Completes an order that waits. Announces `order.completed`. Fails with NOT_FOUND where it does not wait. */
export async function complete(ctx: Ctx, input: Moved): Promise<{ order: Order }> {
  return move(ctx, 'orderComplete', input, 'COMPLETED', 'order.completed')
}

/** Cancels an order that waits. Announces `order.cancelled`. Fails with NOT_FOUND where it does not wait. */
export async function cancel(ctx: Ctx, input: Moved): Promise<{ order: Order }> {
  return move(ctx, 'orderCancel', input, 'CANCELLED', 'order.cancelled')
}

/** Takes a completed order back. Announces `order.refunded`. Fails with NOT_FOUND where it is not completed. */
export async function refund(ctx: Ctx, input: Moved): Promise<{ order: Order }> {
  return move(ctx, 'orderRefund', input, 'REFUNDED', 'order.refunded')
}

async function move(
  ctx: Ctx,
  operation: string,
  input: Moved,
  status: Order['status'],
  event: 'order.completed' | 'order.cancelled' | 'order.refunded',
): Promise<{ order: Order }> {
  const order = await onceByEvent(ctx, operation, input, byId, async (tx) => {
    const before = await lock(tx, input.id)
    mustMove('order', before.status, status)
    const now = tx.clock.now()
    const [moved] = await tx.sql<Order>`
      UPDATE "order" o SET status = ${status}::order_status, updated_at = ${now}::timestamptz,
        completed_at = ${status === 'COMPLETED' ? now : before.completedAt}::timestamptz
      WHERE o.account_id = ${tx.sql.account} AND o.id = ${before.id} RETURNING ${orderColumns}`
    await emit(tx, event, { orderId: before.id })
    return moved as Order
  })
  return { order }
}

const orderRules = (ctx: Ctx) =>
  z.object({
    idOrder: name(255),
    type: text(255).default(''),
    status: z.enum(['WAITING', 'COMPLETED']).default('WAITING'),
    currency: currencyCode,
    attribution: GivenAttribution.default({}),
    createdAt: past(ctx).optional(),
  })

type Given = z.output<ReturnType<typeof orderRules>> & {
  lines: readonly Line[]
  amount: string
  step: number | null
  customerId: number
}

function amountsOf(
  lines: OrderInput['lines'],
  amount: OrderInput['amount'],
  currency: string,
): { lines: readonly Line[]; amount: string } {
  const stated = amount == null ? undefined : amountOf(amount, currency, 'amount')
  if (!lines) {
    if (!stated) throw invalid({ amount: ['is required where there are no lines'] })
    return { lines: [], amount: stated.toString() }
  }
  const made = linesOf(lines, currency)
  const { amountInclVat } = totalsOf(made)
  if (stated && !stated.eq(decimal(amountInclVat))) {
    throw invalid({ amount: [`must be what the lines come to, VAT included: ${amountInclVat}`] })
  }
  return { lines: made, amount: amountInclVat }
}

async function insert(tx: Ctx, given: Given): Promise<Order> {
  const now = tx.clock.now()
  const createdAt = given.createdAt ?? now
  const [order] = await tx.sql<Order>`
    INSERT INTO "order" AS o (account_id, id_order, customer_id, type, status, amount, currency, step_id, attribution,
      created_at, updated_at, completed_at)
    VALUES (${tx.sql.account}::int, ${given.idOrder}, ${given.customerId}::int, ${given.type},
      ${given.status}::order_status, ${given.amount}::numeric, ${given.currency}, ${given.step}::int,
      ${JSON.stringify(given.attribution)}::jsonb, ${createdAt}::timestamptz, ${now}::timestamptz,
      ${given.status === 'COMPLETED' ? createdAt : null}::timestamptz)
    ON CONFLICT (account_id, id_order) DO NOTHING RETURNING ${orderColumns}`
  if (!order) throw invalid({ idOrder: ['is taken by another order'] })
  if (given.lines.length > 0) {
    await tx.sql`
      INSERT INTO order_line (account_id, order_id, position, name, quantity, unit_price, vat_rate, amount, vat)
      SELECT ${tx.sql.account}::int, ${order.id}::int, place, line->>'name', (line->>'quantity')::int,
        (line->>'unitPrice')::numeric, (line->>'vatRate')::numeric, (line->>'amount')::numeric, (line->>'vat')::numeric
      FROM jsonb_array_elements(${JSON.stringify(given.lines)}::jsonb) WITH ORDINALITY AS given(line, place)`
  }
  return order
}
