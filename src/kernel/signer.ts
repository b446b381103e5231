import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'

/** Signs what clients carry and bring back, with the server's secret: links, cookies. A text names what it is for. */
export interface Signer {
  /** The signature of a text: 43 characters that can stand in an address. */
  sign(text: string): string
  /** Whether a signature is that of a text. Takes as long for a wrong one as for the right one. */
  isSigned(text: string, signature: string): boolean
  /**
   * Encrypts a text that clients carry and must not read: letters that can stand in a cookie, other ones each time. Only its
   * length can be seen. `about` ties it to what it is for.
   */
  seal(about: string, text: string): string
  /** The text that was sealed about this; undefined if it was not, or with another secret. */
  unseal(about: string, sealed: string): string | undefined
}

const cipher = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

/** A signer over a secret. */
export function newSigner(secret: string): Signer {
  const sign = (text: string) => createHmac('sha256', secret).update(text).digest('base64url')
  const key = new Uint8Array(hkdfSync('sha256', secret, '', 'campanile cookies', 32))
  return {
    sign,
    isSigned: (text, signature) => {
      const [right, given] = [Buffer.from(sign(text)), Buffer.from(signature)]
      return right.length === given.length && timingSafeEqual(right, given)
    },
    seal: (about, text) => {
      const nonce = randomBytes(nonceBytes)
      const sealing = createCipheriv(cipher, key, nonce).setAAD(Buffer.from(about))
      const body = Buffer.concat([sealing.update(text, 'utf8'), sealing.final()])
      return Buffer.concat([nonce, sealing.getAuthTag(), body]).toString('base64url')
    },
    unseal: (about, sealed) => {
      const bytes = Buffer.from(sealed, 'base64url')
      if (bytes.length < nonceBytes + tagBytes) return undefined
      const opening = createDecipheriv(cipher, key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes })
      opening.setAAD(Buffer.from(about)).setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes))
      try {
        return opening.update(bytes.subarray(nonceBytes + tagBytes), undefined, 'utf8') + opening.final('utf8')
      } catch {
        return undefined
      }
    },
  }
}
