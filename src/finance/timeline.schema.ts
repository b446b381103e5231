import { linkedField, timelineEntry } from '../contacts/timeline/timeline.schema.ts'
import { OrderType } from './orders/order.schema.ts'

timelineEntry<{ orderId: number }>('OrderEntry', 'An order of a customer that is linked to the contact.', (t) =>
  linkedField(t, 'order', OrderType),
)
