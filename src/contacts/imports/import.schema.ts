import { listCost } from '../../graphql/cost/sizes.ts'
import { builder } from '../../graphql/schema/builder.ts'
import { connectionOf } from '../../graphql/schema/connection.ts'
import { filterKind, filterOf } from '../../graphql/schema/filter.ts'
import { Node, nodeSource } from '../../graphql/schema/node.ts'
import { readableWith } from '../../graphql/schema/scopes.ts'
import { CustomFieldObject } from '../custom-fields/custom-field.schema.ts'
import { regionalEnumValues, textEnumValues } from '../people/contact.schema.ts'
import { consentFields } from '../record/fields.ts'
import type { ImportEncoding } from './file/encoding.ts'
import type { Reading } from './file/file-reader.ts'
import { ImportErrorConnection, ImportErrorGroup } from './import-error.schema.ts'
import * as importList from './import-list.ts'
import type { ImportOptions } from './imports.ts'
import type { Column } from './rows/columns.ts'
import type { ConsentReading } from './rows/consent-names.ts'
import { type ConsentMeaning, consentMeanings } from './rows/consent-words.ts'
import type { dateOrders } from './rows/dates.ts'
import type { ErrorGroup } from './rows/row-errors.ts'

export const ImportStatusType = builder.enumType('ImportStatus', {
  description: 'Status of an import.',
  values: {
    WAITING: { description: 'The file has not been uploaded yet.' },
    UPLOADING: { description: 'The file is being uploaded.' },
    REVIEW: {
      description:
        'The file was read, and `columns` contains what was found. Nothing was imported yet: `contactImportStart` starts the import.',
    },
    RUNNING: { description: 'The rows are being applied.' },
    COMPLETED: { description: 'All rows were processed. `errors` lists what was not applied.' },
    FAILED: {
      description:
        'The file is invalid, or the import was not uploaded or not started within a day. `error` contains the reason.',
    },
  },
})

const consentValue = ({ description }: { description: string }) => ({
  description: `${description}: true or false, 1 or 0, yes or no in a European language, such as oui or non, or a state such as subscribed, unsubscribed, pending or cleaned.`,
})

export const ImportFieldType = builder.enumType('ContactImportField', {
  description: 'Contact field that a column of a file contains.',
  values: {
    ...textEnumValues,
    ...regionalEnumValues,
    EMAIL: { description: 'E-mail address. It identifies the contact.' },
    EMAIL_MARKETING: consentValue(consentFields.EMAIL_MARKETING),
    GDPR: consentValue(consentFields.GDPR),
    TAGS: { description: 'Tag names, separated by commas or semicolons. Tags that do not exist are created.' },
    CUSTOM_FIELD: { description: 'Value of a custom field.' },
    IGNORED: { description: 'Not imported.' },
  },
})

export const ImportEncodingType = builder.enumType('ContactImportEncoding', {
  description: 'Encoding of the text of a file.',
  values: {
    UTF_16BE: { description: 'UTF-16, big-endian.' },
    UTF_16LE: { description: 'UTF-16, little-endian. Excel writes it as “Unicode text”.' },
    UTF_8: { description: 'UTF-8, with or without a byte order mark.' },
    WINDOWS_1252: { description: 'Windows-1252. Excel writes it as “CSV” in Western Europe and America.' },
  } satisfies Record<ImportEncoding, object>,
})

export const DateOrderType = builder.enumType('ContactImportDateOrder', {
  description: 'Order of day, month and year in dates.',
  values: {
    DMY: { description: 'Day, month, year, such as 31/12/2026.' },
    MDY: { description: 'Month, day, year, such as 12/31/2026.' },
    YMD: {
      description: 'Year, month, day, such as 26.12.31. A year of four digits at the beginning is always recognized.',
    },
  } satisfies Record<(typeof dateOrders)[number], object>,
})

export const ConsentReadingType = builder.enumType('ContactImportConsentReading', {
  description:
    'How the cells of a column about a consent are read. States such as unsubscribed have one meaning in all of them.',
  values: {
    CONSENT: { description: 'Yes gives the consent, no refuses it.' },
    INVERTED: { description: 'Yes refuses the consent, no gives it.' },
    REFUSAL: {
      description: 'Yes, a time or a reason refuses the consent. No, or an empty cell, says nothing: it is no consent.',
    },
    BOUNCE: { description: 'Yes, a time or a reason suppresses the address. No, or an empty cell, says nothing.' },
    STATUS: { description: 'Only states are read.' },
  } satisfies Record<ConsentReading, object>,
})

export const ConsentMeaningType = builder.enumType('ContactImportConsentMeaning', {
  description:
    'What a cell says about a consent. Of several cells of a contact, that which comes first here wins, and a refusal wins over the options of the import.',
  values: {
    COMPLAINED: { description: 'The contact reported spam: refuses the consent, and suppresses the address.' },
    UNSUBSCRIBED: { description: 'The contact left: refuses the consent.' },
    REFUSED: { description: 'The contact did not agree: refuses the consent.' },
    BOUNCED: { description: 'The address does not accept e-mail: suppresses it, and gives no consent.' },
    PENDING: { description: 'The contact did not confirm or is not active: gives no consent.' },
    GRANTED: { description: 'The contact agreed: gives the consent, unless it was withdrawn in this account.' },
    NONE: { description: 'Says nothing: the options of the import apply.' },
  } satisfies Record<ConsentMeaning, object>,
})

