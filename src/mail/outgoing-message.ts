/**
 * A sender or a recipient. Name and address are separate, because a comma in a name would split a single text into two
 * mailboxes.
 */
interface Mailbox {
  readonly name: string
  readonly address: string
}

/**
 * Masks an address so that only its owner recognises it. Used on pages that are linked in messages, which may have been
 * forwarded.
 */
export function masked(address: string): string {
  return `${[...address][0]}***${address.slice(address.lastIndexOf('@'))}`
}

/** A complete message for a mail server. Plain data with the property names of Nodemailer. */
export interface OutgoingMessage {
  /** With angle brackets. The same each time that the message is built. */
  readonly messageId: string
  readonly from: Mailbox
  readonly to: Mailbox
  /** Where answers go. Defaults to `from`. */
  readonly replyTo?: Mailbox
  /** The SMTP envelope. Its sender receives bounces. Defaults to `from` and `to`. */
  readonly envelope?: { readonly from: string; readonly to: string }
  readonly subject: string
  readonly html: string
  readonly text: string
  /** Each header is one short line, because some relays refold longer ones, which breaks the DKIM signature. */
  readonly headers: Readonly<Record<string, { readonly prepared: true; readonly value: string }>>
  readonly dkim?: {
    readonly domainName: string
    readonly keySelector: string
    readonly privateKey: string
  }
}

/** Why a message was not sent: the reply of the mail server with its SMTP status, or the reason why there is none. */
export interface SendError extends Error {
  readonly responseCode?: number
  /** Whether the server got the whole message and sent no reply, so that it may have accepted the message. */
  readonly mayBeAccepted?: boolean
}

/** Sends one message immediately, and returns the response of the mail server. Rejects with a `SendError`. */
export type SendMessage = (message: OutgoingMessage) => Promise<string>
