import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'

/**
 * Signs and encrypts data that clients return, such as links and cookies, with the server's secret. Each text includes
 * its purpose.
 */
export interface Signer {
  /** The secret, for signatures and encryption in other formats. */
  readonly secret: string
  /** Returns the signature of a text: 43 characters that are safe in URLs. */
  sign(text: string): string
  /** Returns whether a signature is valid for a text. Takes constant time. */
  isSigned(text: string, signature: string): boolean
  /**
   * Encrypts a text that clients store but must not read. The result is safe in cookies, differs each time, and reveals
   * only the length. `about` binds it to a purpose.
   */
  seal(about: string, text: string): string
  /** Returns the text that was encrypted for this purpose, or undefined if it was not, or with another secret. */
  unseal(about: string, sealed: string): string | undefined
}

const cipher = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

/** Creates a signer with a secret. */
export function newSigner(secret: string): Signer {
  const sign = (text: string) => createHmac('sha256', secret).update(text).digest('base64url')
  const key = new Uint8Array(hkdfSync('sha256', secret, '', 'campanile cookies', 32))
  return {
    secret,
    sign,
    isSigned: (text, signature) => {
      const [expected, actual] = [Buffer.from(sign(text)), Buffer.from(signature)]
      return expected.length === actual.length && timingSafeEqual(expected, actual)
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
