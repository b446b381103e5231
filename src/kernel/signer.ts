import { createHmac, timingSafeEqual } from 'node:crypto'

/** Signs what clients carry and bring back, with the server's secret: links, cookies. A text names what it is for. */
export interface Signer {
  /** The signature of a text: 43 characters that can stand in an address. */
  sign(text: string): string
  /** Whether a signature is that of a text. Takes as long for a wrong one as for the right one. */
  isSigned(text: string, signature: string): boolean
}

/** A signer over a secret. */
export function newSigner(secret: string): Signer {
  const sign = (text: string) => createHmac('sha256', secret).update(text).digest('base64url')
  return {
    sign,
    isSigned: (text, signature) => {
      const [right, given] = [Buffer.from(sign(text)), Buffer.from(signature)]
      return right.length === given.length && timingSafeEqual(right, given)
    },
  }
}
