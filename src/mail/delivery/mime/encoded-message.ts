import { threadTask } from '../../../kernel/work/thread-pool.ts'
import type { OutgoingMessage } from '../../outgoing-message.ts'
import { encodeMime, type MimeMessage } from './mime-encoder.ts'

/** A message as it is sent: encoded and signed once, for all attempts of a claim. */
export interface EncodedMessage {
  /** With angle brackets. */
  readonly messageId: string
  readonly from: string
  readonly to: readonly string[]
  /** Lines end with CRLF. */
  readonly raw: Buffer
}

/** Number of characters from which a message is encoded in a thread. Each 100,000 characters take 0.5 ms, and 3 ms if signed. */
const threadThreshold = 200_000

const encodeInThread = threadTask<OutgoingMessage, MimeMessage>({
  file: '../../content.worker',
  base: import.meta.url,
  name: 'encodeMime',
})

/**
 * Encodes a message, and signs it if it has a DKIM key. It is done before a connection is taken, because no connection
 * should wait for it. Rejects if the message cannot be encoded.
 */
export async function encodeMessage(accountId: number, message: OutgoingMessage): Promise<EncodedMessage> {
  const size = message.html.length + message.text.length
  const encoded = size < threadThreshold ? await encodeMime(message) : await encodeInThread(accountId, message, size)
  const { from, to, raw } = encoded
  return { messageId: message.messageId, from, to, raw: Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength) }
}
