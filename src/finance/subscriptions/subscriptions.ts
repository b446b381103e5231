import { z } from 'zod'
import { ownAccount } from '../../account/index.ts'
import type { Ctx } from '../../db/context.ts'
import { emit } from '../../events/index.ts'
import { invalid } from '../../kernel/errors.ts'
import { check, name, sent, text } from '../../kernel/values/check.ts'
import { amountOf, currencyCode } from '../../kernel/values/money.ts'
import { checkCustomer, recordCustomer, type WithCustomer } from '../customers/customers.ts'
import { runOncePerEvent, type WithProviderEvent } from '../recording/provider-events.ts'
import { mustBeTransition, wrongStatus } from '../recording/status-transitions.ts'
import { pastTimestamp, rulesAt, timestamp } from '../recording/timestamps.ts'
import { type DuePayment, firstPayment, givenPayment, nextRebillDate } from './rebill-dates.ts'
import { countSubscription } from './subscription-figures.ts'
import { type BillingSubscription, byId, lock, subscriptionTable } from './subscription-list.ts'

export interface SubscriptionInput extends WithCustomer, WithProviderEvent {
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

interface SubscriptionRef extends WithProviderEvent {
  id: string | number
}

const PaymentsLeft = z.int().min(0, 'must not be negative').max(100_000, 'must be 100,000 at most')

const subscriptionRules = rulesAt((clock) =>
  z
    .object({
      idSubscription: name(255),
      name: name(255),
      currency: currencyCode,
      paymentSource: text(255).default(''),
      rateMonths: z.int().min(1, 'must be 1 at least').max(120, 'must be 120 at most').default(1),
      trial: z.boolean().default(false),
      paymentsLeft: PaymentsLeft.optional(),
      rebillDate: timestamp.optional(),
      status: z.enum(['ACTIVE', 'INACTIVE', 'ERROR']).default('ACTIVE'),
      createdAt: pastTimestamp(clock).optional(),
    })
    .refine(({ status, paymentsLeft }) => status !== 'ACTIVE' || paymentsLeft !== 0, {
      path: ['paymentsLeft'],
      message: 'must be 1 at least for an active subscription',
    }),
)

/**
 * Records a subscription. The rebill date defaults to `rateMonths` after its creation.
 *
 * Emits `subscription.created`. Throws VALIDATION_ERROR, also if another subscription has the same `idSubscription`.
 */
export async function record(ctx: Ctx, input: SubscriptionInput): Promise<{ subscription: BillingSubscription }> {
  const { customer, createContact, providerEvent: _event, amount: money, ...rest } = input
  const currency = input.currency ?? (await ownAccount(ctx)).currency
  const fields = check(subscriptionRules(ctx), { ...sent(rest), currency })
  const amount = amountOf(money, currency, 'amount')
  const buyer = checkCustomer(customer)
  return runOncePerEvent(ctx, 'subscriptionRecord', input, { subscription: byId }, async (tx) => {
    const { id: customerId } = await recordCustomer(tx, buyer, createContact === true)
    const now = tx.clock.now()
    const createdAt = fields.createdAt ?? now
    const { rebillDate, rebillAnchor } = await firstPayment(tx, { ...fields, createdAt })
    const [recorded] = await tx.sql<BillingSubscription>`
      INSERT INTO billing_subscription AS b (account_id, id_subscription, customer_id, status, name, amount, currency,
        payment_source, rate_months, trial, payments_left, rebill_date, rebill_anchor, created_at, updated_at, ended_at)
      VALUES (${tx.sql.account}::int, ${fields.idSubscription}, ${customerId}::int, ${fields.status}::billing_status,
        ${fields.name}, ${amount.toString()}::numeric, ${currency}, ${fields.paymentSource}, ${fields.rateMonths}::int,
        ${fields.trial}, ${fields.paymentsLeft ?? null}::int, ${rebillDate}::timestamptz, ${rebillAnchor}::timestamptz,
        ${createdAt}::timestamptz, ${now}::timestamptz, ${fields.status === 'INACTIVE' ? now : null}::timestamptz)
      ON CONFLICT (account_id, id_subscription) DO NOTHING RETURNING ${subscriptionTable.columns}`
    if (!recorded) throw invalid({ idSubscription: ['is used by another subscription'] }, 'TAKEN')
    await countSubscription(tx, undefined, recorded)
    await emit(tx, 'subscription.created', { subscriptionId: recorded.id })
    return recorded
  })
}

/**
 * Records a payment of a subscription in status ACTIVE or ERROR: decrements `paymentsLeft`, moves the rebill date by
 * `rateMonths` (`nextRebillDate`), ends a trial, and sets the status to ACTIVE. After the last payment the subscription ends.
 *
 * Emits `subscription.renewed`, and `subscription.ended` after the last payment. Throws INVALID_STATE if the subscription ended.
 */
export async function renew(ctx: Ctx, input: SubscriptionRef): Promise<{ subscription: BillingSubscription }> {
  return changeLocked(ctx, 'subscriptionRenew', input, async (tx, before) => {
    if (before.status === 'INACTIVE') throw wrongStatus('subscription', before.status)
    const left = before.paymentsLeft === null ? null : Math.max(before.paymentsLeft - 1, 0)
    const rebillDate = await nextRebillDate(tx, await duePayment(tx, before), before.rateMonths)
    const status = left === 0 ? 'INACTIVE' : 'ACTIVE'
    const after = await updateRow(tx, before, { status, trial: false, paymentsLeft: left, rebillDate })
    await emit(tx, 'subscription.renewed', { subscriptionId: before.id })
    if (status === 'INACTIVE') await emit(tx, 'subscription.ended', { subscriptionId: before.id })
    return after
  })
}

/** Records a failed payment. Emits `subscription.payment_failed`. Throws INVALID_STATE if the subscription is not active. */
export async function fail(ctx: Ctx, input: SubscriptionRef): Promise<{ subscription: BillingSubscription }> {
  return changeLocked(ctx, 'subscriptionFail', input, async (tx, before) => {
    mustBeTransition('subscription', before.status, 'ERROR')
    const after = await updateRow(tx, before, { status: 'ERROR' })
    await emit(tx, 'subscription.payment_failed', { subscriptionId: before.id })
    return after
  })
}

/** Ends a subscription. Emits `subscription.ended`. Throws INVALID_STATE if the subscription ended already. */
export async function end(ctx: Ctx, input: SubscriptionRef): Promise<{ subscription: BillingSubscription }> {
  return changeLocked(ctx, 'subscriptionEnd', input, async (tx, before) => {
    mustBeTransition('subscription', before.status, 'INACTIVE')
    const after = await updateRow(tx, before, { status: 'INACTIVE' })
    await emit(tx, 'subscription.ended', { subscriptionId: before.id })
    return after
  })
}

/**
 * Sets a subscription in status INACTIVE or ERROR to ACTIVE. `paymentsLeft` is required if none are left. Emits no event,
 * because nothing was paid. Throws INVALID_STATE if the subscription is active, and VALIDATION_ERROR.
 */
export async function restart(
  ctx: Ctx,
  input: SubscriptionRef & { paymentsLeft?: number | null | undefined; rebillDate?: Date | null | undefined },
): Promise<{ subscription: BillingSubscription }> {
  const RestartRules = z.object({
    paymentsLeft: PaymentsLeft.min(1, 'must be 1 at least').optional(),
    rebillDate: timestamp.optional(),
  })
  const fields = check(RestartRules, sent({ paymentsLeft: input.paymentsLeft, rebillDate: input.rebillDate }))
  return changeLocked(ctx, 'subscriptionRestart', input, async (tx, before) => {
    mustBeTransition('subscription', before.status, 'ACTIVE')
    if (before.paymentsLeft === 0 && fields.paymentsLeft === undefined) {
      throw invalid({ paymentsLeft: ['is required because no payments are left'] }, 'REQUIRED')
    }
    return updateRow(tx, before, {
      status: 'ACTIVE',
      paymentsLeft: fields.paymentsLeft ?? before.paymentsLeft,
      ...(fields.rebillDate && (await givenPayment(tx, fields.rebillDate, before.rebillAnchor ?? before.createdAt))),
    })
  })
}

async function changeLocked(
  ctx: Ctx,
  operation: string,
  input: SubscriptionRef,
  run: (tx: Ctx, before: BillingSubscription) => Promise<BillingSubscription>,
): Promise<{ subscription: BillingSubscription }> {
  return runOncePerEvent(ctx, operation, input, { subscription: byId }, async (tx) => run(tx, await lock(tx, input.id)))
}

async function updateRow(
  tx: Ctx,
  before: BillingSubscription,
  changes: Partial<Pick<BillingSubscription, 'status' | 'trial' | 'paymentsLeft' | 'rebillDate' | 'rebillAnchor'>>,
): Promise<BillingSubscription> {
  const after = { ...before, ...changes }
  const now = tx.clock.now()
  const [row] = await tx.sql<BillingSubscription>`
    UPDATE billing_subscription b SET status = ${after.status}::billing_status, trial = ${after.trial},
      payments_left = ${after.paymentsLeft}::int, rebill_date = ${after.rebillDate}::timestamptz,
      rebill_anchor = ${after.rebillAnchor}::timestamptz, updated_at = ${now}::timestamptz, ended_at = ${after.status === 'INACTIVE' ? now : null}::timestamptz
    WHERE b.account_id = ${tx.sql.account} AND b.id = ${before.id} RETURNING ${subscriptionTable.columns}`
  await countSubscription(tx, before, row as BillingSubscription)
  return row as BillingSubscription
}

/** Returns the payment that is due. A subscription without a rebill date is due now. */
async function duePayment(tx: Ctx, before: BillingSubscription): Promise<DuePayment> {
  const rebillDate = before.rebillDate ?? tx.clock.now()
  const { rebillAnchor } = before
  return rebillAnchor ? { rebillDate, rebillAnchor } : givenPayment(tx, rebillDate, before.createdAt)
}
