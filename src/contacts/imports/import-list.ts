import { filterOn, onColumns } from '../../db/filters/filter.ts'
import { identity, number, oneOf, text, time } from '../../db/filters/filter-fields.ts'
import { newList } from '../../db/lists/list.ts'
import { pagesOf, pagesWithin } from '../../db/lists/pages.ts'
import { documentOf, search } from '../../db/lists/search.ts'
import { sql } from '../../db/sql.ts'
import { type RowOf, table } from '../../db/table.ts'
import { progressOf } from '../../events/index.ts'

export const importTable = table('ContactImport', 'i', { noun: 'import' })
export type ContactImport = RowOf<typeof importTable>

/** The filter of imports. */
export const importFilter = filterOn(importTable, {
  id: identity('ContactImport'),
  ...onColumns(text, importTable, 'fileName'),
  status: oneOf<ContactImport['status']>('ImportStatus', sql`i.status`, 'import_status'),
  ...onColumns(number, importTable, 'failed'),
  ...onColumns(time, importTable, 'createdAt', 'startedAt', 'finishedAt'),
  search: search(documentOf(sql`i.file_name`)),
})

/** All imports of an account. */
export const imports = newList(importTable, {
  name: 'imports',
  orders: {
    CREATED_AT: 'createdAt',
    FILE_NAME: 'fileName',
    STATUS: 'status',
  },
  filter: importFilter,
})

const errorTable = table('ContactImportError', 'e')
type ContactImportError = RowOf<typeof errorTable>

/** The filter of the errors of an import. */
export const errorFilter = filterOn(errorTable, {
  ...onColumns(number, errorTable, 'line'),
  ...onColumns(text, errorTable, 'column', 'message'),
  severity: oneOf<ContactImportError['severity']>('ContactImportErrorSeverity', sql`e.severity`, 'import_severity'),
})

const errors = newList(errorTable, {
  name: 'import errors',
  orders: { LINE: 'line' },
  usual: { field: 'LINE', direction: 'ASC' },
  filter: errorFilter,
})

/** Returns the imports of the account. Newest first by default. */
export const list = pagesOf(imports)

/** Returns the errors of an import. Ordered by line by default. */
export const listErrors = pagesWithin(errors, errorTable.within('importId'))

/** Loads errors of imports by id. */
export const errorById = errorTable.byId

/** Loads imports by id. */
export const { byId } = importTable

const changes = ['contact_import.progress'] as const

/** Subscribes to the progress of an import until it has completed or failed. **Throws** as `progressOf` says. */
export const follow = progressOf({
  table: importTable,
  type: 'ContactImport',
  field: 'importId',
  needs: 'contacts:read',
  changes,
  ends: changes,
  over: ['COMPLETED', 'FAILED'],
})
