import nodemailer from 'nodemailer'
import type { Letter } from '../kernel/letter.ts'

/** A letter as it goes over the wire: made once, however often it is handed over. */
export interface Parcel {
  /** With its angle brackets. */
  readonly messageId: string
  readonly from: string
  readonly to: readonly string[]
  readonly raw: Buffer
}

/** What a letter must not make Nodemailer do. */
const harmless = { disableFileAccess: true, disableUrlAccess: true }

const packer = nodemailer.createTransport({ streamTransport: true, buffer: true, newline: 'windows', ...harmless })

/**
 * Makes of a letter what is handed over: its parts encoded, and signed where there is a key. That takes more time than all
 * else that is done for a message, so it is done before a connection waits for it. Rejects where it cannot be made.
 */
export async function pack(letter: Letter): Promise<Parcel> {
  const { message, envelope } = await packer.sendMail({ ...letter, ...harmless } as never)
  const { from, to } = envelope
  return { messageId: letter.messageId, from: from || '', to, raw: message as Buffer }
}
