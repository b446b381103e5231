import { builder } from '../graphql/builder.ts'
import { type InputBuilder, mutation, type Payload } from '../graphql/mutation.ts'
import { OrderType } from './order.schema.ts'
import type * as orderList from './order-list.ts'
import * as orders from './orders.ts'
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
} from './recording.schema.ts'

const OrderRecordStatus = builder.enumType('OrderRecordStatus', {
  description: 'Status of an order that is recorded.',
  values: {
    WAITING: { description: 'The order is not paid yet.' },
    COMPLETED: { description: 'The order is paid.' },
  },
})

const orderId = (t: InputBuilder) => t.id({ required: true, description: 'The order, by global id or integer.' })
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
    stepId: t.id({ description: 'The funnel step that made the sale, by global id or integer.' }),
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

mutation('orderRefund', {
  needs: 'finance:write',
  description:
    'Sets a completed order to REFUNDED. Its transactions and invoices do not change; use `transactionUpdate` and `creditNoteIssue` for them. Returns INVALID_STATE if its status is not COMPLETED.',
  input: (t) => ({ id: orderId(t), ...providerEventField(t) }),
  run: orders.refund,
  payload: orderPayload,
})