const MeaningCount = builder
  .objectRef<{ meaning: ConsentMeaning | null; count: number }>('ContactImportMeaningCount')
  .implement({
    description: 'Number of cells of a column with the same meaning.',
    fields: (t) => ({
      meaning: t.expose('meaning', {
        type: ConsentMeaningType,
        nullable: true,
        description: 'What the cells say. Null for cells that cannot be read, which give no consent.',
      }),
      count: t.exposeInt('count', { description: 'Number of cells.' }),
    }),
  })

readableWith('ContactImportMeaningCount', 'contacts:read')

/** Returns the counts of a column in the order of the meanings. */
function meaningCounts({ meanings = {} }: Column): { meaning: ConsentMeaning | null; count: number }[] {
  const known = consentMeanings.map((meaning) => ({ meaning, count: meanings[meaning] ?? 0 }))
  return [...known, { meaning: null, count: meanings.UNREADABLE ?? 0 }].filter(({ count }) => count > 0)
}

/** A column with its position. */
type PlacedColumn = Column & { readonly position: number }

const ImportColumn = builder.objectRef<PlacedColumn>('ContactImportColumn').implement({
  description: 'A column of an imported file and the contact field that it maps to.',
  fields: (t) => ({
    column: t.exposeString('column', { description: 'Column name in the header.' }),
    position: t.exposeInt('position', { description: 'Position of the column. The first one is 1.' }),
    dateOrder: t.field({
      type: DateOrderType,
      nullable: true,
      description:
        'Order of the dates in the column: that of the import, or else the one that all its dates have. Null if no date needs it, or if it is not known.',
      resolve: ({ dates }) => dates?.order ?? null,
    }),
    field: t.expose('field', { type: ImportFieldType, description: 'Contact field that the column maps to.' }),
    reading: t.expose('reading', {
      type: ConsentReadingType,
      nullable: true,
      description: 'How the cells are read, if the field is a consent. Null for other fields.',
    }),
    meanings: t.field({
      type: [MeaningCount],
      description: 'Number of cells with each meaning, if the field is a consent. Empty cells are not counted.',
      complexity: listCost('meanings'),
      resolve: meaningCounts,
    }),
    isDoubtful: t.boolean({
      description:
        'Whether the name is about consent, and the column is neither read nor ignored by `mapping`. The options of the import then give no consent.',
      resolve: ({ isDoubtful = false }) => isDoubtful,
    }),
    customField: t.node('customFieldId', {
      type: CustomFieldObject,
      description:
        'Custom field that the column maps to. Null if `field` is not CUSTOM_FIELD, or if the custom field was deleted.',
    }),
  }),
})

readableWith('ContactImportColumn', 'contacts:read')

export const ImportType = builder.prismaObject('ContactImport', {
  description: 'An import of contacts from a CSV file. Imports are deleted after 90 days.',
  interfaces: [Node],
  fields: (t) => ({
    fileName: t.exposeString('fileName', { description: 'Name of the file. Empty if none was sent.' }),
    status: t.expose('status', { type: ImportStatusType, description: 'Status of the import.' }),
    error: t.exposeString('error', { description: 'Reason of the failure. Empty unless the status is FAILED.' }),
    columns: t.field({
      type: [ImportColumn],
      description: 'Columns of the file, at most 1,000. Empty until the file is uploaded.',
      complexity: listCost('columns'),
      resolve: ({ columns }) =>
        (columns as unknown as Column[]).map((column, index) => ({ ...column, position: index + 1 })),
    }),
    encoding: t.field({
      type: ImportEncodingType,
      nullable: true,
      description:
        'Encoding in which the file was read. Null until the file is uploaded. A warning with the code ENCODING shows that it was guessed.',
      resolve: ({ reading }) => (reading as Reading | null)?.encoding ?? null,
    }),
    dateOrder: t.field({
      type: DateOrderType,
      nullable: true,
      description: 'Order of dates that was requested. Null if each column has its own.',
      resolve: ({ options }) => (options as unknown as Partial<ImportOptions>).dateOrder ?? null,
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
    warnings: t.exposeInt('warnings', {
      description:
        'Number of warnings: cells that were left out, and other doubts about the file. Their rows were applied.',
    }),
    errorGroups: t.field({
      type: [ImportErrorGroup],
      description:
        'Errors and warnings by column and code, with their counts: errors first, and the most frequent first. Maximum 1,000.',
      complexity: listCost('errorGroups'),
      resolve: ({ errorGroups }) => errorGroups as unknown as ErrorGroup[],
    }),
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
      description:
        'Errors and warnings in rows of the file, at most 10 for each row. Ordered by line by default. `contactImportFailedRows` returns the rows.',
      resolve: ({ id }, args, ctx) => importList.listErrors(ctx, id, args),
    }),
  }),
})

nodeSource(ImportType, 'contacts:read', importList.byId)

filterKind('enum ImportStatus', [ImportStatusType])

export const ImportFilter = filterOf('ContactImportFilterInput', 'imports', importList.importFilter, {
  id: 'The import itself.',
  fileName: 'Name of the file.',
  status: 'One of these statuses.',
  failed: 'Number of rows that were not applied because of an error.',
  createdAt: 'Time at which the import was created.',
  startedAt: 'Time at which the upload was complete. An import whose upload is not complete does not match.',
  finishedAt: 'Time at which the import completed or failed. An import that has not finished does not match.',
  search: 'Words in any order, in the name of the file.',
})

const ImportConnection = connectionOf(ImportType, {
  noun: 'imports',
  filter: ImportFilter,
  orders: {
    CREATED_AT: 'Time of creation.',
    FILE_NAME: 'Name of the file, in the order of a dictionary.',
    STATUS: 'Status, alphabetically.',
  },
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
