import { AccountType } from '../account/account.schema.ts'
import { ContactType } from '../contacts/contact.schema.ts'
import { AttributionPairType, pairsOf } from '../graphql/attribution.ts'
import { builder } from '../graphql/builder.ts'
import { connectionOf, listArgs, orderOf, pageCost } from '../graphql/connection.ts'
import { MoneyType } from '../graphql/money.ts'
import { needing } from '../graphql/mutation.ts'
import { Node, nodeSource } from '../graphql/node.ts'
import { DateRangeInput, PeriodType } from '../graphql/period.ts'
import { allowed } from '../graphql/query.ts'
import { listCost } from '../graphql/sizes.ts'
import { type Line, mostLines } from './amounts.ts'
import { CustomerType, customerFields } from './customer.schema.ts'
import { orderList } from './index.ts'

export const OrderStatus = builder.enumType('OrderStatus', {
  description: 'Where an order stands.',
  values: {
    WAITING: { description: 'Is placed, and not paid yet.' },
    COMPLETED: { description: 'Is paid.' },
    CANCELLED: { description: 'Was given up before it was paid.' },
    REFUNDED: { description: 'Was paid, and the money was given back.' },
  },
})

export const OrderLineType = builder.objectRef<Line & { currency: string }>('OrderLine').implement({
  description: 'A line of an order, an invoice or a credit note. Its amounts are negative on a credit note.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'What was bought.' }),
    quantity: t.exposeInt('quantity', { description: 'How many of it.' }),
    unitPrice: t.field({
      type: MoneyType,
      description: 'The price of one, without VAT.',
      resolve: ({ unitPrice, currency }) => ({ amount: unitPrice, currency }),
    }),
    vatRate: t.expose('vatRate', { type: 'Decimal', description: 'The VAT rate in percent: `20`, `5.5`.' }),
    amount: t.field({
      type: MoneyType,
      description: 'Quantity times unit price, without VAT.',
      resolve: ({ amount, currency }) => ({ amount, currency }),
    }),
    vat: t.field({
      type: MoneyType,
      description: 'The VAT of that, rounded for this line by itself.',
      resolve: ({ vat, currency }) => ({ amount: vat, currency }),
    }),
  }),
})

export const OrderType = builder.objectRef<orderList.Order>('Order').implement({
  description: 'A purchase.',
  interfaces: [Node],
  fields: (t) => ({
    idOrder: t.exposeString('idOrder', { description: "The shop's own name for it; unique in the account." }),
    type: t.exposeString('type', { description: "The payment provider's name; may be empty." }),
    status: t.expose('status', { type: OrderStatus, description: 'Where it stands.' }),
    amount: t.field({ type: MoneyType, description: 'What is to be paid, VAT included.', resolve: (order) => order }),
    lines: t.field({
      type: [OrderLineType],
      description: `What it is made of, in its order: ${mostLines} at most; empty where only its amount is known.`,
      complexity: listCost('lines'),
      resolve: ({ id }, _args, ctx) => ctx.load(orderList.linesOfOrder, id),
    }),
    attribution: t.field({
      type: [AttributionPairType],
      description: 'Where the buyer came from, as far as it is known.',
      complexity: listCost('attribution'),
      resolve: ({ attribution }) => pairsOf(attribution),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was placed.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it last changed.' }),
    completedAt: t.expose('completedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was paid; null where it never was.',
    }),
    ...customerFields(t),
  }),
})

nodeSource('Order', 'finance:read', orderList.byId)

export const OrderConnection = connectionOf('Order', OrderType, 'orders')

export const OrderFilter = builder.inputType('OrderFilter', {
  description: 'Which orders a list is about; all conditions must hold.',
  fields: (t) => ({
    status: t.field({ type: OrderStatus, description: 'Those that stand here.' }),
    period: t.field({ type: PeriodType, description: "When they were placed, in days of the account's zone." }),
    range: t.field({ type: DateRangeInput, description: 'The days of the period BETWEEN.' }),
  }),
})

export const OrderOrder = orderOf(
  'Order',
  'orders',
  { CREATED_AT: 'When they were placed.' },
  { field: 'CREATED_AT', direction: 'DESC' },
)

builder.queryFields((t) => ({
  order: t.field({
    type: OrderType,
    nullable: true,
    description: needing(
      'finance:read',
      "An order, by its id or by the shop's own name for it; null where the account has none.",
    ),
    args: {
      id: t.arg.id({ description: 'The order, by global id or integer.' }),
      idOrder: t.arg.string({ description: "The shop's own name for it. Goes without `id`." }),
    },
    resolve: allowed('finance:read', (_root, args, ctx) => orderList.find(ctx, args)),
  }),
  orders: t.field({
    type: OrderConnection,
    description: needing('finance:read', 'The orders of the account, the newest first unless ordered otherwise.'),
    args: listArgs(t.arg, OrderFilter, OrderOrder),
    complexity: pageCost,
    resolve: allowed('finance:read', (_root, args, ctx) => orderList.list(ctx, args)),
  }),
}))

builder.prismaObjectField(AccountType, 'orders', (t) =>
  t.field({
    type: OrderConnection,
    nullable: true,
    description: needing('finance:read', 'Its orders, the newest first unless ordered otherwise.'),
    args: listArgs(t.arg, OrderFilter, OrderOrder),
    complexity: pageCost,
    resolve: allowed('finance:read', (_account, args, ctx) => orderList.list(ctx, args)),
  }),
)

builder.prismaObjectField(ContactType, 'orders', (t) =>
  t.field({
    type: OrderConnection,
    nullable: true,
    description: needing('finance:read', 'What it has bought, the newest first unless ordered otherwise.'),
    args: listArgs(t.arg, OrderFilter, OrderOrder),
    complexity: pageCost,
    resolve: allowed('finance:read', ({ id }, args, ctx) => orderList.listOfContact(ctx, id, args)),
  }),
)

builder.objectField(CustomerType, 'orders', (t) =>
  t.field({
    type: OrderConnection,
    description: 'What it has bought, the newest first unless ordered otherwise.',
    args: listArgs(t.arg, OrderFilter, OrderOrder),
    complexity: pageCost,
    resolve: ({ id }, args, ctx) => orderList.listOfCustomer(ctx, id, args),
  }),
)
