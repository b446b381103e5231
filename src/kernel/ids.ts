import { invalid } from './errors.ts'

/** The largest id that PostgreSQL's integer holds; anything beyond it names nothing. */
export const largestId = 2_147_483_647

/** What stands for "no row has this id": sequences start at 1. */
const noId = 0

/** The global id of a node: opaque to clients, unique across types. */
export function globalId(type: string, id: number): string {
  return Buffer.from(`${type}:${id}`).toString('base64url')
}

/** Type and integer of a global id, or undefined where it is not exactly one that `globalId` made. */
export function readGlobalId(text: string): { type: string; id: number } | undefined {
  const match = /^([A-Z][A-Za-z]*):([1-9]\d{0,9})$/.exec(Buffer.from(text, 'base64url').toString('latin1'))
  if (!match?.[1] || !match[2]) return undefined
  const found = { type: match[1], id: Number(match[2]) }
  return found.id <= largestId && globalId(found.type, found.id) === text ? found : undefined
}

/**
 * The integer id that an input names, given as a global id of that type or as the integer that REST shows. An integer
 * that no row can have gives an id that is simply not found; text that is neither fails with VALIDATION_ERROR.
 */
export function idOf(type: string, given: string | number, field = 'id'): number {
  const text = String(given)
  if (/^-?\d+$/.test(text)) {
    const id = Number(text)
    return id >= 1 && id <= largestId ? id : noId
  }
  const read = readGlobalId(text)
  if (read?.type !== type) throw invalid({ [field]: [`must be the id of a ${type}`] })
  return read.id
}
