import { foldLines } from 'nodemailer/lib/mime-funcs'
import MimeNode from 'nodemailer/lib/mime-node'
import type { OutgoingMessage } from '../../outgoing-message.ts'
import { dkimSignature } from './dkim-signature.ts'
import { encodeText } from './transfer-encoding.ts'

/** Maximum length of a header line before it is folded. */
const maxHeaderLine = 76

/** A message as bytes, with the addresses of its envelope. */
export interface MimeMessage {
  readonly from: string
  readonly to: readonly string[]
  readonly raw: Uint8Array
}

/**
 * Encodes a message as MIME, and signs it if it has a DKIM key. Rejects if it cannot be encoded.
 *
 * The headers are encoded by Nodemailer. It builds the rest from streams for each message, which takes ten times as long.
 */
export async function encodeMime(message: OutgoingMessage): Promise<MimeMessage> {
  const { from, to, replyTo, envelope, subject, messageId, headers, dkim } = message
  const lines = [
    ...Object.entries(headers).map(([name, { value }]) => `${name}: ${value}`),
    header('From', from),
    header('To', to),
    ...(replyTo ? [header('Reply-To', replyTo)] : []),
    header('Subject', subject),
    header('Message-ID', messageId),
    `Date: ${new Date().toUTCString().replace('GMT', '+0000')}`,
    'MIME-Version: 1.0',
  ]
  const raw = Buffer.from(`${lines.filter((line) => line !== '').join('\r\n')}\r\n${bodyOf(message)}`)
  const recipient = plainAddress(envelope?.to ?? to.address)
  return {
    from: plainAddress(envelope?.from ?? from.address),
    to: recipient === '' ? [] : [recipient],
    raw: dkim ? Buffer.concat([Buffer.from(`${dkimSignature(raw, dkim)}\r\n`), raw]) : raw,
  }
}

const headerEncoder = new MimeNode(false)

/** Returns a header in ASCII, folded, or an empty string if it has no value. */
function header(name: string, value: string | OutgoingMessage['to']): string {
  const encoded = headerEncoder.encodeHeaderValue(name, value)
  return encoded.trim() === '' ? '' : foldLines(`${name}: ${encoded}`, maxHeaderLine)
}

/** Returns an address as it is in the SMTP dialogue: with an ASCII domain, without angle brackets. */
function plainAddress(address: string): string {
  return headerEncoder.encodeHeaderValue('To', { name: '', address }).replace(/^<(.*)>$/, '$1')
}

/** Returns the last headers and the body: text and HTML as alternatives, or the only one that there is. */
function bodyOf({ messageId, text, html }: OutgoingMessage): string {
  const parts = [partOf('text/plain', text), ...(html === '' ? [] : [partOf('text/html', html)])].slice(
    text === '' ? -1 : 0,
  )
  if (parts.length === 1) return `${parts[0]}\r\n`
  // No encoding of a part contains =_, and the ID keeps forwarded messages apart.
  const boundary = `=_${messageId.replace(/[^\w.]+/g, '').slice(0, 60)}`
  const encoded = parts.map((part) => `--${boundary}\r\n${part}\r\n`).join('')
  return `Content-Type: multipart/alternative;\r\n boundary="${boundary}"\r\n\r\n${encoded}--${boundary}--\r\n`
}

function partOf(type: string, text: string): string {
  const { encoding, encoded } = encodeText(text)
  return `Content-Type: ${type}; charset=utf-8\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n${encoded}`
}
