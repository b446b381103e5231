import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const cipher = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

/**
 * Encrypts a value so that a copy of the database does not disclose it (AES-256-GCM). `context` is authenticated: it binds the
 * value to its row.
 */
export function encrypt(secret: string, context: string, text: string): Uint8Array<ArrayBuffer> {
  const nonce = randomBytes(nonceBytes)
  const encryption = createCipheriv(cipher, keyOf(secret), nonce).setAAD(Buffer.from(context))
  const body = Buffer.concat([encryption.update(text, 'utf8'), encryption.final()])
  return new Uint8Array(Buffer.concat([nonce, encryption.getAuthTag(), body]))
}

/** Decrypts a value. Undefined if it was encrypted with another secret or context. */
export function decrypt(secret: string, context: string, encrypted: Uint8Array): string | undefined {
  const bytes = Buffer.from(encrypted)
  const [nonce, tag] = [bytes.subarray(0, nonceBytes), bytes.subarray(nonceBytes, nonceBytes + tagBytes)]
  try {
    const decryption = createDecipheriv(cipher, keyOf(secret), nonce, { authTagLength: tagBytes })
    decryption.setAAD(Buffer.from(context)).setAuthTag(tag)
    return decryption.update(bytes.subarray(nonceBytes + tagBytes), undefined, 'utf8') + decryption.final('utf8')
  } catch {
    return undefined
  }
}

function keyOf(secret: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', 'campanile sealed values', 32))
}
