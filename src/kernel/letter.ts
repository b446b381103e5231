/** Someone who writes or is written to. Never one text: a comma in a name would make two people of it. */
export interface Mailbox {
  readonly name: string
  readonly address: string
}

/** An address as its owner knows it: who was forwarded a message learns no more of it from a link in there. */
export function masked(address: string): string {
  return `${[...address][0]}***${address.slice(address.lastIndexOf('@'))}`
}

/** A message, complete: what a mail server is given. Plain data, in Nodemailer's words. */
export interface Letter {
  /** With its angle brackets; the same however often the message is made. */
  readonly messageId: string
  readonly from: Mailbox
  readonly to: Mailbox
  /** Where bounces go, if not to the sender. */
  readonly envelope?: { readonly from: string; readonly to: string }
  readonly subject: string
  readonly html: string
  readonly text: string
  /** One short line each: some relays break a signature when they fold a longer one anew. */
  readonly headers: Readonly<Record<string, { readonly prepared: true; readonly value: string }>>
  readonly dkim?: {
    readonly domainName: string
    readonly keySelector: string
    readonly privateKey: string
    readonly headerFieldNames: string
  }
}

/**
 * Hands a letter over at once, and answers what the server said. Rejects with an error that carries the server's own
 * number as `responseCode` where it gave one.
 */
export type Post = (letter: Letter) => Promise<string>
