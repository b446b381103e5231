import { builder, type Schema } from '../graphql/builder.ts'
import { asOfNow, type InputBuilder, mutation } from '../graphql/mutation.ts'
import { orderList, orders } from './index.ts'
import { OrderType } from './order.schema.ts'
import {
  alsoNeeds,
  attribution,
  createContact,
  createdAt,
  currency,
  customer,
  lines,
  reported,
} from './recording.schema.ts'

const RecordedStatus = builder.enumType('OrderRecordStatus', {
  description: 'Where an order can stand when it is recorded.',
  values: {
    WAITING: { description: 'Is placed, and not paid yet.' },
    COMPLETED: { description: 'Is paid.' },
  },
})

const which = (t: InputBuilder) => t.id({ required: true, description: 'The order, by global id or integer.' })
const changed = (t: PothosSchemaTypes.ObjectFieldBuilder<Schema, { order: orderList.Order }>) => ({
  order: t.field({
    type: OrderType,
    description: 'The order after this.',
    resolve: asOfNow(orderList.byId, (result: { order: orderList.Order }) => result.order),
  }),
})

mutation('orderRecord', {
  needs: 'finance:write',
  alsoNeeds,
  description: 'Records a purchase. Fails with VALIDATION_ERROR, also for an `idOrder` that is taken.',
  input: (t) => ({
    idOrder: t.string({ required: true, description: "The shop's own name for it: 255 characters at most." }),
    customer: customer(t),
    createContact: createContact(t),
    type: t.string({ description: "The payment provider's name: 255 characters at most." }),
    status: t.field({ type: RecordedStatus, description: 'WAITING where absent.' }),
    currency: currency(t, "the account's"),
    amount: t.field({
      type: 'Decimal',
      description:
        'What is to be paid, VAT included. Not needed with lines; given besides, it must be what they come to.',
    }),
    lines: lines(t, 'What it is made of: 500 at most.'),
    stepId: t.id({ description: 'The funnel step that sold it, by global id or integer.' }),
    attribution: attribution(t),
    createdAt: createdAt(t),
    ...reported(t),
  }),
  run: orders.record,
  payload: changed,
})

mutation('orderComplete', {
  needs: 'finance:write',
  description: 'Completes an order that waits. In any other status it is NOT_FOUND.',
  input: (t) => ({ id: which(t), ...reported(t) }),
  run: orders.complete,
  payload: changed,
})

mutation('orderCancel', {
  needs: 'finance:write',
  description: 'Cancels an order that waits. In any other status it is NOT_FOUND.',
  input: (t) => ({ id: which(t), ...reported(t) }),
  run: orders.cancel,
  payload: changed,
})

mutation('orderRefund', {
  needs: 'finance:write',
  description:
    'Takes a completed order back. In any other status it is NOT_FOUND. What was paid and billed for it is not touched: that is for transactions and credit notes.',
  input: (t) => ({ id: which(t), ...reported(t) }),
  run: orders.refund,
  payload: changed,
})
