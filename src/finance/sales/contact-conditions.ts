import { ownAccount } from '../../account/index.ts'
import type { PurchasesFilter, SalesConditions } from '../../contacts/index.ts'
import { inverse, type Leaf, memberLeaf, relatedLeaves, testOf } from '../../db/filters/conditions.ts'
import type { Maybe, Place } from '../../db/filters/filter.ts'
import { type NumberFilter, numberLeaves, textLeaves, timeLeaves } from '../../db/filters/value-conditions.ts'
import { empty, join, type Sql, sql } from '../../db/sql.ts'
import { netAmount, refunds } from './purchase-stats.ts'

/** A condition on the orders of a contact, and whether a contact without orders meets it. */
interface Test {
  readonly leaf: Leaf
  readonly isMetByNone: boolean
}

/** Conditions on contacts by their completed orders, which belong to a contact through the customers that are linked to it. */
export const salesConditions: SalesConditions = {
  purchases: async (value, place) => {
    const { ctx } = place
    const tests = await testsOf(value, place)
    if (tests.length === 0) return []
    // Only the value of the orders needs their refunds.
    const refunded =
      value.lifetimeValue == null
        ? empty
        : sql`LEFT JOIN (${refunds(ctx, () => empty)}) r ON r.order_id = o.id AND r.currency = o.currency`
    const having = (test: Sql) =>
      memberLeaf(
        place,
        sql`SELECT u.contact_id ${completedOrders} ${refunded}
          WHERE u.account_id = ${ctx.sql.account} AND u.contact_id IS NOT NULL GROUP BY u.contact_id HAVING ${test}`,
      )
    const all = join(
      tests.map(({ leaf }) => testOf(leaf)),
      ' AND ',
    )
    return [tests.every(({ isMetByNone }) => isMetByNone) ? inverse(having(sql`NOT (${all})`)) : having(all)]
  },
  products: (value, place) =>
    relatedLeaves(
      (test) =>
        memberLeaf(
          place,
          sql`SELECT u.contact_id ${completedOrders} JOIN order_line l ON l.account_id = o.account_id AND l.order_id = o.id
            WHERE l.account_id = ${place.ctx.sql.account} AND u.contact_id IS NOT NULL AND ${test}`,
        ),
      textLeaves(sql`l.name`, value, place),
    ),
}

const completedOrders = sql`FROM customer u
  JOIN "order" o ON o.account_id = u.account_id AND o.customer_id = u.id AND o.status = 'COMPLETED'`

/** Returns the conditions on the orders \`o\` of a contact, with their refunds \`r\`. */
async function testsOf(value: PurchasesFilter, place: Place): Promise<Test[]> {
  const { orders, lifetimeValue, firstOrderAt, lastOrderAt } = value
  const at = (name: string) => ({ ...place, path: `${place.path}.${name}` })
  const times = [
    ...(firstOrderAt == null ? [] : await timeLeaves(sql`min(o.created_at)`, firstOrderAt, at('firstOrderAt'))),
    ...(lastOrderAt == null ? [] : await timeLeaves(sql`max(o.created_at)`, lastOrderAt, at('lastOrderAt'))),
  ]
  return [
    ...(orders == null ? [] : countTests(sql`count(*)`, orders)),
    ...(lifetimeValue == null ? [] : countTests(await valueIn(value.currency, place), lifetimeValue)),
    ...times.map((leaf) => ({ leaf, isMetByNone: leaf.inverseOf !== undefined })),
  ]
}

async function valueIn(given: Maybe<string>, { ctx }: Place): Promise<Sql> {
  const currency = given ?? (await ownAccount(ctx)).currency
  return sql`coalesce(sum(${netAmount}) FILTER (WHERE o.currency = ${currency}::text), 0)`
}

/** Whether 0, the value of a contact without orders, meets a comparison. */
const isMetByZero: Readonly<Record<keyof NumberFilter, (other: number) => boolean>> = {
  eq: (other) => other === 0,
  ne: (other) => other !== 0,
  gt: (other) => other < 0,
  gte: (other) => other <= 0,
  lt: (other) => other > 0,
  lte: (other) => other >= 0,
}

function countTests(sum: Sql, value: NumberFilter): Test[] {
  const names = Object.keys(isMetByZero) as (keyof NumberFilter)[]
  return names.flatMap((name) => {
    const other = value[name]
    if (other == null) return []
    return numberLeaves(sum, { [name]: other }).map((leaf) => ({ leaf, isMetByNone: isMetByZero[name](Number(other)) }))
  })
}
