import { invalid } from './errors.ts'

/** The largest ID that fits PostgreSQL's integer type. */
export const largestId = 2_147_483_647

/** An ID that no row has, because sequences start at 1. */
const noId = 0

/** Returns the global ID of a node: opaque to clients, unique across types. */
export function globalId(type: string, id: number): string {
  return Buffer.from(`${type}:${id}`).toString('base64url')
}

/** Returns type and integer of a global ID, or undefined if `globalId` did not create it. */
export function readGlobalId(text: string): { type: string; id: number } | undefined {
  const match = /^([A-Z][A-Za-z]*):([1-9]\d{0,9})$/.exec(Buffer.from(text, 'base64url').toString('latin1'))
  if (!match?.[1] || !match[2]) return undefined
  const found = { type: match[1], id: Number(match[2]) }
  return found.id <= largestId && globalId(found.type, found.id) === text ? found : undefined
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
  const text = String(given)
  if (/^-?\d+$/.test(text)) {
    const id = Number(text)
    return id >= 1 && id <= largestId ? id : noId
  }
  const read = readGlobalId(text)
  if (read?.type !== type) throw invalid({ [field]: [`must be the id of a ${type}`] }, 'INVALID_ID')
  return read.id
}
