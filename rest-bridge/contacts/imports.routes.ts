import * as z from 'zod'
import { toGraphEnum, toRestEnum } from '../enums.ts'
import {
  ContactImportCreateDocument,
  ContactImportErrorListDocument,
  ContactImportListDocument,
  ContactImportReadDocument,
  type ContactImportRowFragment,
} from '../generated/documents.ts'
import { flag, id, idList, nonEmptyText, queryId, text } from '../input.ts'
import { pageArguments, paging } from '../paging.ts'
import { one, page, requireNode, route } from '../route.ts'
import { isoMicroseconds, isoMicrosecondsOrNull } from '../time.ts'
import { linkNames } from './contacts.routes.ts'

const group = 'Contacts'

const status = z.enum(['waiting', 'uploading', 'running', 'completed', 'failed'])

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
  created_at: z.string(),
  started_at: z.string().nullable(),
  finished_at: z.string().nullable(),
})

function toImport(node: ContactImportRowFragment) {
  const { databaseId, fileName, error, rowsTotal, rowsDone, created, updated, unchanged, failed } = node
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
    created_at: isoMicroseconds(node.createdAt),
    started_at: isoMicrosecondsOrNull(node.startedAt),
    finished_at: isoMicrosecondsOrNull(node.finishedAt),
  }
}

const fields = [
  'email',
  'first_name',
  'last_name',
  'phone',
  'company_name',
  'city',
  'country',
  'email_marketing',
  'gdpr',
  'tags',
  'ignored',
] as const

const column = z.object({ column: nonEmptyText, field: z.enum(fields).optional(), custom_field_id: id.optional() })

const createImport = route('POST /v1/contacts-import', ContactImportCreateDocument, {
  id: 'CON-IMPORT',
  scopes: ['contacts:write'],
  group,
  summary: 'Import contacts from a CSV file',
  description:
    'Send a small file in `csv`, or upload a larger file with PUT to `upload_url` within 24 hours (maximum 256 MB and 1,000,000 rows). Columns without a `mapping` are recognized by their names. Rows are applied in the background. A row with an error is not applied. An empty cell changes nothing.',
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
      mapping: body.mapping?.map(({ column: name, field, custom_field_id }) => ({
        column: name,
        field: field && toGraphEnum(field),
        customFieldId: custom_field_id,
      })),
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
  reply: one(contactImport, ({ contactImport: found }) => toImport(found)),
})

const listErrors = route('GET /v1/contacts-import-errors', ContactImportErrorListDocument, {
  id: 'CON-IMPORT-ERRORS',
  scopes: ['contacts:read'],
  group,
  summary: 'List the errors of a contact import',
  description: 'Rows with an error were not applied. The header is line 1.',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  resource: 'import',
  query: z.object({ import_id: queryId, ...paging }),
  variables: ({ query }) => ({ id: query.import_id, ...pageArguments(query) }),
  reply: page(
    z.strictObject({ line: z.int(), column: z.string(), message: z.string() }),
    ({ contactImport: found }) => found?.errors,
    ({ line, column: name, message }) => ({ line, column: name, message }),
  ),
})

/** Contact imports, an addition to the specification. */
export const importRoutes = [createImport, listImports, readImport, listErrors]
