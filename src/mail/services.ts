import type { SendMessage } from './outgoing-message.ts'

/** What a process provides for mail. */
export interface MailServices {
  /** Sends one message immediately. */
  readonly send: SendMessage
  /** Deletes the copies of sent messages of an account to the addresses, which are in lower case. */
  readonly forget: (accountId: number, addresses: readonly string[]) => Promise<void>
  /**
   * Address for bounces, as `local@domain`. Each message adds `+` and its own token to the local part. If undefined, bounces go
   * to the sender of each message.
   */
  readonly returnPath: string | undefined
  /** Whether accounts may send only from domains that they have verified. */
  readonly requiresVerifiedSenders: boolean
  /** Returns the TXT records of a DNS name, or an empty list if it has none. Rejects if the DNS query fails or times out. */
  readonly txtRecords: (name: string) => Promise<readonly string[]>
}

declare module '../db/context.ts' {
  interface Services {
    readonly mail: MailServices
  }
}
