import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'

/** Documents that clients have sent together with their hash, so that they can send the hash alone afterwards. */
interface PersistedDocuments {
  /** Returns the text of a document that a client of the account has sent. */
  text(accountId: number, hash: string): string | undefined
  add(accountId: number, hash: string, text: string): void
}

/** Memory of all stored documents, in bytes, estimated from their text. */
const cacheBytes = 16_000_000

/**
 * Creates the store of one process. It forgets the documents that were not used for the longest time; clients then send
 * them again. Each account has its own documents, because another account must not learn which documents exist.
 */
export function newPersistedDocuments(): PersistedDocuments {
  const texts = new LRUCache<string, string>({
    maxSize: cacheBytes,
    sizeCalculation: (text) => 500 + 2 * text.length,
  })
  return {
    text: (accountId, hash) => texts.get(`${accountId} ${hash}`),
    add: (accountId, hash, text) => {
      texts.set(`${accountId} ${hash}`, text)
    },
  }
}

/** Returns the SHA-256 of a document in hexadecimal. */
export function hashOfDocument(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** Returns a hash in its usual form: hexadecimal in lower case, without the prefix `sha256:`. */
export function plainHash(hash: string): string {
  return hash.replace(/^sha256:/, '').toLowerCase()
}
