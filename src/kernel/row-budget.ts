import { refuse } from './errors.ts'

/** What one execution may load and show. */
export interface RowCeilings {
  /** Rows that are read from the database. */
  readonly rows: number
  /** Fields in all elements of all lists of the answer. */
  readonly fields: number
}

/** Counts what one execution loads and shows. Shared by everything that works for the execution. */
export interface RowBudget {
  isExceeded(): boolean
  /** Rows that were loaded so far. */
  loaded(): number
  /** Counts rows that were loaded. Throws QUERY_TOO_COMPLEX once there are more than allowed. */
  load(rows: number): void
  /** Counts fields that a list will show. Throws QUERY_TOO_COMPLEX once there are more than allowed. */
  show(fields: number): void
  /** Throws QUERY_TOO_COMPLEX if a ceiling was exceeded, so that nothing more is read. */
  mustNotBeExceeded(): void
  /** Starts again from zero. */
  restart(ceilings: RowCeilings): void
}

/** A budget for one execution. */
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
    restart: (next) => {
      ceilings = next
      loaded = 0
      shown = 0
    },
  }
}
