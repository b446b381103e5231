import { AcceptedTermsType } from '../../contacts/consents/accepted-terms.schema.ts'
import { ContactType } from '../../contacts/people/contact.schema.ts'
import { AttributionPairType, pairsOf } from '../../contacts/record/attribution.schema.ts'
import { liveList } from '../../events/live/live-list.schema.ts'
import { listCost } from '../../graphql/cost/sizes.ts'
import { builder } from '../../graphql/schema/builder.ts'
import { accountList, connectionOf, listByParent } from '../../graphql/schema/connection.ts'
import { idText, requiredId } from '../../graphql/schema/descriptions.ts'
import { filterKind, filterOf } from '../../graphql/schema/filter.ts'
import { moneyField } from '../../graphql/schema/money.ts'
import { type InputBuilder, mutation, type Payload } from '../../graphql/schema/mutation.ts'
import { Node, nodeSource } from '../../graphql/schema/node.ts'
import { type Line, maxLines } from '../amounts.ts'
import { CustomerType, customerFields, purchaseFilterFields, purchaseRelevance } from '../customers/customer.schema.ts'
import {
  alsoNeeds,
  attribution,
  createContact,
  createdAt,
  currency,
  customer,
  lines,
  pricesInclVat,
  providerEventField,
} from '../recording/recording.schema.ts'
import { liveOrders } from './live-orders.ts'
import * as orderList from './order-list.ts'
import * as orders from './orders.ts'

export const OrderStatus = builder.enumType('OrderStatus', {
  description: 'Status of an order.',
  values: {
    WAITING: { description: 'The order is not paid yet.' },
    COMPLETED: { description: 'The order is paid.' },
    CANCELLED: { description: 'The order was cancelled before it was paid.' },
    REFUNDED: { description: 'The order was paid and then refunded.' },
  },
})

export const VatCalculationType = builder.enumType('VatCalculation', {
  description: 'How the VAT of lines is calculated.',
  values: {
    NET_BY_RATE: { description: 'Prices are without VAT. VAT is rounded for each VAT rate.' },
    NET_BY_LINE: { description: 'Prices are without VAT. VAT is rounded for each line.' },
    GROSS_BY_RATE: { description: 'Prices are with VAT. VAT is taken out of the total of each VAT rate.' },
  },
})

export const OrderLineType = builder.objectRef<Line & { currency: string }>('OrderLine').implement({
  description: 'A line of an order, an invoice or a credit note. On a credit note its amounts are negative.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name of the product or service.' }),
    quantity: t.exposeInt('quantity', { description: 'Number of units.' }),
    unitPrice: moneyField(
      t,
      'unitPrice',
      'Price of one unit, with up to 6 decimals: without VAT, or with VAT if `vatCalculation` is GROSS_BY_RATE.',
      { isUnitPrice: true },
    ),
    vatRate: t.expose('vatRate', { type: 'Decimal', description: 'VAT rate in percent, such as `20` or `9.975`.' }),
    amount: moneyField(t, 'amount', 'Total of the units, rounded to the decimals of the currency, without VAT.'),
    vat: moneyField(
      t,
      'vat',
      'VAT of `amount`. If VAT is rounded for each rate, the share of the line in the VAT of its rate.',
    ),
  }),
})

