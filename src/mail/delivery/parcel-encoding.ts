import nodemailer from 'nodemailer'
import type { OutgoingMessage } from '../../kernel/outgoing-message.ts'

/** What a letter must not make Nodemailer do. */
const harmless = { disableFileAccess: true, disableUrlAccess: true }

const packer = nodemailer.createTransport({ streamTransport: true, buffer: true, newline: 'windows', ...harmless })

/** A message as bytes, with the addresses of its envelope. */
export interface Encoded {
  readonly from: string
  readonly to: readonly string[]
  readonly raw: Uint8Array
}

/** Encodes a letter, and signs it if it has a key. Rejects if it cannot be encoded. */
export async function encode(letter: OutgoingMessage): Promise<Encoded> {
  const { message, envelope } = await packer.sendMail({ ...letter, ...harmless } as never)
  const { from, to } = envelope
  return { from: from || '', to, raw: message as Buffer }
}
