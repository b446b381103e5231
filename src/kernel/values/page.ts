import { createHash } from 'node:crypto'
import { invalid } from '../errors.ts'
import { largestId } from './ids.ts'

export const defaultPageSize = 50
export const maxPageSize = 100

/** Pagination arguments of a client: by cursor in either direction, or by offset. */
export interface PageArgs {
  first?: number | null | undefined
  after?: string | null | undefined
  last?: number | null | undefined
  before?: string | null | undefined
  offset?: number | null | undefined
}

/** A position in a list: the value of the sort key, and the ID that breaks ties. */
export interface Place {
  value: string
  id: string
}

/** A page to read: number of rows, direction and start. */
export interface PageRequest {
  size: number
  backward: boolean
  from: Place | undefined
  offset: number
}

/** Reads a cursor. Throws VALIDATION_ERROR, which names the argument, for a cursor of another list. */
type PlaceReader = (cursor: string, argument: string) => Place

/**
 * Validates pagination arguments. `readPlace` is called if there is a cursor. Throws VALIDATION_ERROR for an invalid
 * argument, and for a cursor of another list.
 */
export function readPage(args: PageArgs, readPlace: PlaceReader): PageRequest {
  const backward = args.last != null || (args.before != null && args.first == null)
  if (args.first != null && args.last != null) throw invalid({ last: ['cannot go with first'] }, 'NOT_COMBINABLE')
  if (args.after != null && backward)
    throw invalid({ after: ['goes with first, not with last or before'] }, 'NOT_COMBINABLE')
  if (args.before != null && !backward) throw invalid({ before: ['goes with last, not with first'] }, 'NOT_COMBINABLE')
  const offset = args.offset ?? 0
  if (offset < 0 || offset > largestId) throw invalid({ offset: [`must be a whole number from 0 to ${largestId}`] })
  if (args.offset != null && (args.after != null || backward)) {
    throw invalid({ offset: ['goes with first alone, not with cursors'] }, 'NOT_COMBINABLE')
  }
  const [name, size] = backward ? ['last', args.last] : ['first', args.first]
  if (size != null && (size < 1 || size > maxPageSize)) {
    throw invalid({ [name as string]: [`must be a whole number from 1 to ${maxPageSize}`] })
  }
  const cursor = backward ? args.before : args.after
  return {
    size: size ?? defaultPageSize,
    backward,
    from: cursor == null ? undefined : readPlace(cursor, backward ? 'before' : 'after'),
    offset,
  }
}

/** Returns a short hash of a list with its order and filter. Equal parts give equal hashes. */
export function identityOf(...parts: unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 10)
}

/**
 * Creates the cursor of a position in the list that `identity` identifies. Cursors are opaque to clients and stay valid
 * after their row was deleted.
 */
export function writeCursor(place: Place, identity: string): string {
  return Buffer.from(JSON.stringify([identity, place.value, place.id])).toString('base64url')
}

/** Returns the position of a cursor. Throws VALIDATION_ERROR for a cursor of another list than that of `identity`. */
export function readCursor(identity: string, cursor: string, argument: string): Place {
  const refusal = invalid({ [argument]: ['must be a cursor of this list, in the same order and with the same filter'] })
  let parts: unknown
  try {
    parts = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
  } catch {
    throw refusal
  }
  if (!Array.isArray(parts) || parts.length !== 3 || !parts.every((part) => typeof part === 'string')) throw refusal
  const [ofList, value, id] = parts as [string, string, string]
  if (ofList !== identity || !/^\d{1,18}$/.test(id) || value.includes('\0')) throw refusal
  if (writeCursor({ value, id }, ofList) !== cursor) throw refusal
  return { value, id }
}
