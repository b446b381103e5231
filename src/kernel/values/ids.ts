import { invalid } from '../errors.ts'

/** The largest ID that fits PostgreSQL's integer type. */
export const largestId = 2_147_483_647

/** An ID that no row has, because sequences start at 1. */
const noId = 0

/** The largest ID that fits PostgreSQL's bigint type. */
export const largestBigId = 9_223_372_036_854_775_807n

/** Returns the global ID of a node: opaque to clients, unique across types. */
export function globalId(type: string, id: number | bigint): string {
  return Buffer.from(`${type}:${id}`).toString('base64url')
}

/** Returns type and integer of a global ID, or undefined if `globalId` did not create it. */
export function readGlobalId(text: string): { type: string; id: bigint } | undefined {
  const match = /^([A-Z][A-Za-z]*):([1-9]\d{0,18})$/.exec(Buffer.from(text, 'base64url').toString('latin1'))
  if (!match?.[1] || !match[2]) return undefined
  const found = { type: match[1], id: BigInt(match[2]) }
  return found.id <= largestBigId && globalId(found.type, found.id) === text ? found : undefined
}

/** Returns an ID as a number; 0, which no row has, if it does not fit PostgreSQL's integer type. */
export function smallId(id: bigint): number {
  return id >= 1n && id <= BigInt(largestId) ? Number(id) : noId
}

/** Returns the noun that names a type in a sentence: `custom field` for CustomField. */
export function nounOf(type: string): string {
  return type.replace(/(?<=.)[A-Z]/g, (letter) => ` ${letter}`).toLowerCase()
}

/**
 * Returns the integer ID of an input, which is a global ID of the type or an integer as in the REST API. Returns an ID
 * that no row has for an integer out of range. Throws VALIDATION_ERROR for other text.
 */
export function idOf(type: string, given: string | number, field = 'id'): number {
  return smallId(bigIdOf(type, given, field))
}

/** Returns the ID of an input for a type whose IDs are PostgreSQL's bigint. Otherwise the same as `idOf`. */
export function bigIdOf(type: string, given: string | number, field = 'id'): bigint {
  const text = String(given)
  if (/^-?\d+$/.test(text)) {
    const id = text.length <= 20 ? BigInt(text) : 0n
    return id >= 1n && id <= largestBigId ? id : BigInt(noId)
  }
  const read = readGlobalId(text)
  if (read?.type !== type) throw invalid({ [field]: [`must be the id of a ${type}`] }, 'INVALID_ID')
  return read.id
}
