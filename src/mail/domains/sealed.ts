import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const cipher = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

/** Encrypts what must not be read from a copy of the database; `about` ties it to what it belongs to. */
export function seal(secret: string, about: string, text: string): Uint8Array<ArrayBuffer> {
  const nonce = randomBytes(nonceBytes)
  const sealing = createCipheriv(cipher, keyOf(secret), nonce).setAAD(Buffer.from(about))
  const body = Buffer.concat([sealing.update(text, 'utf8'), sealing.final()])
  return new Uint8Array(Buffer.concat([nonce, sealing.getAuthTag(), body]))
}

/** What was sealed; undefined where it was with another secret, or belongs to something else. */
export function unseal(secret: string, about: string, sealed: Uint8Array): string | undefined {
  const bytes = Buffer.from(sealed)
  const [nonce, tag] = [bytes.subarray(0, nonceBytes), bytes.subarray(nonceBytes, nonceBytes + tagBytes)]
  try {
    const opening = createDecipheriv(cipher, keyOf(secret), nonce, { authTagLength: tagBytes })
    opening.setAAD(Buffer.from(about)).setAuthTag(tag)
    return opening.update(bytes.subarray(nonceBytes + tagBytes), undefined, 'utf8') + opening.final('utf8')
  } catch {
    return undefined
  }
}

function keyOf(secret: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', 'campanile sealed values', 32))
}
