import type {
  BillingStatus,
  InvoiceStatus,
  OrderStatus,
  TransactionStatus,
} from '../../prisma/generated/client/client.ts'
import { refuse } from '../kernel/errors.ts'

/** Where each may go from where it stands; whatever is not here is refused. */
export const moves = {
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

export type Machine = keyof typeof moves

/** Whether something that stands at `from` may go to `to`. */
export function mayMove(machine: Machine, from: string, to: string): boolean {
  return ((moves[machine] as Record<string, readonly string[]>)[from] ?? []).includes(to)
}

/** Fails with NOT_FOUND, saying where it stands, unless it may go to `to`. */
export function mustMove(machine: Machine, from: string, to: string): void {
  if (!mayMove(machine, from, to)) throw wrongState(machine, from)
}

/** NOT_FOUND, to be thrown: it is there, and stands where this cannot be done. */
export function wrongState(machine: Machine, status: string) {
  return refuse('NOT_FOUND', `There is no such ${machine} that allows this: its status is ${status}.`)
}
