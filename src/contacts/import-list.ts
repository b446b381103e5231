import { z } from 'zod'
import type { Ctx } from '../db/context.ts'
import { newList, pagesOf, pagesWithin } from '../db/list.ts'
import { sql } from '../db/sql.ts'
import { type RowOf, table } from '../db/table.ts'
import { following } from '../events/index.ts'
import { check, sent, text } from '../kernel/check.ts'
import type { Source } from '../kernel/feed.ts'
import { idOf } from '../kernel/ids.ts'
import { mustBeAllowed } from '../kernel/scopes.ts'

export const importTable = table('ContactImport', 'i', { noun: 'import' })
export type ContactImport = RowOf<typeof importTable>

export interface ImportFilter {
  status?: ContactImport['status'] | null | undefined
}

/** Filter for the errors of an import. */
export interface ImportErrorFilter {
  column?: string | null | undefined
}

/** All imports of an account. */
export const imports = newList(importTable, {
  name: 'imports',
  orders: { CREATED_AT: 'createdAt' },
  where: ({ status }: ImportFilter) => (status ? [sql`i.status = ${status}::import_status`] : []),
})

const errorTable = table('ContactImportError', 'e')

const errors = newList(errorTable, {
  name: 'import errors',
  orders: { LINE: 'line' },
  usual: { field: 'LINE', direction: 'ASC' },
  where: (filter: ImportErrorFilter) => {
    const { column } = check(ErrorFilter, sent(filter))
    return column === undefined ? [] : [sql`e."column" = ${column}`]
  },
})

const ErrorFilter = z.object({ column: text(1000) }).partial()

/** Returns the imports of the account. Newest first by default. */
export const list = pagesOf(imports)

/** Returns the errors of an import. Ordered by line by default. */
export const listErrors = pagesWithin(errors, errorTable.within('importId'))

/** Loads errors of imports by id. */
export const errorById = errorTable.byId

/** Loads imports by id. */
export const { byId } = importTable

/** Subscribes to the progress of an import. **Throws** FORBIDDEN, NOT_FOUND, and the same as `following.follow`. */
export async function follow(
  ctx: Ctx,
  { importId, ...from }: { importId: string | number; after?: string | null | undefined },
): Promise<Source> {
  mustBeAllowed(ctx, 'contacts:read')
  const id = idOf('ContactImport', importId, 'importId')
  if (!(await ctx.load(byId, id))) throw importTable.notFound()
  return following.follow(ctx, from, ['contact_import.progress'], ({ data }) => {
    return (data as { importId: number }).importId === id
  })
}
