import type { OutgoingMessage } from '../../kernel/outgoing-message.ts'
import { threadTask } from '../../kernel/thread-pool.ts'
import { type Encoded, encode } from './parcel-encoding.ts'

/** A letter as it goes over the wire: made once, however often it is handed over. */
export interface Parcel {
  /** With its angle brackets. */
  readonly messageId: string
  readonly from: string
  readonly to: readonly string[]
  readonly raw: Buffer
}

/** From so many characters on a letter is encoded in a thread: encoding takes about 10 ms for 100,000 characters. */
const large = 50_000

const encodeInThread = threadTask<OutgoingMessage, Encoded>({
  file: '../content/content.worker',
  base: import.meta.url,
  name: 'encode',
})

/**
 * Makes of a letter what is handed over: its parts encoded, and signed where there is a key. That takes more time than all
 * else that is done for a message, so it is done before a connection waits for it. Large letters are encoded in a thread.
 * Rejects where it cannot be made.
 */
export async function pack(accountId: number, letter: OutgoingMessage): Promise<Parcel> {
  const size = letter.html.length + letter.text.length
  const { from, to, raw } = size < large ? await encode(letter) : await encodeInThread(accountId, letter, size)
  return { messageId: letter.messageId, from, to, raw: Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength) }
}
