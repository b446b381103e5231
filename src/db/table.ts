import type { Prisma } from '../../prisma/generated/client/client.ts'
import type PrismaTypes from '../../prisma/generated/pothos.ts'
import { refuseValue } from '../kernel/errors.ts'
import { idOf } from '../kernel/values/ids.ts'
import { type Ctx, type Loader, many, one } from './context.ts'
import { type Column, type Model, tableOf } from './datamodel.ts'
import { empty, isOneOf, raw, type Sql, sql } from './sql.ts'
import { columnsFor } from './table-columns.ts'

type Shape<Name extends Model> = PrismaTypes[Name]['Shape']

/** Statements return a decimal as exact text. */
type ReadValue<Value> = Value extends Prisma.Decimal ? string : Value

type FlatRow<Row> = { [Field in keyof Row]: Row[Field] }

/** The fields that describe a row: those of the model, without `Left`, with the types of `As` and the names of `Renamed`. */
type RowFields<Name extends Model, Left, As, Renamed extends Record<string, keyof Shape<Name>>> = FlatRow<
  {
    [Field in Exclude<keyof Shape<Name>, Left | Renamed[keyof Renamed]>]: Field extends keyof As
      ? As[Field]
      : ReadValue<Shape<Name>[Field]>
  } & { [Field in keyof Renamed]: ReadValue<Shape<Name>[Renamed[Field]]> }
>

/** How rows differ from their model. */
interface Differences<Left, As, Renamed> {
  /** Names a row in messages. Defaults to the words of the model. */
  readonly noun?: string
  /** Fields that rows do not have, such as secrets and long values. */
  readonly without?: readonly Left[]
  /** Types of fields that are more precise than those of the model: `{} as { data: Data }`. Not read. */
  readonly as?: As
  /** Fields with another name than in the model, by their name in rows. */
  readonly renamed?: Renamed
  /** The condition of rows that exist for readers. Defaults to all. */
  readonly only?: Sql
}

/** A table of accounts, from which the statements on its rows are built. */
export interface Table<Row> {
  readonly alias: string
  /** The table with its alias, for FROM, JOIN, INSERT INTO and UPDATE. */
  readonly source: Sql
  /** The columns of a `Row`, for SELECT and RETURNING. */
  readonly columns: Sql & { readonly of?: Row }
  /**
   * Returns the columns of some fields, for SELECT: all columns if a field has none, or beyond the maximum number of
   * combinations, because clients choose them and each combination is another prepared statement.
   */
  columnsOf(fields: readonly string[]): Sql
  /** Returns the datamodel of a field. */
  column(field: keyof Row & string): Column
  /** Returns a field as SQL: the column with the alias. */
  field(field: keyof Row & string): Sql
  /** Returns `FROM … WHERE account_id = …` with the condition of rows that exist, to which others are appended with AND. */
  from(ctx: Ctx): Sql
  /** Reads the rows of the account. `rest` continues the statement: `AND … ORDER BY … LIMIT … FOR …`. */
  select(ctx: Ctx, rest: Sql): Promise<Row[]>
  /** Creates a loader of the row with a value in a unique field. */
  oneBy<Field extends keyof Row & string>(field: Field): Loader<NonNullable<Row[Field]>, Row, null>
  /** Creates a loader of the rows with a value in a field. */
  manyBy<Field extends keyof Row & string>(field: Field, orderBy: Sql): Loader<NonNullable<Row[Field]>, Row[]>
  /** Restricts a list to the rows whose field refers to the parent. */
  within(field: keyof Row & string): { readonly name: string; readonly from: (ctx: Ctx) => Sql }
  /** Loads rows by id. */
  readonly byId: Loader<IdOf<Row>, Row, null>
  /**
   * Returns a row and locks it until the transaction ends. `field` is the name of the id in errors. **Throws**
   * NOT_FOUND, and VALIDATION_ERROR for the id of another type.
   */
  lock(tx: Ctx, id: string | number, field?: string, strength?: LockStrength): Promise<Row>
  /** Returns NOT_FOUND for a value of the input, by default for its `id`, to be thrown. */
  notFound(path?: string, message?: string): Error
}

