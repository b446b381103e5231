import type { Letter } from '../../kernel/letter.ts'
import { threadTask } from '../../kernel/thread-pool.ts'
import { encodeMime, type MimeMessage } from './mime-encoder.ts'

/** A message as it is sent: encoded and signed once, for all attempts of a claim. */
export interface EncodedMessage {
  /** With angle brackets. */
  readonly messageId: string
  readonly from: string
  readonly to: readonly string[]
  readonly raw: Buffer
}

/** Number of characters from which a message is encoded in a thread. Encoding takes about 10 ms per 100,000 characters. */
const threadThreshold = 50_000

const encodeInThread = threadTask<Letter, MimeMessage>({
  file: '../content/content.worker',
  base: import.meta.url,
  name: 'encodeMime',
})

/**
 * Encodes a message, and signs it if it has a DKIM key. This is the most expensive step of a message, so it is done before
 * a connection is taken. Rejects if the message cannot be encoded.
 */
export async function encodeMessage(accountId: number, message: Letter): Promise<EncodedMessage> {
  const size = message.html.length + message.text.length
  const encoded = size < threadThreshold ? await encodeMime(message) : await encodeInThread(accountId, message, size)
  const { from, to, raw } = encoded
  return { messageId: message.messageId, from, to, raw: Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength) }
}
