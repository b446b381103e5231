import { AccountType } from '../account/account.schema.ts'
import { ContactType } from '../contacts/contact.schema.ts'
import { AttributionPairType, pairsOf } from '../graphql/attribution.ts'
import { builder } from '../graphql/builder.ts'
import { connectionOf } from '../graphql/connection.ts'
import { MoneyType } from '../graphql/money.ts'
import { Node, nodeSource } from '../graphql/node.ts'
import { DateRangeInput, PeriodType } from '../graphql/period.ts'
import { listCost } from '../graphql/sizes.ts'
import { type Line, maxLines } from './amounts.ts'
import { CustomerType, customerFields } from './customer.schema.ts'
import { orderList } from './index.ts'

export const OrderStatus = builder.enumType('OrderStatus', {
  description: 'Status of an order.',
  values: {
    WAITING: { description: 'The order is not paid yet.' },
    COMPLETED: { description: 'The order is paid.' },
    CANCELLED: { description: 'The order was cancelled before it was paid.' },
    REFUNDED: { description: 'The order was paid and then refunded.' },
  },
})

export const OrderLineType = builder.objectRef<Line & { currency: string }>('OrderLine').implement({
  description: 'A line of an order, an invoice or a credit note. On a credit note its amounts are negative.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name of the product or service.' }),
    quantity: t.exposeInt('quantity', { description: 'Number of units.' }),
    unitPrice: t.field({
      type: MoneyType,
      description: 'Price of one unit, without VAT.',
      resolve: ({ unitPrice, currency }) => ({ amount: unitPrice, currency }),
    }),
    vatRate: t.expose('vatRate', { type: 'Decimal', description: 'VAT rate in percent, such as `20` or `5.5`.' }),
    amount: t.field({
      type: MoneyType,
      description: 'Quantity times unit price, without VAT.',
      resolve: ({ amount, currency }) => ({ amount, currency }),
    }),
    vat: t.field({
      type: MoneyType,
      description: 'VAT of `amount`, rounded for each line.',
      resolve: ({ vat, currency }) => ({ amount: vat, currency }),
    }),
  }),
})

export const OrderType = builder.objectRef<orderList.Order>('Order').implement({
  description: 'A purchase of a customer.',
  interfaces: [Node],
  fields: (t) => ({
    idOrder: t.exposeString('idOrder', { description: "The shop's id of the order. Unique in the account." }),
    type: t.exposeString('type', { description: 'Name of the payment provider. May be empty.' }),
    status: t.expose('status', { type: OrderStatus, description: 'Current status.' }),
    amount: t.field({ type: MoneyType, description: 'Total with VAT.', resolve: (order) => order }),
    lines: t.field({
      type: [OrderLineType],
      description: `Lines of the order. Maximum ${maxLines}. Empty if the order was recorded with an amount only.`,
      complexity: listCost('lines'),
      resolve: ({ id }, _args, ctx) => ctx.load(orderList.linesOfOrder, id),
    }),
    attribution: t.field({
      type: [AttributionPairType],
      description: 'Marketing source of the order, such as UTM parameters. Empty if unknown.',
      complexity: listCost('attribution'),
      resolve: ({ attribution }) => pairsOf(attribution),
    }),
    createdAt: t.exposeTime('createdAt', { description: 'Time at which the order was placed.' }),
    updatedAt: t.exposeTime('updatedAt', { description: 'Time of the last change.' }),
    completedAt: t.exposeTime('completedAt', {
      nullable: true,
      description: 'Time at which the order was paid. Null if it was not paid.',
    }),
    ...customerFields(t),
  }),
})

nodeSource(OrderType, 'finance:read', orderList.byId)

export const OrderFilter = builder.inputType('OrderFilterInput', {
  description: 'Filters a list of orders. An order must match all given conditions.',
  fields: (t) => ({
    status: t.field({ type: OrderStatus, description: 'Returns only orders with this status.' }),
    period: t.field({
      type: PeriodType,
      description: "Returns only orders that were placed in this period, in the account's time zone.",
    }),
    range: t.field({
      type: DateRangeInput,
      description: 'First and last day of the period. Required if `period` is BETWEEN, otherwise ignored.',
    }),
  }),
})

const OrderConnection = connectionOf(OrderType, {
  noun: 'orders',
  filter: OrderFilter,
  orders: { CREATED_AT: 'Orders by `createdAt`.' },
})

const OrderRef = builder.inputType('OrderRefInput', {
  description: 'Identifies an order. Exactly one field must be set.',
  isOneOf: true,
  fields: (t) => ({
    id: t.id({ description: 'Global ID or integer ID of the order.' }),
    idOrder: t.string({ description: "The shop's id of the order." }),
  }),
})

builder.queryFields((t) => ({
  order: t.field({
    type: OrderType,
    nullable: true,
    description: "Returns an order by its id or by the shop's id for it. Null if the account has no such order.",
    args: { ref: t.arg({ type: OrderRef, required: true, description: "The order's id, or the shop's id for it." }) },
    resolve: (_root, { ref }, ctx) => orderList.find(ctx, ref),
  }),
  orders: t.connection(OrderConnection, {
    description: 'Lists the orders of the account. Default order: newest first.',
    resolve: (_root, args, ctx) => orderList.list(ctx, args),
  }),
}))

builder.prismaObjectField(AccountType, 'orders', (t) =>
  t.connection(OrderConnection, {
    description: 'The orders of the account. Default order: newest first.',
    resolve: (_account, args, ctx) => orderList.list(ctx, args),
  }),
)

builder.prismaObjectField(ContactType, 'orders', (t) =>
  t.connection(OrderConnection, {
    description: 'The orders of the contact. Default order: newest first.',
    resolve: ({ id }, args, ctx) => orderList.listOfContact(ctx, id, args),
  }),
)

builder.objectField(CustomerType, 'orders', (t) =>
  t.connection(OrderConnection, {
    description: 'The orders of the customer. Default order: newest first.',
    resolve: ({ id }, args, ctx) => orderList.listOfCustomer(ctx, id, args),
  }),
)
