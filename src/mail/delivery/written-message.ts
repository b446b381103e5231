import { simpleParser } from 'mailparser'

/** What a message says, for people. */
export interface Message {
  readonly subject: string
  readonly from: string
  readonly to: string
  readonly headers: readonly string[]
  readonly html: string
  readonly text: string
}

/** Reads a message as a mail program does. */
export async function readMessage(source: Uint8Array): Promise<Message> {
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
