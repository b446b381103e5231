import * as z from 'zod'
import { one, page, requireNode, route } from '../envelope/route.ts'
import {
  ContactImportCreateDocument,
  ContactImportErrorListDocument,
  ContactImportFailedRowsDocument,
  ContactImportListDocument,
  ContactImportReadDocument,
  type ContactImportReadQuery,
  type ContactImportRowFragment,
  ContactImportStartDocument,
} from '../generated/documents.ts'
import { importFields } from '../generated/names.documents.ts'
import { flag, id, idList, nonEmptyText, queryId, text } from '../input/input.ts'
import { pageArguments, paging } from '../input/paging.ts'
import { toGraphEnum, toRestEnum } from '../values/enums.ts'
import { isoMicroseconds, isoMicrosecondsOrNull } from '../values/time.ts'
import { linkNames } from './contacts.routes.ts'

const group = 'Contacts'

const status = z.enum(['waiting', 'uploading', 'review', 'running', 'completed', 'failed'])

const encodings = ['utf_8', 'utf_16le', 'utf_16be', 'windows_1252'] as const
const severity = z.enum(['error', 'warning'])

const contactImport = z.strictObject({
  id: z.int(),
  file_name: z.string(),
  status,
  error: z.string(),
  rows_total: z.int(),
  rows_done: z.int(),
  created: z.int(),
  updated: z.int(),
  unchanged: z.int(),
  failed: z.int(),
  warnings: z.int(),
  encoding: z.enum(encodings).nullable(),
  created_at: z.string(),
  started_at: z.string().nullable(),
  finished_at: z.string().nullable(),
})

const readings = ['consent', 'inverted', 'refusal', 'bounce', 'status'] as const
const meanings = ['complained', 'unsubscribed', 'refused', 'bounced', 'pending', 'granted', 'none'] as const

const contactImportWithGroups = contactImport.extend({
  columns: z.array(
    z.strictObject({
      position: z.int(),
      column: z.string(),
      field: z.enum(importFields),
      reading: z.enum(readings).nullable(),
      meanings: z.array(z.strictObject({ meaning: z.enum(meanings).nullable(), count: z.int() })),
      is_doubtful: z.boolean(),
    }),
  ),
  error_groups: z.array(
    z.strictObject({
      severity,
      code: z.string(),
      column: z.string(),
      message: z.string(),
      count: z.int(),
      first_lines: z.array(z.int()),
    }),
  ),
})

function toImport(node: ContactImportRowFragment) {
  const { databaseId, fileName, error, rowsTotal, rowsDone, created, updated, unchanged, failed, warnings } = node
  return {
    id: databaseId,
    file_name: fileName,
    status: toRestEnum(node.status),
    error,
    rows_total: rowsTotal,
    rows_done: rowsDone,
    created,
    updated,
    unchanged,
    failed,
    warnings,
    encoding: node.encoding && toRestEnum(node.encoding),
    created_at: isoMicroseconds(node.createdAt),
    started_at: isoMicrosecondsOrNull(node.startedAt),
    finished_at: isoMicrosecondsOrNull(node.finishedAt),
  }
}

type ImportRead = NonNullable<ContactImportReadQuery['contactImport']>

function toColumns({ columns }: ImportRead) {
  return columns.map(({ position, column: name, field, reading, meanings: counts, isDoubtful }) => ({
    position,
    column: name,
    field: toRestEnum(field),
    reading: reading && toRestEnum(reading),
    meanings: counts.map(({ meaning, count }) => ({ meaning: meaning && toRestEnum(meaning), count })),
    is_doubtful: isDoubtful,
  }))
}

function toGroups({ errorGroups }: ImportRead) {
  return errorGroups.map(({ severity: effect, firstLines, code, ...group }) => ({
    ...group,
    severity: toRestEnum(effect),
    code: toRestEnum(code),
    first_lines: [...firstLines],
  }))
}

/** A custom field has a parameter of its own. */
const fields = importFields.filter((field) => field !== 'custom_field')

const column = z.object({
  column: nonEmptyText.optional(),
  position: z.int().min(1).optional(),
  field: z.enum(fields).optional(),
  custom_field_id: id.optional(),
  reading: z.enum(readings, { error: `must be one of ${readings.join(', ')}` }).optional(),
  values: z
    .array(z.object({ value: text, meaning: z.enum(meanings, { error: `must be one of ${meanings.join(', ')}` }) }), {
      error: 'must be an array of values',
    })
    .max(100, 'must contain at most 100 values')
    .optional(),
})

