import { DateTime } from 'luxon'
import { z } from 'zod'
import { ownAccount, zoneOf } from '../account/index.ts'
import type { Ctx } from '../db/context.ts'
import { emit } from '../events/index.ts'
import { check, name, sent, text } from '../kernel/check.ts'
import { invalid } from '../kernel/errors.ts'
import { amountOf, currencyCode } from '../kernel/money.ts'
import { checked, type ForCustomer, record as recordCustomer } from './customers.ts'
import { onceByEvent, type Reported } from './provider-events.ts'
import { mustMove, wrongState } from './states.ts'
import { type BillingSubscription, byId, lock, subscriptionColumns } from './subscription-list.ts'
import { moment, past } from './times.ts'

export interface SubscriptionInput extends ForCustomer, Reported {
  idSubscription: string
  name: string
  amount: string
  currency?: string | null | undefined
  paymentSource?: string | null | undefined
  rateMonths?: number | null | undefined
  trial?: boolean | null | undefined
  paymentsLeft?: number | null | undefined
  rebillDate?: Date | null | undefined
  status?: BillingSubscription['status'] | null | undefined
  createdAt?: Date | null | undefined
}

export interface Moved extends Reported {
  id: string | number
}

const paymentsLeft = z.int().min(0, 'must not be negative').max(100_000, 'must be 100,000 at most')

const rules = (ctx: Ctx) =>
  z
    .object({
      idSubscription: name(255),
      name: name(255),
      currency: currencyCode,
      paymentSource: text(255).default(''),
      rateMonths: z.int().min(1, 'must be 1 at least').max(120, 'must be 120 at most').default(1),
      trial: z.boolean().default(false),
      paymentsLeft: paymentsLeft.optional(),
      rebillDate: moment.optional(),
      status: z.enum(['ACTIVE', 'INACTIVE', 'ERROR']).default('ACTIVE'),
      createdAt: past(ctx).optional(),
    })
    .refine((given) => given.status !== 'ACTIVE' || given.paymentsLeft !== 0, {
      path: ['paymentsLeft'],
      message: 'must be 1 at least while it is active',
    })

/**
 * Records a plan that is paid for again and again. Without a rebill date it is paid again one rate after it was made.
 *
 * Announces `subscription.created`. Fails with VALIDATION_ERROR, also for an `idSubscription` that is taken.
 */
export async function record(ctx: Ctx, input: SubscriptionInput): Promise<{ subscription: BillingSubscription }> {
  const { customer, createContact, providerEvent: _event, amount: money, ...rest } = input
  const currency = input.currency ?? (await ownAccount(ctx)).currency
  const given = check(rules(ctx), { ...sent(rest), currency })
  const amount = amountOf(money, currency, 'amount')
  const buyer = checked(customer)
  const subscription = await onceByEvent(ctx, 'subscriptionRecord', input, byId, async (tx) => {
    const { id: customerId } = await recordCustomer(tx, buyer, createContact === true)
    const now = tx.clock.now()
    const createdAt = given.createdAt ?? now
    const rebillDate = given.rebillDate ?? (await later(tx, createdAt, given.rateMonths))
    const [recorded] = await tx.sql<BillingSubscription>`
      INSERT INTO billing_subscription AS b (account_id, id_subscription, customer_id, status, name, amount, currency,
        payment_source, rate_months, trial, payments_left, rebill_date, created_at, updated_at, ended_at)
      VALUES (${tx.sql.account}::int, ${given.idSubscription}, ${customerId}::int, ${given.status}::billing_status,
        ${given.name}, ${amount.toString()}::numeric, ${currency}, ${given.paymentSource}, ${given.rateMonths}::int,
        ${given.trial}, ${given.paymentsLeft ?? null}::int, ${rebillDate}::timestamptz, ${createdAt}::timestamptz,
        ${now}::timestamptz, ${given.status === 'INACTIVE' ? now : null}::timestamptz)
      ON CONFLICT (account_id, id_subscription) DO NOTHING RETURNING ${subscriptionColumns}`
    if (!recorded) throw invalid({ idSubscription: ['is taken by another subscription'] })
    await emit(tx, 'subscription.created', { subscriptionId: recorded.id })
    return recorded
  })
  return { subscription }
}

/**
 * Takes a payment of an active subscription, or of one whose last payment had failed: one payment less is left, the next is
 * due one rate after the last was, and a trial is over. After the last payment it ends.
 *
 * Announces `subscription.renewed`, and then `subscription.ended`. Fails with NOT_FOUND where it has ended.
 */
