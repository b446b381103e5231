import { createHash } from 'node:crypto'
import { invalid } from './errors.ts'
import { largestId } from './ids.ts'

export const defaultPageSize = 50
export const maxPageSize = 100

/** How a client asks for a part of a list: by cursor in either direction, or by offset. */
export interface PageArgs {
  first?: number | null | undefined
  after?: string | null | undefined
  last?: number | null | undefined
  before?: string | null | undefined
  offset?: number | null | undefined
}

/** A place in a list: the value it is ordered by, and the id that breaks ties. */
export interface Place {
  value: string
  id: string
}

/** A page to read: how many rows, in which direction, from where. */
export interface PageRequest {
  size: number
  backward: boolean
  from: Place | undefined
  offset: number
}

/**
 * Reads page arguments. `identity` names the list, its order and its filter: a cursor made for another list is refused.
 * Fails with VALIDATION_ERROR naming the argument.
 */
export function readPage(args: PageArgs, identity: string): PageRequest {
  const backward = args.last != null || (args.before != null && args.first == null)
  if (args.first != null && args.last != null) throw invalid({ last: ['cannot go with first'] })
  if (args.after != null && backward) throw invalid({ after: ['goes with first, not with last or before'] })
  if (args.before != null && !backward) throw invalid({ before: ['goes with last, not with first'] })
  const offset = args.offset ?? 0
  if (offset < 0 || offset > largestId) throw invalid({ offset: [`must be a whole number from 0 to ${largestId}`] })
  if (args.offset != null && (args.after != null || backward)) {
    throw invalid({ offset: ['goes with first alone, not with cursors'] })
  }
  const [name, size] = backward ? ['last', args.last] : ['first', args.first]
  if (size != null && (size < 1 || size > maxPageSize)) {
    throw invalid({ [name as string]: [`must be a whole number from 1 to ${maxPageSize}`] })
  }
  const cursor = backward ? args.before : args.after
  return {
    size: size ?? defaultPageSize,
    backward,
    from: cursor == null ? undefined : readCursor(cursor, identity, backward ? 'before' : 'after'),
    offset,
  }
}

/** A short name for a list with its order and filter, equal where these are equal. */
export function identityOf(...parts: unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 10)
}

/** The cursor of a place in the list that `identity` names: opaque to clients, good even after its row is gone. */
export function writeCursor(place: Place, identity: string): string {
  return Buffer.from(JSON.stringify([identity, place.value, place.id])).toString('base64url')
}

function readCursor(cursor: string, identity: string, argument: string): Place {
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
