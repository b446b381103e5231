import { domainToASCII, domainToUnicode } from 'node:url'

/** Maximum lengths of a label and of a name in the DNS (RFC 1035, section 2.3.4). */
const maxLabelLength = 63
const maxNameLength = 253

/**
 * Returns the form in which e-mail addresses are compared: all spellings of a mailbox have the same one. Characters are lower
 * case, also outside ASCII, and composed (NFC); the domain is in ASCII (RFC 5891). The function `address_key` of the database is
 * the same.
 */
export function addressKey(address: string): string {
  if (isAscii(address)) return address.toLowerCase()
  const end = address.lastIndexOf('@')
  if (end < 0) return foldLocalPart(address)
  const domain = address.slice(end + 1)
  return `${foldLocalPart(address.slice(0, end))}@${asciiDomain(domain) ?? lowerAscii(domain).normalize()}`
}

/**
 * Returns the spellings of an address in lower case, to find copies of it: as it is, its key, and the key with the domain in
 * Unicode, composed and decomposed.
 */
export function addressSpellings(address: string): string[] {
  const key = addressKey(address)
  const start = key.lastIndexOf('@') + 1
  const local = key.slice(0, start)
  const names = [key.slice(start), domainToUnicode(key.slice(start))]
  const spellings = names.flatMap((name) =>
    (['NFC', 'NFD'] as const).flatMap((form) => [local + name.normalize(form), (local + name).normalize(form)]),
  )
  return [...new Set([address.toLowerCase(), key, ...spellings])].filter((spelling) => !spelling.endsWith('@'))
}

/** Returns a domain as it is in the DNS: in ASCII and lower case. Undefined if it has no such form, or if that is too long. */
export function asciiDomain(domain: string): string | undefined {
  if (isAscii(domain)) return domain.toLowerCase()
  const name = domainToASCII(domain)
  const isFitting = name.length <= maxNameLength && name.split('.').every(({ length }) => length <= maxLabelLength)
  return name !== '' && isFitting ? name : undefined
}

/** The final sigma is the same character: which one a capital becomes depends on its place. */
function foldLocalPart(text: string): string {
  return text.normalize().toLowerCase().replaceAll('ς', 'σ').normalize()
}

function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

function isAscii(text: string): boolean {
  return /^[\0-\x7f]*$/.test(text)
}
