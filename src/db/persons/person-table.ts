import type PrismaTypes from '../../../prisma/generated/pothos.ts'
import { columnsOf, type Model, tableOf } from '../datamodel.ts'
import { join, raw, type Sql, sql } from '../sql.ts'

/** A table whose rows a part of the export contains. */
export interface PersonTable {
  readonly model: Model
  readonly name: string
  /** The columns of the file, for SELECT. */
  readonly columns: Sql
  /** The row as a JSON object, with further columns, for a list inside another row. */
  toJson(...added: readonly Sql[]): Sql
  /** Fields that the file does not have, with the reason. */
  readonly omitted: Readonly<Record<string, string>>
}

type FieldOf<Name extends Model> = keyof PrismaTypes[Name]['Shape']

interface Differences<Field extends PropertyKey> {
  /** Fields that the file does not have, with the reason. No file has the ID of the account. */
  readonly omitted?: { readonly [Each in Field]?: string }
  /** Columns with another name in the file. */
  readonly renamed?: { readonly [Each in Field]?: string }
  /** Fields whose value in the file is an expression. */
  readonly read?: { readonly [Each in Field]?: Sql }
}

/**
 * Describes the rows of a table in the export of a person. A file has all columns of the model unless a reason is given, with the
 * times at the end. Decimals are text, because numbers of JSON are not exact.
 */
export function personTable<Name extends Model>(
  model: Name,
  alias: string,
  { omitted = {}, renamed = {}, read = {} }: Differences<FieldOf<Name>> = {},
): PersonTable {
  const omissions: Readonly<Record<string, string>> = { accountId: 'the account that exports', ...omitted }
  const names: Readonly<Record<string, string | undefined>> = renamed
  const expressions: Readonly<Record<string, Sql | undefined>> = read
  const shown = [...columnsOf(model)].filter(([field]) => !(field in omissions))
  const ordered = [
    ...shown.filter(([, { type }]) => type !== 'DateTime'),
    ...shown.filter(([, { type }]) => type === 'DateTime'),
  ]
  const columns = ordered.map(([field, { name, type }]) => {
    const value = expressions[field] ?? raw(`${alias}."${name}"${type === 'Decimal' ? '::text' : ''}`)
    return sql`${value} AS ${raw(`"${names[field] ?? name}"`)}`
  })
  return {
    model,
    name: tableOf.get(model) as string,
    columns: columns.length > 0 ? join(columns, ', ') : raw(''),
    toJson: (...added) => sql`(SELECT x FROM (SELECT ${join([...columns, ...added], ', ')}) x)`,
    omitted: omissions,
  }
}
