import * as z from 'zod'

/** An amount of money in `/v1`, in units of its currency: 12.5. */
export const amount = z.number()

/** Converts the decimal text of GraphQL to a JSON number. The result is for output only: computing with it would round. */
export function toAmount(money: { readonly amount: string }): number {
  return Number(money.amount)
}
