/** Why a message could not be delivered. */
export type FailureCause =
  | 'ADDRESS_UNKNOWN'
  | 'DOMAIN_UNKNOWN'
  | 'MAILBOX_FULL'
  | 'MAILBOX_DISABLED'
  | 'POLICY'
  | 'AUTHENTICATION'
  | 'BLOCK_LIST'
  | 'RATE'
  | 'CONTENT'
  | 'TOO_LARGE'
  | 'NETWORK'
  | 'SENDER'
  | 'UNKNOWN'

/**
 * What follows from a cause.
 * - address: the address does not accept e-mail. A permanent failure suppresses it.
 * - mailbox: the next message may be accepted. Failures in a row count.
 * - sender: the fault of the sender, its servers or its content. Never held against the recipient.
 * - other: nothing is known about the address. Failures in a row count.
 */
type Consequence = 'address' | 'mailbox' | 'sender' | 'other'

const consequences: Readonly<Record<FailureCause, Consequence>> = {
  ADDRESS_UNKNOWN: 'address',
  DOMAIN_UNKNOWN: 'address',
  MAILBOX_DISABLED: 'address',
  MAILBOX_FULL: 'mailbox',
  POLICY: 'sender',
  AUTHENTICATION: 'sender',
  BLOCK_LIST: 'sender',
  RATE: 'sender',
  CONTENT: 'sender',
  TOO_LARGE: 'sender',
  SENDER: 'sender',
  NETWORK: 'other',
  UNKNOWN: 'other',
}

/** Returns whether the address is at fault, so that a permanent failure suppresses it. */
export const isFaultOfAddress = (cause: FailureCause): boolean => consequences[cause] === 'address'

/** Returns whether the sender is at fault: sending to the receiving domain is slowed, and the recipient is not affected. */
export const isFaultOfSender = (cause: FailureCause): boolean => consequences[cause] === 'sender'