export const OrderType = builder.objectRef<orderList.Order>('Order').implement({
  description: 'A purchase of a customer.',
  interfaces: [Node],
  fields: (t) => ({
    idOrder: t.exposeString('idOrder', { description: "The shop's id of the order. Unique in the account." }),
    type: t.exposeString('type', { description: 'Name of the payment provider. May be empty.' }),
    status: t.expose('status', { type: OrderStatus, description: 'Current status.' }),
    amount: moneyField(t, 'amount', 'Total with VAT.'),
    refundedAmount: moneyField(
      t,
      'refundedAmount',
      'What was refunded of the order so far, VAT included. Equals `amount` if the status is REFUNDED.',
    ),
    vatCalculation: t.expose('vatCalculation', {
      type: VatCalculationType,
      description: 'How the VAT of the lines is calculated.',
    }),
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
    acceptedTerms: t.expose('acceptedTerms', {
      type: [AcceptedTermsType],
      description:
        'Terms that the buyer accepted with the order form of a funnel page, with the proof. Empty for other orders.',
      complexity: listCost('acceptedTerms'),
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

filterKind('enum OrderStatus', [OrderStatus])

export const OrderFilter = filterOf('OrderFilterInput', 'orders', orderList.orderFilter, {
  id: 'The order itself.',
  status: 'One of these statuses.',
  idOrder: "The shop's id of the order.",
  type: 'Name of the payment provider.',
  amount: 'Total with VAT, in the currency of each order.',
  refundedAmount: 'What was refunded of the order, in its currency.',
  currency: 'Currency as a code of three letters, such as `EUR`.',
  createdAt: 'Time at which the order was placed.',
  updatedAt: 'Time of the last change.',
  completedAt: 'Time at which the order was paid. An order that was not paid does not match.',
  products: 'Product: the name of a line. `ne` means that the order has no such line.',
  search:
    "Words in any order, in the shop's id of the order and in the e-mail address, names, company and VAT number of the customer.",
  ...purchaseFilterFields,
})

const OrderConnection = connectionOf(OrderType, {
  noun: 'orders',
  facets: {
    fields: {
      STATUS: 'Values of `OrderStatus`.',
      CURRENCY: 'ISO 4217 codes of the amounts.',
      TYPE: 'Name of the payment provider.',
      PRODUCT: 'Names of the lines.',
      UTM_SOURCE: '`utm_source` of the attribution.',
      UTM_CAMPAIGN: '`utm_campaign` of the attribution.',
    } satisfies Record<keyof typeof orderList.orderFacets, string>,
  },
  filter: OrderFilter,
  orders: {
    CREATED_AT: 'Time at which the order was placed.',
    UPDATED_AT: 'Time of the last change.',
    AMOUNT: 'Total with VAT, regardless of the currency.',
    STATUS: 'Status, alphabetically.',
    RELEVANCE: purchaseRelevance,
  },
})

const OrderRef = builder.inputType('OrderRefInput', {
  description: 'Identifies an order. Exactly one field must be set.',
  isOneOf: true,
  fields: (t) => ({
    id: t.id({ description: idText('the order') }),
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
}))

accountList('orders', OrderConnection, orderList.list)
liveList('orders', OrderType, OrderConnection, { definition: liveOrders, list: orderList.list })
listByParent('orders', OrderConnection, { contact: ContactType, customer: CustomerType }, orderList.listOf)

const OrderRecordStatus = builder.enumType('OrderRecordStatus', {
  description: 'Status of an order that is recorded.',
  values: {
    WAITING: { description: 'The order is not paid yet.' },
    COMPLETED: { description: 'The order is paid.' },
  },
})

const orderId = (t: InputBuilder) => t.id(requiredId('the order'))
const orderPayload = (t: Payload<{ order: orderList.Order }>) => ({
  order: t.expose('order', { type: OrderType, description: 'The order after the change.' }),
})

mutation('orderRecord', {
  needs: 'finance:write',
  alsoNeeds,
  description:
    'Records an order. Returns VALIDATION_ERROR for invalid input, also if another order has the same `idOrder`.',
  input: (t) => ({
    idOrder: t.string({
      required: true,
      description: "The shop's id of the order. Unique in the account. Maximum 255 characters.",
    }),
    customer: customer(t),
    createContact: createContact(t),
    type: t.string({ description: 'Name of the payment provider. Maximum 255 characters.' }),
    status: t.field({ type: OrderRecordStatus, description: 'Status of the order. Defaults to WAITING.' }),
    currency: currency(t, "the account's"),
    amount: t.field({
      type: 'Decimal',
      description: 'Total with VAT. Required without `lines`; with `lines` it must equal their total.',
    }),
    lines: lines(t, 'Lines of the order. Maximum 500.'),
    pricesInclVat: pricesInclVat(t),
    stepId: t.id({ description: idText('the funnel step that made the sale') }),
    attribution: attribution(t),
    createdAt: createdAt(t),
    ...providerEventField(t),
  }),
  run: orders.record,
  payload: orderPayload,
})

mutation('orderComplete', {
  needs: 'finance:write',
  description: 'Sets a waiting order to COMPLETED. Returns INVALID_STATE if its status is not WAITING.',
  input: (t) => ({ id: orderId(t), ...providerEventField(t) }),
  run: orders.complete,
  payload: orderPayload,
})

mutation('orderCancel', {
  needs: 'finance:write',
  description: 'Sets a waiting order to CANCELLED. Returns INVALID_STATE if its status is not WAITING.',
  input: (t) => ({ id: orderId(t), ...providerEventField(t) }),
  run: orders.cancel,
  payload: orderPayload,
})
