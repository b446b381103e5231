import { simpleParser } from 'mailparser'

/** The readable parts of a message. */
export interface ParsedMessage {
  readonly subject: string
  readonly from: string
  readonly to: string
  readonly headers: readonly string[]
  readonly html: string
  readonly text: string
}

/** Parses a message as an e-mail client does. */
export async function parseMessage(source: Uint8Array): Promise<ParsedMessage> {
  const mail = await simpleParser(Buffer.from(source), { skipTextToHtml: true, skipImageLinks: true })
  const to = mail.to === undefined ? [] : [mail.to].flat()
  return {
    subject: mail.subject ?? '',
    from: mail.from?.text ?? '',
    to: to.map(({ text }) => text).join(', '),
    headers: mail.headerLines.map(({ line }) => line),
    html: mail.html || '',
    text: mail.text ?? '',
  }
}
