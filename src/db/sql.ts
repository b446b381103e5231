import { Prisma } from '../../prisma/generated/client/client.ts'

/** A fragment of SQL with its values, which can be combined with others. */
export type Sql = Prisma.Sql

/** Creates a fragment of SQL. Interpolated values become parameters, and interpolated fragments become part of it. */
export const sql = Prisma.sql
export const raw = Prisma.raw
export const join = Prisma.join
export const empty = Prisma.empty

/** Placeholder for an account's ID in a statement, by which statements without it are detected. */
interface AccountMark {
  readonly markedAccountId: number
}

/** Runs a statement for one account and returns its rows. Throws if the statement does not name the account. */
export interface Statement {
  <Row>(strings: TemplateStringsArray, ...values: unknown[]): Promise<Row[]>
  /** Placeholder to use where a statement compares with the account's ID. */
  readonly account: AccountMark
  /**
   * Returns what runs a statement whose conditions a client chose. It throws VALIDATION_ERROR if the statement takes longer
   * than 2 seconds for each of the `filters` that it evaluates, at most 10 seconds. The error names the argument `filter`,
   * unless the filters are stored. Inside a transaction, only the timeout of the transaction applies.
   */
  limited(
    filters: number,
    areStored?: boolean,
  ): <Row>(strings: TemplateStringsArray, ...values: unknown[]) => Promise<Row[]>
  /**
   * Runs a statement whose rows are not needed. Inside a transaction, it is sent with the next statement or the commit, which fail if it
   * fails.
   */
  later(strings: TemplateStringsArray, ...values: unknown[]): Promise<void>
}

/** Sends SQL with positional parameters to the server. */
export type Send = <Row>(text: string, values: unknown[]) => Promise<Row[]>

/** Sends SQL that evaluates a number of filters of a client, with a time limit for each of them. */
export type SendLimited = <Row>(text: string, values: unknown[], filters: number, areStored: boolean) => Promise<Row[]>

/** Sends SQL without waiting for its end. */
type SendLater = (text: string, values: unknown[]) => void

/** Creates the statement runner of an account. The functions send statements to a pool or in an open transaction. */
export function statementOf(
  accountId: number,
  { send, sendLimited = send, sendLater = send }: { send: Send; sendLimited?: SendLimited; sendLater?: SendLater },
): Statement {
  const account: AccountMark = Object.freeze({ markedAccountId: accountId })
  const check = (strings: TemplateStringsArray, values: unknown[]) => {
    const statement = sql(strings, ...values)
    let isMarked = false
    const parameters = statement.values.map((value) => {
      if (!isMark(value)) return value
      if (value.markedAccountId !== accountId) throw new Error('A statement names another account than its own.')
      isMarked = true
      return accountId
    })
    if (!isMarked) throw new Error(`A statement does not name its account: ${statement.text}`)
    return [statement.text, parameters] as const
  }
  const run = async <Row>(strings: TemplateStringsArray, ...values: unknown[]): Promise<Row[]> =>
    send<Row>(...check(strings, values))
  const limited: Statement['limited'] =
    (filters, areStored = false) =>
    async <Row>(strings: TemplateStringsArray, ...values: unknown[]) =>
      sendLimited<Row>(...check(strings, values), filters, areStored)
  const later: Statement['later'] = async (strings, ...values) => {
    await sendLater(...check(strings, values))
  }
  return Object.assign(run, { account, limited, later })
}

/**
 * Returns the condition that a column has one of the ids. For a single id it is an equality: the planner then finds the rows in
 * the order of the index's further columns.
 */
export function isOneOf(column: Sql, ids: readonly number[]): Sql {
  return ids.length === 1 ? sql`${column} = ${ids[0]}::int` : sql`${column} = ANY(${ids}::int[])`
}

/** Returns the pattern `%text%` for LIKE, with wildcards in the text escaped. */
export function containing(text: string): string {
  return `%${startingWith(text)}`
}

/** Returns the pattern `text%` for LIKE, with wildcards in the text escaped. */
export function startingWith(text: string): string {
  return `${text.replace(/[\\%_]/g, '\\$&')}%`
}

function isMark(value: unknown): value is AccountMark {
  return typeof value === 'object' && value !== null && 'markedAccountId' in value
}
