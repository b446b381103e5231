import { refuse } from './errors.ts'

/** Limits on the rows and fields of one execution. */
interface RowCeilings {
  /** Maximum number of rows read from the database. */
  readonly rows: number
  /** Maximum number of fields in all elements of all lists of the response. */
  readonly fields: number
}

/** Counts the rows and fields of one execution. Shared by all work for the execution. */
export interface RowBudget {
  isExceeded(): boolean
  /** Returns the number of rows loaded so far. */
  loaded(): number
  /** Counts loaded rows. Throws QUERY_TOO_COMPLEX if the limit is exceeded. */
  load(rows: number): void
  /** Counts the fields of a list in the response. Throws QUERY_TOO_COMPLEX if the limit is exceeded. */
  show(fields: number): void
  /** Throws QUERY_TOO_COMPLEX if a limit was exceeded, so that no further rows are read. */
  mustNotBeExceeded(): void
  /** Resets the counters and sets new limits, by default the same. */
  restart(ceilings?: RowCeilings): void
}

/** Creates the budget of one execution. */
export function newRowBudget(initial: RowCeilings): RowBudget {
  let ceilings = initial
  let loaded = 0
  let shown = 0
  const isExceeded = () => loaded > ceilings.rows || shown > ceilings.fields
  const mustNotBeExceeded = () => {
    if (!isExceeded()) return
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
    restart: (next = ceilings) => {
      ceilings = next
      loaded = 0
      shown = 0
    },
  }
}
