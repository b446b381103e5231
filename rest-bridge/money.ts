import * as z from 'zod'

/** An amount as the graph gives it: exact, as text. */
interface MoneyOfGraph {
  readonly amount: string
}

/** An amount as `/v1` prints it. */
export const amount = z.number()

/** Gives an amount as a JSON number: read from its text once, and never reckoned with. */
export function toAmount(money: MoneyOfGraph): number {
  return Number(money.amount)
}
