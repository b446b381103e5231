import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
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

/** Documents of a manifest. Clients can send the hash of such a document instead of its text. */
export interface TrustedDocuments {
  /** Returns the text of a document by its SHA-256 in hexadecimal, with or without the prefix `sha256:`. */
  text(hash: string): string | undefined
  /** Returns the name under which metrics count the document. Undefined if the document is not trusted. */
  nameOf(text: string): string | undefined
}

/**
 * Reads a manifest of trusted documents: a JSON object of hashes and texts, as common client tools write it. Without a
 * path, there are no trusted documents. Throws if the file cannot be read, or a hash is not that of its document.
 */
export async function readTrustedDocuments(path: string | undefined): Promise<TrustedDocuments> {
  const byHash = new Map<string, string>()
  const names = new Map<string, string>()
  if (path !== undefined) {
    const manifest: unknown = JSON.parse(await readFile(path, 'utf8'))
    for (const [key, text] of Object.entries(manifest as Record<string, unknown>)) {
      const hash = plainHash(key)
      if (typeof text !== 'string' || hashOfDocument(text) !== hash) {
        throw new Error(`TRUSTED_DOCUMENTS: ${key} is not the SHA-256 of its document.`)
      }
      byHash.set(hash, text)
      names.set(text, /(?:query|mutation|subscription)\s+([A-Za-z_]\w*)/.exec(text)?.[1] ?? hash.slice(0, 12))
    }
  }
  return {
    text: (hash) => byHash.get(plainHash(hash)),
    nameOf: (text) => names.get(text),
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
