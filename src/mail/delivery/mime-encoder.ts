import nodemailer from 'nodemailer'
import type { Letter } from '../../kernel/letter.ts'

/** Messages must not make Nodemailer read files or URLs. */
const safeOptions = { disableFileAccess: true, disableUrlAccess: true }

const encoder = nodemailer.createTransport({ streamTransport: true, buffer: true, newline: 'windows', ...safeOptions })

/** A message as bytes, with the addresses of its envelope. */
export interface MimeMessage {
  readonly from: string
  readonly to: readonly string[]
  readonly raw: Uint8Array
}

/** Encodes a message as MIME, and signs it if it has a DKIM key. Rejects if it cannot be encoded. */
export async function encodeMime(letter: Letter): Promise<MimeMessage> {
  const { message, envelope } = await encoder.sendMail({ ...letter, ...safeOptions } as never)
  const { from, to } = envelope
  return { from: from || '', to, raw: message as Buffer }
}
