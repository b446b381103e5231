import type { EncodedMessage } from '../mime/encoded-message.ts'
import type { Outcome } from './outcome.ts'

/** A way to send messages: SMTP, or files. */
export interface Transport {
  /** Name for logs and metrics, without user and password. */
  readonly name: string
  /**
   * Sends a message and returns the outcome. Never rejects. `attempts` is the number of earlier attempts: the server gets
   * more time with each. After `timeoutMs` the attempt ends in any case, and the message is not sent later.
   */
  send(message: EncodedMessage, attempts: number, timeoutMs?: number): Promise<Outcome>
  /** Deletes the copies of messages of an account to the addresses, which are in lower case. Only files are copies. */
  forget?(accountId: number, addresses: readonly string[]): Promise<void>
  /** Closes idle connections, and with `force` all of them. */
  close(force?: boolean): void
}
