import { Prisma } from '../../prisma/generated/client/client.ts'

/** A piece of SQL with its values, to be put together with others. */
export type Sql = Prisma.Sql

/** Writes a piece of SQL; values that are interpolated become parameters, pieces of SQL become part of it. */
export const sql = Prisma.sql
export const raw = Prisma.raw
export const join = Prisma.join
export const empty = Prisma.empty

/** Stands for an account's id inside a statement, so that a statement without it can be told and refused. */
export interface AccountMark {
  readonly markedAccountId: number
}

/** Runs a statement for one account and answers its rows. Refuses one that does not name the account. */
export interface Statement {
  <Row>(strings: TemplateStringsArray, ...values: unknown[]): Promise<Row[]>
  /** What to write where a statement compares with the account's id. */
  readonly account: AccountMark
}

/** Sends text with positional parameters to the server. */
export type Send = <Row>(text: string, values: unknown[]) => Promise<Row[]>

/** The statement runner of an account, over whatever sends text: a pool, or one open transaction. */
export function statementOf(accountId: number, send: Send): Statement {
  const account: AccountMark = Object.freeze({ markedAccountId: accountId })
  const run = async <Row>(strings: TemplateStringsArray, ...values: unknown[]): Promise<Row[]> => {
    const statement = sql(strings, ...values)
    let isMarked = false
    const parameters = statement.values.map((value) => {
      if (!isMark(value)) return value
      if (value.markedAccountId !== accountId) throw new Error('A statement names another account than its own.')
      isMarked = true
      return accountId
    })
    if (!isMarked) throw new Error(`A statement does not name its account: ${statement.text}`)
    return send<Row>(statement.text, parameters)
  }
  return Object.assign(run, { account })
}

/** `%text%` for LIKE, with the characters that LIKE would take for wildcards made plain. */
export function containing(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`
}

function isMark(value: unknown): value is AccountMark {
  return typeof value === 'object' && value !== null && 'markedAccountId' in value
}