export async function renew(ctx: Ctx, input: Moved): Promise<{ subscription: BillingSubscription }> {
  return change(ctx, 'subscriptionRenew', input, async (tx, before) => {
    if (before.status === 'INACTIVE') throw wrongState('subscription', before.status)
    const left = before.paymentsLeft === null ? null : Math.max(before.paymentsLeft - 1, 0)
    const rebillDate = await later(tx, before.rebillDate ?? tx.clock.now(), before.rateMonths)
    const status = left === 0 ? 'INACTIVE' : 'ACTIVE'
    const after = await write(tx, before, { status, trial: false, paymentsLeft: left, rebillDate })
    await emit(tx, 'subscription.renewed', { subscriptionId: before.id })
    if (status === 'INACTIVE') await emit(tx, 'subscription.ended', { subscriptionId: before.id })
    return after
  })
}

/** Tells that a payment has failed. Announces `subscription.payment_failed`. Fails with NOT_FOUND where it is not active. */
export async function fail(ctx: Ctx, input: Moved): Promise<{ subscription: BillingSubscription }> {
  return change(ctx, 'subscriptionFail', input, async (tx, before) => {
    mustMove('subscription', before.status, 'ERROR')
    const after = await write(tx, before, { status: 'ERROR' })
    await emit(tx, 'subscription.payment_failed', { subscriptionId: before.id })
    return after
  })
}

/** Ends a subscription. Announces `subscription.ended`. Fails with NOT_FOUND where it has ended. */
export async function end(ctx: Ctx, input: Moved): Promise<{ subscription: BillingSubscription }> {
  return change(ctx, 'subscriptionEnd', input, async (tx, before) => {
    mustMove('subscription', before.status, 'INACTIVE')
    const after = await write(tx, before, { status: 'INACTIVE' })
    await emit(tx, 'subscription.ended', { subscriptionId: before.id })
    return after
  })
}

/**
 * Makes an ended subscription, or one whose payment had failed, active again. One that had no payments left needs new ones.
 * Announces nothing: nobody has paid yet. Fails with NOT_FOUND where it is active, and with VALIDATION_ERROR.
 */
export async function restart(
  ctx: Ctx,
  input: Moved & { paymentsLeft?: number | null | undefined; rebillDate?: Date | null | undefined },
): Promise<{ subscription: BillingSubscription }> {
  const Given = z.object({
    paymentsLeft: paymentsLeft.min(1, 'must be 1 at least').optional(),
    rebillDate: moment.optional(),
  })
  const given = check(Given, sent({ paymentsLeft: input.paymentsLeft, rebillDate: input.rebillDate }))
  return change(ctx, 'subscriptionRestart', input, async (tx, before) => {
    mustMove('subscription', before.status, 'ACTIVE')
    if (before.paymentsLeft === 0 && given.paymentsLeft === undefined) {
      throw invalid({ paymentsLeft: ['is required, for none are left'] })
    }
    return write(tx, before, {
      status: 'ACTIVE',
      paymentsLeft: given.paymentsLeft ?? before.paymentsLeft,
      rebillDate: given.rebillDate ?? before.rebillDate,
    })
  })
}

async function change(
  ctx: Ctx,
  operation: string,
  input: Moved,
  run: (tx: Ctx, before: BillingSubscription) => Promise<BillingSubscription>,
): Promise<{ subscription: BillingSubscription }> {
  const subscription = await onceByEvent(ctx, operation, input, byId, async (tx) => run(tx, await lock(tx, input.id)))
  return { subscription }
}

async function write(
  tx: Ctx,
  before: BillingSubscription,
  changed: Partial<Pick<BillingSubscription, 'status' | 'trial' | 'paymentsLeft' | 'rebillDate'>>,
): Promise<BillingSubscription> {
  const after = { ...before, ...changed }
  const now = tx.clock.now()
  const [row] = await tx.sql<BillingSubscription>`
    UPDATE billing_subscription b SET status = ${after.status}::billing_status, trial = ${after.trial},
      payments_left = ${after.paymentsLeft}::int, rebill_date = ${after.rebillDate}::timestamptz,
      updated_at = ${now}::timestamptz, ended_at = ${after.status === 'INACTIVE' ? now : null}::timestamptz
    WHERE b.account_id = ${tx.sql.account} AND b.id = ${before.id} RETURNING ${subscriptionColumns}`
  return row as BillingSubscription
}

/** So many months later on the clocks of the account's zone; the last day of a month that is too short. */
async function later(ctx: Ctx, time: Date, months: number): Promise<Date> {
  return DateTime.fromJSDate(time, { zone: await zoneOf(ctx) })
    .plus({ months })
    .toJSDate()
}
