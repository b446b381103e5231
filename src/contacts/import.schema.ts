import { builder } from '../graphql/builder.ts'
import { connectionOf } from '../graphql/connection.ts'
import { largeNodeSource, Node, nodeSource } from '../graphql/node.ts'
import { readableWith } from '../graphql/scopes.ts'
import { listCost } from '../graphql/sizes.ts'
import { textEnumValues } from './contact.schema.ts'
import { CustomFieldObject } from './custom-field.schema.ts'
import { consentFields } from './fields.ts'
import type { Column } from './import-columns.ts'
import { importList } from './index.ts'

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
    customField: t.node('customFieldId', {
      type: CustomFieldObject,
      description:
        'Custom field that the column maps to. Null if `field` is not CUSTOM_FIELD, or if the custom field was deleted.',
    }),
  }),
})

readableWith('ContactImportColumn', 'contacts:read')

const ImportErrorType = builder.prismaObject('ContactImportError', {
  description: 'An error in a row of the file. The row was not applied.',
  interfaces: [Node],
  findUnique: ({ accountId, id }) => ({ accountId_id: { accountId, id } }),
  fields: (t) => ({
    line: t.exposeInt('line', { description: 'Line of the file on which the row begins. The header is line 1.' }),
    column: t.exposeString('column', { description: 'Name of the column. Empty if the error concerns the whole row.' }),
    message: t.exposeString('message', { description: 'Description of the error.' }),
  }),
})

largeNodeSource(ImportErrorType, 'contacts:read', importList.errorById)

const ImportErrorFilter = builder.inputType('ContactImportErrorFilterInput', {
  description: 'Filter for import errors.',
  fields: (t) => ({
    column: t.string({
      description: 'Matches errors in this column. An empty string matches errors that concern a whole row.',
    }),
  }),
})

const ImportErrorConnection = connectionOf(ImportErrorType, {
  noun: 'errors',
  filter: ImportErrorFilter,
  orders: { LINE: 'Line of the file on which the row begins.' },
  direction: 'ASC',
})

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
    createdAt: t.exposeTime('createdAt', { description: 'Time at which the import was created.' }),
    startedAt: t.exposeTime('startedAt', {
      nullable: true,
      description: 'Time at which the upload was complete. Null until then.',
    }),
    finishedAt: t.exposeTime('finishedAt', {
      nullable: true,
      description: 'Time at which the import completed or failed. Null until then.',
    }),
    errors: t.connection(ImportErrorConnection, {
      description: 'Errors in rows of the file. Ordered by line by default.',
      resolve: ({ id }, args, ctx) => importList.listErrors(ctx, id, args),
    }),
  }),
})

nodeSource(ImportType, 'contacts:read', importList.byId)

export const ImportFilter = builder.inputType('ContactImportFilterInput', {
  description: 'Filter for imports.',
  fields: (t) => ({ status: t.field({ type: ImportStatusType, description: 'Matches imports with this status.' }) }),
})

const ImportConnection = connectionOf(ImportType, {
  noun: 'imports',
  filter: ImportFilter,
  orders: { CREATED_AT: 'Time of creation.' },
})

builder.queryFields((t) => ({
  contactImport: t.nodeById({
    type: ImportType,
    description: 'Returns the import with this id. Null if the account has no such import.',
  }),
  contactImports: t.connection(ImportConnection, {
    description: 'Returns the imports of the last 90 days. Newest first by default.',
    resolve: (_root, args, ctx) => importList.list(ctx, args),
  }),
}))