/** From the strongest to the weakest: against other locks, against changes, against deletion. */
type LockStrength = 'FOR UPDATE' | 'FOR SHARE' | 'FOR KEY SHARE'

/** The type of the rows of a table. */
export type RowOf<Description> = Description extends Table<infer Row> ? Row : never

type IdOf<Row> = Row extends { id: infer Id } ? Id : never

/** Describes the rows of a table. All columns of the model are read, unless `differences` leaves them out. */
export function table<
  Name extends Model,
  const Left extends keyof Shape<Name> = never,
  As extends { [Field in keyof As]: Field extends keyof Shape<Name> ? unknown : never } = object,
  const Renamed extends Record<string, keyof Shape<Name>> = Record<never, never>,
>(
  model: Name,
  alias: string,
  { noun = wordsOf(model), without = [], renamed, only }: Differences<Left, As, Renamed> = {},
): Table<RowFields<Name, Left, As, Renamed>> {
  type Row = RowFields<Name, Left, As, Renamed>
  type Field = keyof Row & string
  const columns = columnsFor(model, alias, { without, renamed: renamed ?? {} })
  const source = raw(`"${tableOf.get(model)}" ${alias}`)
  const field = (name: string) => raw(`${alias}.${columns.of(name).name}`)
  const visible = only ? sql`AND ${only}` : empty
  const from = (ctx: Ctx) => sql`FROM ${source} WHERE ${raw(alias)}.account_id = ${ctx.sql.account} ${visible}`
  const select = (ctx: Ctx, rest: Sql) => ctx.sql<Row>`SELECT ${columns.all} ${from(ctx)} ${rest}`
  const hasOne = (name: string, keys: readonly unknown[]) =>
    sql`AND ${isOneOf(field(name), keys, elementTypes[columns.of(name).type] ?? 'text')}`
  const oneBy = <Key extends Field>(name: Key) =>
    one<NonNullable<Row[Key]>, Row>(async (ctx, keys) => {
      const rows = await select(ctx, hasOne(name, keys))
      return new Map(rows.map((row) => [row[name] as NonNullable<Row[Key]>, row]))
    })
  const manyBy = <Key extends Field>(name: Key, orderBy: Sql) =>
    many<NonNullable<Row[Key]>, Row>(async (ctx, keys) => {
      const rows = await select(ctx, sql`${hasOne(name, keys)} ORDER BY ${orderBy}`)
      return Map.groupBy(rows, (row) => row[name] as NonNullable<Row[Key]>)
    })
  const notFound = (path = 'id', message = `There is no such ${noun}.`) => refuseValue(path, 'NOT_FOUND', message)
  return {
    alias,
    source,
    columns: columns.all,
    columnsOf: columns.some,
    column: columns.of,
    field,
    from,
    select,
    oneBy,
    manyBy,
    byId: oneBy('id' as Field) as Table<Row>['byId'],
    within: (name) => ({
      name: name.replace(/Id$/, ''),
      from: (ctx) => sql`${from(ctx)} AND ${field(name)} = parent.id`,
    }),
    lock: async (tx, id, name = 'id', strength = 'FOR UPDATE') => {
      const [row] = await select(tx, sql`AND ${raw(alias)}.id = ${idOf(model, id, name)} ${raw(strength)}`)
      if (!row) throw notFound(name)
      return row
    },
    notFound,
  }
}

const elementTypes: Partial<Record<Column['type'], 'bigint' | 'int'>> = { BigInt: 'bigint', Int: 'int' }

/** The words of a name: `custom field` of `CustomField`. */
function wordsOf(model: string): string {
  return model.replace(/\B[A-Z]/g, (letter) => ` ${letter}`).toLowerCase()
}
