import { DateTime } from 'luxon'
import type { Ctx } from '../../db/context.ts'
import { zoneOf } from '../../db/zone.ts'

/** The time at which a payment is due, and the time from which the payments are counted. */
export interface DuePayment {
  readonly rebillDate: Date
  readonly rebillAnchor: Date
}

/**
 * Returns the rebill date `months` after another one, in the account's time zone. It has the day and the time of day of the
 * anchor; in a shorter month it is the last day. Because each date is counted from the anchor, a short month or a change of the
 * clocks does not move the dates after it.
 */
export async function nextRebillDate(
  ctx: Ctx,
  { rebillDate, rebillAnchor }: DuePayment,
  months: number,
): Promise<Date> {
  const zone = await zoneOf(ctx)
  const anchor = DateTime.fromJSDate(rebillAnchor, { zone })
  const target = DateTime.fromJSDate(rebillDate, { zone }).plus({ months })
  const between = (target.year - anchor.year) * 12 + target.month - anchor.month
  // If the account's time zone changed, an end of month can be in the next month, so the nearest date is the right one.
  const dates = [between - 1, between, between + 1].map((count) => anchor.plus({ months: count }).toMillis())
  const distance = (date: number) => Math.abs(date - target.toMillis())
  return new Date(dates.reduce((nearest, date) => (distance(date) < distance(nearest) ? date : nearest)))
}

/** Returns the first payment: that of a given rebill date, or else the one `rateMonths` after the creation. */
export async function firstPayment(
  ctx: Ctx,
  { createdAt, rebillDate, rateMonths }: { createdAt: Date; rebillDate?: Date | undefined; rateMonths: number },
): Promise<DuePayment> {
  if (rebillDate) return givenPayment(ctx, rebillDate, createdAt)
  const created = { rebillDate: createdAt, rebillAnchor: createdAt }
  return { rebillDate: await nextRebillDate(ctx, created, rateMonths), rebillAnchor: createdAt }
}

/** Returns the payment of a rebill date that a client gave, counted from the anchor that `anchorOf` finds. */
export async function givenPayment(ctx: Ctx, rebillDate: Date, reference: Date): Promise<DuePayment> {
  return { rebillDate, rebillAnchor: await anchorOf(ctx, rebillDate, reference) }
}

/**
 * Returns the anchor of a rebill date that a client gave. If the date is the last day of a month that is too short for the day of
 * `reference`, the payments keep that day: 28 February is a payment of the 31st. Any other date is its own anchor.
 */
async function anchorOf(ctx: Ctx, rebillDate: Date, reference: Date): Promise<Date> {
  const zone = await zoneOf(ctx)
  const given = DateTime.fromJSDate(rebillDate, { zone })
  const before = DateTime.fromJSDate(reference, { zone })
  if (given.day !== given.daysInMonth || before.day <= given.day) return rebillDate
  const { hour, minute, second, millisecond } = given
  return before.set({ hour, minute, second, millisecond }).toJSDate()
}
