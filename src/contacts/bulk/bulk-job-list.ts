import { filterOn, onColumns } from '../../db/filters/filter.ts'
import { identity, number, oneOf, text, time } from '../../db/filters/filter-fields.ts'
import { newList } from '../../db/lists/list.ts'
import { pagesOf, pagesWithin } from '../../db/lists/pages.ts'
import { sql } from '../../db/sql.ts'
import { type RowOf, table } from '../../db/table.ts'
import { progressOf } from '../../events/index.ts'

export const jobTable = table('BulkJob', 'b')
export type BulkJob = RowOf<typeof jobTable>

/** The filter of bulk jobs. */
export const jobFilter = filterOn(jobTable, {
  id: identity('BulkJob'),
  status: oneOf<BulkJob['status']>('BulkJobStatus', sql`b.status`, 'bulk_job_status'),
  action: oneOf<BulkJob['action']>('BulkAction', sql`b.action`, 'bulk_action'),
  total: number(sql`CASE WHEN b.selected_at IS NOT NULL THEN b.total END`),
  ...onColumns(number, jobTable, 'done', 'failed'),
  ...onColumns(time, jobTable, 'createdAt', 'finishedAt'),
})

/** All bulk jobs of an account. */
const bulkJobs = newList(jobTable, {
  name: 'bulkJobs',
  orders: {
    CREATED_AT: 'createdAt',
    ACTION: 'action',
    STATUS: 'status',
    TOTAL: 'total',
  },
  filter: jobFilter,
})

const errorTable = table('BulkJobError', 'e')
export type BulkJobError = RowOf<typeof errorTable>

/** The filter of the errors of a bulk job. */
export const errorFilter = filterOn(errorTable, {
  code: oneOf<BulkJobError['code']>('BulkErrorCode', sql`e.code`, 'bulk_error_code'),
  ...onColumns(text, errorTable, 'message'),
})

const errors = newList(errorTable, {
  name: 'bulk job errors',
  orders: { ID: 'id' },
  usual: { field: 'ID', direction: 'ASC' },
  filter: errorFilter,
})

/** Returns the bulk jobs of the account. Newest first by default. */
export const list = pagesOf(bulkJobs)

/** Returns the errors of a bulk job. In the order in which they occurred by default. */
export const listErrors = pagesWithin(errors, errorTable.within('jobId'))

/** Loads errors of bulk jobs by id. */
export const errorById = errorTable.byId

/** Loads bulk jobs by id; locks a job until the transaction ends. */
export const { byId, lock } = jobTable

const changes = ['bulk_job.progress'] as const

/** Subscribes to the progress of a bulk job until it has ended. **Throws** as `progressOf` says. */
export const follow = progressOf({
  table: jobTable,
  type: 'BulkJob',
  field: 'bulkJobId',
  needs: 'contacts:read',
  changes,
  ends: changes,
  over: ['COMPLETED', 'FAILED', 'CANCELLED'],
})
