import { Prisma } from '../../prisma/generated/client/client.ts'
import type { Copied, CopyFormat, Send, SendCopy, SendLater, SendLimited } from './driver/index.ts'

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
   * Runs a statement that finds few rows by an index. Those that are run in the same turn share a connection, which takes less
   * time. A statement that can take long would delay the others.
   */
  brief<Row>(strings: TemplateStringsArray, ...values: unknown[]): Promise<Row[]>
  /**
   * Runs a statement whose rows are not needed. Inside a transaction, it is sent with the next statement or the commit, which
   * fail if it fails.
   */
  later(strings: TemplateStringsArray, ...values: unknown[]): Promise<void>
  /**
   * Returns what runs a query with COPY … TO STDOUT, which formats rows in less than half the time that expressions take. With
   * `filters`, the time is limited as by `limited`. Throws inside a transaction.
   */
  copy(format: CopyFormat, filters?: number): (strings: TemplateStringsArray, ...values: unknown[]) => Promise<Copied>
}

const refuseCopy: SendCopy = async () => {
  throw new Error('Rows are not copied inside a transaction.')
}

/** Creates the statement runner of an account. The functions send statements to a pool or in an open transaction. */
export function statementOf(
  accountId: number,
  {
    send,
    sendLimited = send,
    sendLater = send,
    sendCopy = refuseCopy,
    newGroup,
  }: {
    send: Send
    sendLimited?: SendLimited
    sendLater?: SendLater
    sendCopy?: SendCopy
    newGroup?: (() => Send) | undefined
  },
): Statement {
  const account: AccountMark = Object.freeze({ markedAccountId: accountId })
  const check = (strings: TemplateStringsArray, values: unknown[]) => {
    const statement = sql(strings, ...values)
    return [statement.text, parametersOf(statement, accountId)] as const
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
  const copy: Statement['copy'] =
    (format, filters) =>
    async (strings, ...values) => {
      const statement = sql(strings, ...values)
      const parameters = parametersOf(statement, accountId)
      return sendCopy({ text: statement.text, parts: statement.strings, values: parameters, format, filters })
    }
  let sendBrief: Send | undefined
  const brief: Statement['brief'] = async <Row>(strings: TemplateStringsArray, ...values: unknown[]) => {
    sendBrief ??= newGroup?.() ?? send
    return sendBrief<Row>(...check(strings, values))
  }
  // Each request has a runner, and Object.assign takes longer than this.
  run.account = account
  run.limited = limited
  run.later = later
  run.copy = copy
  run.brief = brief
  return run
}

/** Returns the parameters of a statement, with the account's ID at its placeholder. Throws if there is none. */
function parametersOf(statement: Sql, accountId: number): unknown[] {
  let isMarked = false
  const parameters = statement.values.map((value) => {
    if (!isMark(value)) return value
    if (value.markedAccountId !== accountId) throw new Error('A statement names another account than its own.')
    isMarked = true
    return accountId
  })
  if (!isMarked) throw new Error(`A statement does not name its account: ${statement.text}`)
  return parameters
}

/**
 * Returns the condition that a column has one of the values. For a single one it is an equality: the planner then finds the rows
 * in the order of the index's further columns, and plans a prepared statement once. Arrays have different lengths, so it plans
 * them again.
 */
export function isOneOf(column: Sql, values: readonly unknown[], type: 'int' | 'bigint' | 'text' = 'int'): Sql {
  return values.length === 1
    ? sql`${column} = ${values[0]}::${raw(type)}`
    : sql`${column} = ANY(${values}::${raw(type)}[])`
}

/** Returns the condition that a column has one of the values of an enum. The planner estimates it, unlike that of an array. */
export function isOneOfEnum(column: Sql, values: readonly string[], type: string): Sql {
  return sql`${column} IN (${join(values.map((value) => sql`${value}::text::${raw(type)}`))})`
}

/**
 * Returns rows for FROM. Each column is a list of values, and its type. A single row consists of parameters, so that a prepared
 * statement is planned once, as with `isOneOf`.
 */
export function rowsOf(...columns: readonly (readonly [values: readonly unknown[], type: string])[]): Sql {
  const isSingle = columns.every(([values]) => values.length === 1)
  const written = columns.map(([values, type]) =>
    isSingle ? sql`${values[0]}::${raw(type)}` : sql`${values}::${raw(type)}[]`,
  )
  return isSingle ? sql`(VALUES (${join(written)}))` : sql`unnest(${join(written)})`
}

/** Returns the SQL array of the forms in which addresses are compared (`address_key`). */
export function addressKeys(addresses: readonly string[]): Sql {
  return sql`ARRAY(SELECT address_key(given.address) FROM unnest(${[...addresses]}::text[]) AS given(address))`
}

/** Returns the pattern `%text%` for LIKE, with wildcards in the text escaped. */
export function containing(text: string): string {
  return `%${startingWith(text)}`
}

/** Sorts a text as a dictionary does: by its letters, then by accents and case. Different texts are never equal. */
export const inDictionary = (text: Sql): Sql => sql`${text} COLLATE dictionary`

/** Sorts a text as a dictionary does, regardless of case. */
export const inDictionaryOfAnyCase = (text: Sql): Sql => inDictionary(sql`lower(${text})`)

/** Returns the pattern `text%` for LIKE, with wildcards in the text escaped. */
export function startingWith(text: string): string {
  return `${escaped(text)}%`
}

/** Returns the pattern `%text` for LIKE, with wildcards in the text escaped. */
export function endingWith(text: string): string {
  return `%${escaped(text)}`
}

const escaped = (text: string) => text.replace(/[\\%_]/g, '\\$&')

function isMark(value: unknown): value is AccountMark {
  return typeof value === 'object' && value !== null && 'markedAccountId' in value
}