const createImport = route('POST /v1/contacts-import', ContactImportCreateDocument, {
  id: 'CON-IMPORT',
  scopes: ['contacts:write'],
  group,
  summary: 'Import contacts from a CSV file',
  description:
    'Send a small file in `csv`, or upload a larger file with PUT to `upload_url` within 24 hours (maximum 256 MB and 1,000,000 rows). Columns without a `mapping` are recognized by their names. Rows are applied in the background. A row without a valid e-mail address, or with a value beyond the columns of the header, is not applied; the cells that a row lacks are empty. Any other cell that cannot be read is left out with a warning. An empty cell changes nothing. A refusal of marketing e-mail in the file wins over `email_marketing` and all other cells; a consent that the contact withdrew stays withdrawn. While a column whose name is about consent is neither read nor mapped, `email_marketing` and `gdpr` give consent to nobody. With `review`, or if every contact of the file left, the import waits for `POST /v1/contacts-import-start`.',
  status: 201,
  errors: ['VALIDATION_ERROR'],
  fieldNames: linkNames,
  body: z.object({
    file_name: text.optional(),
    csv: text.optional(),
    mapping: z
      .array(column, { error: 'must be an array of columns' })
      .max(1000, 'must contain at most 1000 columns')
      .optional(),
    encoding: z.enum(encodings, { error: `must be one of ${encodings.join(', ')}` }).optional(),
    date_order: z.enum(['dmy', 'mdy', 'ymd'], { error: 'must be one of dmy, mdy, ymd' }).optional(),
    review: flag.optional(),
    update_existing: flag.optional(),
    email_marketing: flag.optional(),
    gdpr: flag.optional(),
    consent_source: text.optional(),
    consent_text: text.optional(),
    tag_ids: idList('tag_ids'),
    sequence_ids: idList('sequence_ids'),
  }),
  variables: ({ body }) => ({
    input: {
      fileName: body.file_name,
      csv: body.csv,
      mapping: body.mapping?.map(({ column: name, position, field, custom_field_id, reading, values }) => ({
        column: name,
        position,
        field: field && toGraphEnum(field),
        customFieldId: custom_field_id,
        reading: reading && toGraphEnum(reading),
        values: values?.map(({ value, meaning }) => ({ value, meaning: toGraphEnum(meaning) })),
      })),
      encoding: body.encoding && toGraphEnum(body.encoding),
      dateOrder: body.date_order && toGraphEnum(body.date_order),
      review: body.review,
      updateExisting: body.update_existing,
      emailMarketing: body.email_marketing,
      gdpr: body.gdpr,
      consent:
        body.consent_source === undefined && body.consent_text === undefined
          ? undefined
          : { source: body.consent_source, text: body.consent_text },
      addTagIds: body.tag_ids,
      addSequenceIds: body.sequence_ids,
    },
  }),
  reply: one(
    z.strictObject({ id: z.int(), status, upload_url: z.string().nullable() }),
    ({ contactImportCreate: { contactImportDatabaseId, contactImport, uploadUrl } }) => ({
      id: contactImportDatabaseId,
      status: toRestEnum(requireNode(contactImport).status),
      upload_url: uploadUrl,
    }),
  ),
})

const startImport = route('POST /v1/contacts-import-start', ContactImportStartDocument, {
  id: 'CON-IMPORT-START',
  scopes: ['contacts:write'],
  group,
  summary: 'Start a contact import that waits for a review',
  description: 'An import that was started already does not change.',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  resource: 'import',
  fieldNames: { id: 'import_id' },
  body: z.object({ import_id: id }),
  variables: ({ body }) => ({ input: { id: body.import_id } }),
  reply: one(z.strictObject({ id: z.int(), status }), ({ contactImportStart: { contactImport: started } }) => ({
    id: requireNode(started).databaseId,
    status: toRestEnum(requireNode(started).status),
  })),
})

const listImports = route('GET /v1/contacts-imports', ContactImportListDocument, {
  id: 'CON-IMPORTS',
  scopes: ['contacts:read'],
  group,
  summary: 'List contact imports, newest first',
  description: 'Imports are kept for 90 days.',
  errors: ['VALIDATION_ERROR'],
  query: z.object(paging),
  variables: ({ query }) => pageArguments(query),
  reply: page(contactImport, ({ contactImports }) => contactImports, toImport),
})

const readImport = route('GET /v1/contacts-import', ContactImportReadDocument, {
  id: 'CON-IMPORT-GET',
  scopes: ['contacts:read'],
  group,
  summary: 'Get a contact import and its progress',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  resource: 'import',
  query: z.object({ import_id: queryId }),
  variables: ({ query }) => ({ id: query.import_id }),
  reply: one(contactImportWithGroups, ({ contactImport: found }) => ({
    ...toImport(requireNode(found)),
    columns: toColumns(requireNode(found)),
    error_groups: toGroups(requireNode(found)),
  })),
})

const listErrors = route('GET /v1/contacts-import-errors', ContactImportErrorListDocument, {
  id: 'CON-IMPORT-ERRORS',
  scopes: ['contacts:read'],
  group,
  summary: 'List the errors of a contact import',
  description:
    'Rows with an error were not applied. Rows with a warning were applied without the cell. The first line is 1.',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  resource: 'import',
  query: z.object({ import_id: queryId, ...paging }),
  variables: ({ query }) => ({ id: query.import_id, ...pageArguments(query) }),
  reply: page(
    z.strictObject({
      line: z.int(),
      column: z.string(),
      severity,
      code: z.string(),
      message: z.string(),
      value: z.string(),
    }),
    ({ contactImport: found }) => found?.errors,
    ({ line, column: name, severity: effect, code, message, value }) => ({
      line,
      column: name,
      severity: toRestEnum(effect),
      code: toRestEnum(code),
      message,
      value,
    }),
  ),
})

const linkFailedRows = route('GET /v1/contacts-import-failed-rows', ContactImportFailedRowsDocument, {
  id: 'CON-IMPORT-FAILED-ROWS',
  scopes: ['contacts:read'],
  group,
  summary: 'Get the rows of a contact import that were not applied, as CSV',
  description:
    'Returns the URL of a file with the line, the reason and the original cells of each row. The URL is valid for one hour and needs no key.',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  resource: 'import',
  query: z.object({ import_id: queryId }),
  variables: ({ query }) => ({ id: query.import_id }),
  reply: one(
    z.strictObject({ url: z.string(), expires_at: z.string() }),
    ({ contactImportFailedRows: { url, expiresAt } }) => ({ url, expires_at: isoMicroseconds(expiresAt) }),
  ),
})

/** Contact imports, an addition to the specification. */
export const importRoutes = [createImport, startImport, listImports, readImport, listErrors, linkFailedRows]
