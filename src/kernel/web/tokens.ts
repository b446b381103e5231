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

/** Start of each access token of a browser, by which people and scanners recognise it. */
export const accessTokenPrefix = 'cma_'

/** Returns whether a credential has the form of an access token. */
export function isAccessToken(text: string): boolean {
  return text.startsWith(accessTokenPrefix)
}

/** Returns the first 96 bits of a SHA-256 in hexadecimal, with or without `sha256:`: enough to tell a document from others. */
export function shortHash(sha256: string): string {
  return Buffer.from(sha256.replace(/^sha256:/i, ''), 'hex')
    .subarray(0, 12)
    .toString('base64url')
}
