import type {
  BillingStatus,
  InvoiceStatus,
  OrderStatus,
  TransactionStatus,
} from '../../../prisma/generated/client/client.ts'
import { refuseValue } from '../../kernel/errors.ts'

/** The allowed status transitions of each type. */
export const transitions = {
  order: {
    WAITING: ['COMPLETED', 'CANCELLED'],
    COMPLETED: ['REFUNDED'],
    CANCELLED: [],
    REFUNDED: [],
  } satisfies Record<OrderStatus, OrderStatus[]>,
  transaction: {
    WAITING: ['PROCESSING', 'COMPLETED', 'CANCELLED', 'ERROR'],
    PROCESSING: ['COMPLETED', 'CANCELLED', 'ERROR'],
    COMPLETED: ['REFUNDED'],
    REFUNDED: [],
    CANCELLED: [],
    ERROR: [],
  } satisfies Record<TransactionStatus, TransactionStatus[]>,
  invoice: {
    PAYMENT_DUE: ['PARTIALLY_PAID', 'PAID'],
    PARTIALLY_PAID: ['PARTIALLY_PAID', 'PAID'],
    PAID: [],
  } satisfies Record<InvoiceStatus, InvoiceStatus[]>,
  subscription: {
    ACTIVE: ['ERROR', 'INACTIVE'],
    ERROR: ['ACTIVE', 'INACTIVE'],
    INACTIVE: ['ACTIVE'],
  } satisfies Record<BillingStatus, BillingStatus[]>,
} as const

type Entity = keyof typeof transitions

/** Throws INVALID_STATE, with the current status in the message, unless the transition is allowed. */
export function mustBeTransition(entity: Entity, from: string, to: string): void {
  const allowed = (transitions[entity] as Record<string, readonly string[]>)[from] ?? []
  if (!allowed.includes(to)) throw wrongStatus(entity, from)
}

/** Returns INVALID_STATE, to be thrown if the status does not allow the operation. `path` is the path of the id. */
export function wrongStatus(entity: Entity, status: string, path = 'id') {
  return refuseValue(path, 'INVALID_STATE', `There is no such ${entity} that allows this: its status is ${status}.`)
}
