import { type Refusal, refuse } from '../errors.ts'

/** Limits on the rows, fields and bytes of one execution. */
interface RowCeilings {
  /** Maximum number of rows read from the database. */
  readonly rows: number
  /** Maximum number of fields in all elements of all lists of the response. */
  readonly fields: number
  /** Maximum size of the long texts that are read, of all rows, and of the response, each in bytes. */
  readonly bytes: number
}

/** Counts the rows, fields and bytes of one execution. Shared by all work for the execution. */
export interface RowBudget {
  isExceeded(): boolean
  /** Returns the number of rows loaded so far. */
  loaded(): number
  /** Counts loaded rows. Throws QUERY_TOO_COMPLEX if the limit is exceeded. */
  load(rows: number): void
  /** Counts the fields of a list in the response. Throws QUERY_TOO_COMPLEX if the limit is exceeded. */
  show(fields: number): void
  /** Maximum size of the response in bytes. */
  maxBytes(): number
  /** Returns the number of bytes of long texts that may still be read. */
  bytesLeft(): number
  /** Counts long texts before they are read or after they were created; `what` names them. Throws QUERY_TOO_COMPLEX. */
  read(bytes: number, what: string): void
  /** Throws QUERY_TOO_COMPLEX if a limit was exceeded, so that no further rows are read. */
  mustNotBeExceeded(): void
  /** Resets the counters and sets new limits. */
  restart(ceilings: RowCeilings): void
}

/** Creates the budget of one execution. */
export function newRowBudget(initial: RowCeilings): RowBudget {
  let ceilings = initial
  let loaded = 0
  let shown = 0
  let bytes = 0
  let longest = ''
  const isExceeded = () => loaded > ceilings.rows || shown > ceilings.fields || bytes > ceilings.bytes
  const mustNotBeExceeded = () => {
    if (!isExceeded()) return
    if (bytes > ceilings.bytes) throw tooManyBytes(`reads more than ${ceilings.bytes} bytes of ${longest}`)
    const what =
      loaded > ceilings.rows ? `loaded more than ${ceilings.rows} rows` : `shows more than ${ceilings.fields} fields`
    throw refuse('QUERY_TOO_COMPLEX', `The document was stopped: it ${what}. Ask for smaller pages or fewer lists.`)
  }
  return {
    isExceeded,
    mustNotBeExceeded,
    loaded: () => loaded,
    load: (rows) => {
      loaded += rows
      mustNotBeExceeded()
    },
    show: (fields) => {
      shown += fields
      mustNotBeExceeded()
    },
    maxBytes: () => ceilings.bytes,
    bytesLeft: () => Math.max(ceilings.bytes - bytes, 0),
    read: (more, what) => {
      bytes += more
      longest = what
      mustNotBeExceeded()
    },
    restart: (next) => {
      ceilings = next
      loaded = 0
      shown = 0
      bytes = 0
    },
  }
}

/** Returns the error of a document that is stopped because of the size of what it selects. */
export function tooManyBytes(what: string): Refusal {
  return refuse('QUERY_TOO_COMPLEX', `The document was stopped: it ${what}. Ask for fewer long texts in one document.`)
}

/**
 * Counts long texts that a statement reads, if it returned their total size instead of the texts because of `maxBytesOf`. `what`
 * names them. Throws QUERY_TOO_COMPLEX.
 */
export function countRead(rows: RowBudget | undefined, total: number | undefined, what: string): void {
  if (total !== undefined) rows?.read(total, what)
}

/** Returns the size of long texts up to which a statement may read them, in bytes. */
export function maxBytesOf(rows: RowBudget | undefined): number {
  return rows?.bytesLeft() ?? Number.MAX_SAFE_INTEGER
}
