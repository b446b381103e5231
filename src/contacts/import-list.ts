import { z } from 'zod'
import type { ContactImport, ContactImportError } from '../../prisma/generated/client/client.ts'
import { type Ctx, one } from '../db/context.ts'
import { type List, type ListArgs, nestedPageOf, type Page, pageOf, type Within } from '../db/list.ts'
import { sql } from '../db/sql.ts'
import { following } from '../events/index.ts'
import { check, sent, text } from '../kernel/check.ts'
import { refuse } from '../kernel/errors.ts'
import type { Source } from '../kernel/feed.ts'
import { idOf } from '../kernel/ids.ts'
import { mustBeAllowed } from '../kernel/scopes.ts'

export interface ImportFilter {
  status?: ContactImport['status'] | null | undefined
}
export type ImportListArgs = ListArgs<ImportFilter, 'CREATED_AT'>

/** Filter for the errors of an import. */
export interface ImportErrorFilter {
  column?: string | null | undefined
}
export type ImportErrorArgs = ListArgs<ImportErrorFilter, 'LINE'>

export const importColumns = sql`i.account_id AS "accountId", i.id, i.file_name AS "fileName", i.status::text AS status,
  i.options, i.columns, i.upload, i.error, i.attempts, i.rows_total AS "rowsTotal", i.rows_done AS "rowsDone", i.created,
  i.updated, i.unchanged, i.failed, i.created_at AS "createdAt", i.started_at AS "startedAt", i.finished_at AS "finishedAt"`

/** All imports of an account. */
export const imports: List<ContactImport, ImportFilter, 'CREATED_AT'> = {
  name: 'imports',
  columns: importColumns,
  from: (ctx) => sql`FROM contact_import i WHERE i.account_id = ${ctx.sql.account}`,
  id: sql`i.id`,
  orders: { CREATED_AT: { by: sql`i.created_at`, kind: 'time' } },
  usual: { field: 'CREATED_AT', direction: 'DESC' },
  where: ({ status }) => (status ? [sql`i.status = ${status}::import_status`] : []),
}

const errors: List<ContactImportError, ImportErrorFilter, 'LINE'> = {
  name: 'import errors',
  columns: sql`e.account_id AS "accountId", e.id, e.import_id AS "importId", e.line, e."column", e.message`,
  from: (ctx) => sql`FROM contact_import_error e WHERE e.account_id = ${ctx.sql.account}`,
  id: sql`e.id`,
  orders: { LINE: { by: sql`e.line`, kind: 'number' } },
  usual: { field: 'LINE', direction: 'ASC' },
  where: (filter) => {
    const { column } = check(ErrorFilter, sent(filter))
    return column === undefined ? [] : [sql`e."column" = ${column}`]
  },
}

const ErrorFilter = z.object({ column: text(1000) }).partial()

const ofImport: Within = {
  name: 'import',
  from: (ctx) => sql`FROM contact_import_error e WHERE e.account_id = ${ctx.sql.account} AND e.import_id = parent.id`,
}

/** Returns the imports of the account. Newest first by default. */
export async function list(ctx: Ctx, args: ImportListArgs): Promise<Page<ContactImport>> {
  return pageOf(ctx, imports, args)
}

/** Returns the errors of an import. Ordered by line by default. */
export async function listErrors(ctx: Ctx, importId: number, args: ImportErrorArgs): Promise<Page<ContactImportError>> {
  return nestedPageOf(ctx, errors, ofImport, importId, args)
}

/** Loads imports by id. */
export const byId = one<number, ContactImport>(async (ctx, ids) => {
  const rows = await ctx.sql<ContactImport>`
    SELECT ${importColumns} FROM contact_import i WHERE i.account_id = ${ctx.sql.account} AND i.id = ANY(${ids}::int[])`
  return new Map(rows.map((row) => [row.id, row]))
})

/** Subscribes to the progress of an import. **Throws** FORBIDDEN, NOT_FOUND, and the same as `following.follow`. */
export async function follow(
  ctx: Ctx,
  { importId, ...from }: { importId: string | number; after?: string | null | undefined },
): Promise<Source> {
  mustBeAllowed(ctx, 'contacts:read')
  const id = idOf('ContactImport', importId, 'importId')
  if (!(await ctx.load(byId, id))) throw refuse('NOT_FOUND', 'There is no such import.')
  return following.follow(ctx, from, ['contact_import.progress'], ({ data }) => {
    return (data as { importId: number }).importId === id
  })
}
