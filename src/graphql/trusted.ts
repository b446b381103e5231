import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'

/** Documents that are known before they are asked for: a client names one by its hash instead of sending it. */
export interface TrustedDocuments {
  /** The text of a document, by its SHA-256 in hex, with or without `sha256:` before it. */
  text(hash: string): string | undefined
  /** The operation's name to count requests under, or undefined for a document that is not trusted. */
  nameOf(text: string): string | undefined
}

/**
 * Reads a manifest of trusted documents: a JSON object of hash → text, as the usual client tools write it. Fails where the
 * file cannot be read, or a hash is not its document's.
 */
export async function readTrusted(path: string | undefined): Promise<TrustedDocuments> {
  const byHash = new Map<string, string>()
  const names = new Map<string, string>()
  if (path !== undefined) {
    const manifest: unknown = JSON.parse(await readFile(path, 'utf8'))
    for (const [given, text] of Object.entries(manifest as Record<string, unknown>)) {
      const hash = given.replace(/^sha256:/, '').toLowerCase()
      if (typeof text !== 'string' || createHash('sha256').update(text).digest('hex') !== hash) {
        throw new Error(`TRUSTED_DOCUMENTS: ${given} is not the SHA-256 of its document.`)
      }
      byHash.set(hash, text)
      names.set(text, /(?:query|mutation|subscription)\s+([A-Za-z_]\w*)/.exec(text)?.[1] ?? hash.slice(0, 12))
    }
  }
  return {
    text: (hash) => byHash.get(hash.replace(/^sha256:/, '').toLowerCase()),
    nameOf: (text) => names.get(text),
  }
}
