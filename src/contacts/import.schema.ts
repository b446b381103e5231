import { builder } from '../graphql/builder.ts'
import { connectionOf, listArgs, orderOf, pageCost } from '../graphql/connection.ts'
import { needing } from '../graphql/mutation.ts'
import { Node, nodeSource } from '../graphql/node.ts'
import { allowed } from '../graphql/query.ts'
import { readableWith } from '../graphql/scopes.ts'
import { listCost } from '../graphql/sizes.ts'
import { idOf } from '../kernel/ids.ts'
import { textEnumValues } from './contact.schema.ts'
import { CustomFieldObject } from './custom-field.schema.ts'
import { consentFields } from './fields.ts'
import type { Column } from './import-columns.ts'
import { customFields, importList } from './index.ts'

export const ImportStatusType = builder.enumType('ImportStatus', {
  description: 'Status of an import.',
  values: {
    WAITING: { description: 'The file has not been uploaded yet.' },
    UPLOADING: { description: 'The file is being uploaded.' },
    RUNNING: { description: 'The rows are being applied.' },
    COMPLETED: { description: 'All rows were processed. `errors` lists the rows that were not applied.' },
    FAILED: { description: 'The file is invalid, or was not uploaded within a day. `error` contains the reason.' },
  },
})

const consentValue = ({ description }: { description: string }) => ({
  description: `${description}: true or false, yes or no, 1 or 0.`,
})

export const ImportFieldType = builder.enumType('ContactImportField', {
  description: 'Contact field that a column of a file contains.',
  values: {
    ...textEnumValues,
    EMAIL: { description: 'E-mail address. It identifies the contact.' },
    EMAIL_MARKETING: consentValue(consentFields.EMAIL_MARKETING),
    GDPR: consentValue(consentFields.GDPR),
    TAGS: { description: 'Tag names, separated by commas or semicolons. Tags that do not exist are created.' },
    CUSTOM_FIELD: { description: 'Value of a custom field.' },
    IGNORED: { description: 'Not imported.' },
  },
})

const ImportColumn = builder.objectRef<Column>('ContactImportColumn').implement({
  description: 'A column of an imported file and the contact field that it maps to.',
  fields: (t) => ({
    column: t.exposeString('column', { description: 'Column name in the header.' }),
    field: t.expose('field', { type: ImportFieldType, description: 'Contact field that the column maps to.' }),
    customField: t.field({
      type: CustomFieldObject,
      nullable: true,
      description:
        'Custom field that the column maps to. Null if `field` is not CUSTOM_FIELD, or if the custom field was deleted.',
      resolve: ({ customFieldId }, _args, ctx) =>
        customFieldId === null ? null : ctx.load(customFields.byId, customFieldId),
    }),
  }),
})

readableWith('ContactImportColumn', 'contacts:read')

const ImportErrorType = builder.prismaObject('ContactImportError', {
  description: 'An error in a row of the file. The row was not applied.',
  findUnique: ({ accountId, id }) => ({ accountId_id: { accountId, id } }),
  fields: (t) => ({
    id: t.id({ description: 'Opaque identifier. Unique among import errors.', resolve: ({ id }) => String(id) }),
    line: t.exposeInt('line', { description: 'Line of the file on which the row begins. The header is line 1.' }),
    column: t.exposeString('column', { description: 'Name of the column. Empty if the error concerns the whole row.' }),
    message: t.exposeString('message', { description: 'Description of the error.' }),
  }),
})

readableWith('ContactImportError', 'contacts:read')

const ImportErrorConnection = connectionOf('ContactImportError', ImportErrorType, 'errors')

const ImportErrorFilter = builder.inputType('ContactImportErrorFilter', {
  description: 'Filter for import errors.',
  fields: (t) => ({
    column: t.string({
      description: 'Matches errors in this column. An empty string matches errors that concern a whole row.',
    }),
  }),
})

const ImportErrorOrder = orderOf(
  'ContactImportError',
  'errors',
  { LINE: 'Line of the file on which the row begins.' },
  { field: 'LINE', direction: 'ASC' },
)

export const ImportType = builder.prismaObject('ContactImport', {
  description: 'An import of contacts from a CSV file. Imports are deleted after 90 days.',
  interfaces: [Node],
  findUnique: ({ accountId, id }) => ({ accountId_id: { accountId, id } }),
  fields: (t) => ({
    fileName: t.exposeString('fileName', { description: 'Name of the file. Empty if none was sent.' }),
    status: t.expose('status', { type: ImportStatusType, description: 'Status of the import.' }),
    error: t.exposeString('error', { description: 'Reason of the failure. Empty unless the status is FAILED.' }),
    columns: t.field({
      type: [ImportColumn],
      description: 'Columns of the file, at most 1,000. Empty until the file is uploaded.',
      complexity: listCost('columns'),
      resolve: ({ columns }) => columns as unknown as Column[],
    }),
    rowsTotal: t.exposeInt('rowsTotal', { description: 'Number of rows in the file. 0 until the file is uploaded.' }),
    rowsDone: t.exposeInt('rowsDone', {
      description: 'Number of rows that were processed, including rows with errors.',
    }),
    created: t.exposeInt('created', { description: 'Number of rows that created a contact.' }),
    updated: t.exposeInt('updated', { description: 'Number of rows that updated an existing contact.' }),
    unchanged: t.exposeInt('unchanged', {
      description: 'Number of rows that changed nothing, or were skipped because `updateExisting` is false.',
    }),
    failed: t.exposeInt('failed', { description: 'Number of rows that were not applied because of an error.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time at which the import was created.' }),
    startedAt: t.expose('startedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time at which the upload was complete. Null until then.',
    }),
    finishedAt: t.expose('finishedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time at which the import completed or failed. Null until then.',
    }),
    errors: t.field({
      type: ImportErrorConnection,
      description: 'Errors in rows of the file. Ordered by line by default.',
      args: listArgs(t.arg, ImportErrorFilter, ImportErrorOrder),
      complexity: pageCost,
      resolve: ({ id }, args, ctx) => importList.listErrors(ctx, id, args),
    }),
  }),
})

nodeSource('ContactImport', 'contacts:read', importList.byId)

const ImportConnection = connectionOf('ContactImport', ImportType, 'imports')

export const ImportFilter = builder.inputType('ContactImportFilter', {
  description: 'Filter for imports.',
  fields: (t) => ({ status: t.field({ type: ImportStatusType, description: 'Matches imports with this status.' }) }),
})

const ImportOrder = orderOf(
  'ContactImport',
  'imports',
  { CREATED_AT: 'Time of creation.' },
  { field: 'CREATED_AT', direction: 'DESC' },
)

builder.queryFields((t) => ({
  contactImport: t.field({
    type: ImportType,
    nullable: true,
    description: needing('contacts:read', 'Returns the import with this id. Null if the account has no such import.'),
    args: { id: t.arg.id({ required: true, description: 'Global id or integer id of the import.' }) },
    resolve: allowed('contacts:read', (_root, { id }, ctx) => ctx.load(importList.byId, idOf('ContactImport', id))),
  }),
  contactImports: t.field({
    type: ImportConnection,
    description: needing('contacts:read', 'Returns the imports of the last 90 days. Newest first by default.'),
    args: listArgs(t.arg, ImportFilter, ImportOrder),
    complexity: pageCost,
    resolve: allowed('contacts:read', (_root, args, ctx) => importList.list(ctx, args)),
  }),
}))
