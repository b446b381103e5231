import { ContactType } from '../../contacts/people/contact.schema.ts'
import { listCost } from '../../graphql/cost/sizes.ts'
import { builder } from '../../graphql/schema/builder.ts'
import { MoneyType, moneyField } from '../../graphql/schema/money.ts'
import { periodArgs } from '../../graphql/schema/period.ts'
import { allowed } from '../../graphql/schema/query.ts'
import { readableWith } from '../../graphql/schema/scopes.ts'
import type { PurchaseStats } from './purchase-stats.ts'
import * as purchaseStats from './purchase-stats.ts'
import { type Revenue, revenue, salesAmount } from './sales.ts'

const RevenueType = builder.objectRef<Revenue>('Revenue').implement({
  description: 'Total of completed orders in one currency.',
  fields: (t) => ({
    amount: moneyField(t, 'amount', 'Total of the orders, VAT included.'),
    orders: t.exposeInt('orders', { description: 'Number of orders.' }),
  }),
})

readableWith('Revenue', 'finance:read')

const PurchaseStatsType = builder.objectRef<PurchaseStats>('PurchaseStats').implement({
  description:
    'The completed orders of the customers that are linked to a contact. Waiting, cancelled and refunded orders do not count.',
  fields: (t) => ({
    orders: t.exposeInt('orders', { description: 'Number of completed orders.' }),
    lifetimeValue: t.field({
      type: [MoneyType],
      description:
        'Total of these orders less partial refunds per currency, VAT included, largest amount first. Refunds of an order are its `refundedAmount`, its refunded transactions or its credit notes, whichever total is larger. Empty without orders.',
      complexity: listCost('currencies'),
      resolve: ({ lifetimeValue }) => [...lifetimeValue],
    }),
    firstOrderAt: t.exposeTime('firstOrderAt', {
      nullable: true,
      description: 'Time at which the first of these orders was placed. Null without orders.',
    }),
    lastOrderAt: t.exposeTime('lastOrderAt', {
      nullable: true,
      description: 'Time at which the latest of these orders was placed. Null without orders.',
    }),
  }),
})

readableWith('PurchaseStats', 'finance:read')

builder.prismaObjectField(ContactType, 'purchases', (t) =>
  t.field({
    type: PurchaseStatsType,
    description: 'Number and value of the completed orders of the contact.',
    resolve: async ({ id }, _args, ctx) =>
      (await ctx.load(purchaseStats.statsOfContact, id)) ?? purchaseStats.noPurchases,
  }),
)

builder.queryFields((t) => ({
  salesAmount: t.field({
    type: MoneyType,
    description:
      "Returns the total of the completed and waiting orders of a period in the account's default currency, rounded to two decimals. Orders in other currencies are not included.",
    args: periodArgs(t.arg),
    resolve: allowed('finance:read', (_root, args, ctx) => salesAmount(ctx, args)),
  }),
  revenue: t.field({
    type: [RevenueType],
    description: 'Returns the total of the completed orders of a period by currency, the largest amount first.',
    args: periodArgs(t.arg),
    complexity: listCost('currencies'),
    resolve: (_root, args, ctx) => revenue(ctx, args),
  }),
}))
