import { hash, randomBytes } from 'node:crypto'

/** Creates a secret of 256 random bits: 43 characters that are safe in URLs and cookies. */
export function newToken(): string {
  return randomBytes(32).toString('base64url')
}

/** Returns whether a text has the form of a token. */
export function isToken(text: string): boolean {
  return /^[\w-]{43}$/.test(text)
}

/** SHA-256 of a secret in hexadecimal: its stored form, which is sufficient for secrets of 128 random bits and more. */
export function hashOf(secret: string): string {
  return hash('sha256', secret)
}
