import type { Scope } from '../../kernel/scopes.ts'
import type { Ctx } from '../context.ts'
import { addressKeys, type Sql } from '../sql.ts'
import type { PersonTable } from './person-table.ts'

/** A person whose data is exported. */
export interface Person {
  readonly contactId: number
  /** All known e-mail addresses. */
  readonly emails: readonly string[]
}

/** Data about a person of one kind. */
export interface PersonPart {
  /** Scope that a key needs to read it. */
  readonly needs: Scope
  /** Tables whose rows it contains. */
  readonly tables: readonly PersonTable[]
  /** Returns SELECT with the columns of the file, and first an integer `row_id` that identifies a row. */
  select(ctx: Ctx, person: Person): Sql
}

/** Parts by the name of their file. */
export type PersonParts = Readonly<Record<string, PersonPart>>

/** A row of a part, with its columns in order. */
export type PartRow = Readonly<Record<string, unknown>>

/** Number of rows of the first page, and of any page. Each page is sized so that its text has about `targetBytes`. */
const firstSize = 500
const maxSize = 20_000
const targetBytes = 2 * 1024 * 1024

/** Reads a part page by page. No resources are held between pages. */
export async function* readPart(ctx: Ctx, { select }: PersonPart, person: Person): AsyncGenerator<PartRow[]> {
  let size = firstSize
  for (let after = -1; ; ) {
    // OFFSET keeps the planner from searching all rows of the account in the order of their ids.
    const rows = await ctx.sql<{ row: string }>`
      SELECT row_to_json(p)::text AS row FROM (${select(ctx, person)} OFFSET 0) p
      WHERE p.row_id > ${after}::bigint AND ${ctx.sql.account}::int > 0 ORDER BY p.row_id LIMIT ${size}::int`
    const page = rows.map(({ row }) => JSON.parse(row) as { row_id: number })
    if (page.length > 0) yield page.map(({ row_id: _rowId, ...columns }) => columns)
    if (page.length < size) return
    after = page.at(-1)?.row_id ?? after
    const bytes = rows.reduce((sum, { row }) => sum + row.length, 0)
    size = Math.max(Math.min(Math.floor((size * targetBytes) / bytes), maxSize), 1)
  }
}

/** Returns the names of the columns of a part. */
export async function columnsOfPart(ctx: Ctx, { select }: PersonPart, person: Person): Promise<string[]> {
  const [empty] = await ctx.sql<object>`
    SELECT p.* FROM (SELECT) one LEFT JOIN (${select(ctx, person)} LIMIT 0) p ON ${ctx.sql.account}::int > 0`
  return Object.keys(empty ?? {}).filter((name) => name !== 'row_id')
}

/** Returns the SQL array of a person's e-mail addresses, to compare with `address_key(…)`. */
export function addressKeysOf({ emails }: Person): Sql {
  return addressKeys(emails)
}
