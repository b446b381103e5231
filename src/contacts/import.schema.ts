import { builder } from '../graphql/builder.ts'
import { connectionOf, listArgs, orderOf, pageCost } from '../graphql/connection.ts'
import { needing } from '../graphql/mutation.ts'
import { Node, nodeSource } from '../graphql/node.ts'
import { allowed } from '../graphql/query.ts'
import { readableWith } from '../graphql/scopes.ts'
import { listCost } from '../graphql/sizes.ts'
import { idOf } from '../kernel/ids.ts'
import { CustomFieldObject } from './custom-field.schema.ts'
import type { Column } from './import-columns.ts'
import { customFields, importList } from './index.ts'

export const ImportStatusType = builder.enumType('ImportStatus', {
  description: 'How far an import is.',
  values: {
    WAITING: { description: 'It waits for its file.' },
    UPLOADING: { description: 'Its file is on its way.' },
    RUNNING: { description: 'Its rows are being applied.' },
    COMPLETED: { description: 'All rows were applied, or told as faulty.' },
    FAILED: { description: 'Its file is broken, or never came; `error` says why.' },
  },
})

export const ImportFieldType = builder.enumType('ContactImportField', {
  description: 'What a column of a file holds.',
  values: {
    EMAIL: { description: 'The address, by which contacts are known.' },
    FIRST_NAME: { description: 'The first name.' },
    LAST_NAME: { description: 'The last name.' },
    PHONE: { description: 'The phone number.' },
    COMPANY_NAME: { description: 'The company.' },
    CITY: { description: 'The city.' },
    COUNTRY: { description: 'The country.' },
    EMAIL_MARKETING: {
      description: 'Whether the contact agrees to marketing e-mail: true or false, yes or no, 1 or 0.',
    },
    GDPR: { description: 'Whether the contact agrees to the processing of personal data, likewise.' },
    TAGS: { description: 'Names of tags, parted by commas or semicolons; those that do not exist are made.' },
    CUSTOM_FIELD: { description: 'The value of a custom field.' },
    IGNORED: { description: 'Nothing that is taken over.' },
  },
})

const ImportColumn = builder.objectRef<Column>('ContactImportColumn').implement({
  description: 'A column of a file, and what it was taken for.',
  fields: (t) => ({
    column: t.exposeString('column', { description: 'Its name in the header.' }),
    field: t.expose('field', { type: ImportFieldType, description: 'What it holds.' }),
    customField: t.field({
      type: CustomFieldObject,
      nullable: true,
      description: 'The custom field that it holds; null where it holds none, or where that is gone.',
      resolve: ({ customFieldId }, _args, ctx) =>
        customFieldId === null ? null : ctx.load(customFields.byId, customFieldId),
    }),
  }),
})

readableWith('ContactImportColumn', 'contacts:read')

const ImportErrorType = builder.prismaObject('ContactImportError', {
  description: 'What was wrong with a line: nothing of its row was applied.',
  findUnique: ({ accountId, id }) => ({ accountId_id: { accountId, id } }),
  fields: (t) => ({
    id: t.id({ description: 'Opaque; unique among these.', resolve: ({ id }) => String(id) }),
    line: t.exposeInt('line', { description: 'The line of the file on which the row begins; the header is line 1.' }),
    column: t.exposeString('column', { description: 'The column by its name; empty where it is the row as a whole.' }),
    message: t.exposeString('message', { description: 'What was wrong.' }),
  }),
})

readableWith('ContactImportError', 'contacts:read')

const ImportErrorConnection = connectionOf('ContactImportError', ImportErrorType, 'errors')

const ImportErrorFilter = builder.inputType('ContactImportErrorFilter', {
  description: 'Which errors a list is about.',
  fields: (t) => ({
    column: t.string({
      description: 'Those of the column of this name; an empty text for those of a row as a whole.',
    }),
  }),
})

const ImportErrorOrder = orderOf(
  'ContactImportError',
  'errors',
  { LINE: 'The line of the file on which their row begins.' },
  { field: 'LINE', direction: 'ASC' },
)

export const ImportType = builder.prismaObject('ContactImport', {
  description: 'A file of contacts that is taken over: what it did so far, and what was wrong with it.',
  interfaces: [Node],
  findUnique: ({ accountId, id }) => ({ accountId_id: { accountId, id } }),
  fields: (t) => ({
    fileName: t.exposeString('fileName', { description: 'What the file is called; may be empty.' }),
    status: t.expose('status', { type: ImportStatusType, description: 'How far it is.' }),
    error: t.exposeString('error', { description: 'Why it failed; empty where it did not.' }),
    columns: t.field({
      type: [ImportColumn],
      description: 'The columns of the file, 1,000 at most; empty before it has come.',
      complexity: listCost('columns'),
      resolve: ({ columns }) => columns as unknown as Column[],
    }),
    rowsTotal: t.exposeInt('rowsTotal', { description: 'How many rows the file has; 0 before it has come.' }),
    rowsDone: t.exposeInt('rowsDone', { description: 'How many of them are done, faulty ones too.' }),
    created: t.exposeInt('created', { description: 'How many rows have made a contact.' }),
    updated: t.exposeInt('updated', { description: 'How many rows have changed a contact that was there.' }),
    unchanged: t.exposeInt('unchanged', { description: 'How many rows said nothing new, or were left out as asked.' }),
    failed: t.exposeInt('failed', { description: 'How many rows were faulty, and not applied.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was asked for.' }),
    startedAt: t.expose('startedAt', { type: 'DateTime', nullable: true, description: 'When its file had come.' }),
    finishedAt: t.expose('finishedAt', { type: 'DateTime', nullable: true, description: 'When it was over.' }),
    errors: t.field({
      type: ImportErrorConnection,
      description: 'What was wrong with its lines, in their order unless ordered otherwise.',
      args: listArgs(t.arg, ImportErrorFilter, ImportErrorOrder),
      complexity: pageCost,
      resolve: ({ id }, args, ctx) => importList.errorsOf(ctx, id, args),
    }),
  }),
})

nodeSource('ContactImport', 'contacts:read', importList.byId)

const ImportConnection = connectionOf('ContactImport', ImportType, 'imports')

export const ImportFilter = builder.inputType('ContactImportFilter', {
  description: 'Which imports a list is about.',
  fields: (t) => ({ status: t.field({ type: ImportStatusType, description: 'Those that are this far.' }) }),
})

const ImportOrder = orderOf(
  'ContactImport',
  'imports',
  { CREATED_AT: 'When they were asked for.' },
  { field: 'CREATED_AT', direction: 'DESC' },
)

builder.queryFields((t) => ({
  contactImport: t.field({
    type: ImportType,
    nullable: true,
    description: needing('contacts:read', 'An import, or null where the account has none of this id.'),
    args: { id: t.arg.id({ required: true, description: 'The import, by global id or integer.' }) },
    resolve: allowed('contacts:read', (_root, { id }, ctx) => ctx.load(importList.byId, idOf('ContactImport', id))),
  }),
  contactImports: t.field({
    type: ImportConnection,
    description: needing('contacts:read', 'The imports of the last 90 days, the newest first.'),
    args: listArgs(t.arg, ImportFilter, ImportOrder),
    complexity: pageCost,
    resolve: allowed('contacts:read', (_root, args, ctx) => importList.list(ctx, args)),
  }),
}))
