import type { Ctx } from '../../db/context.ts'
import { progressAfterDescription } from '../../events/feed/event.schema.ts'
import { builder } from '../../graphql/schema/builder.ts'
import { idsText, idText, requiredId, scopeText } from '../../graphql/schema/descriptions.ts'
import { mutation } from '../../graphql/schema/mutation.ts'
import { readableWith } from '../../graphql/schema/scopes.ts'
import { cursorOf, type StampedEvent } from '../../kernel/feed.ts'
import { ConsentInput } from '../consents/consent.schema.ts'
import {
  ConsentMeaningType,
  ConsentReadingType,
  DateOrderType,
  ImportEncodingType,
  ImportFieldType,
  ImportStatusType,
  ImportType,
} from './import.schema.ts'
import * as importList from './import-list.ts'
import * as imports from './imports.ts'

const ImportValueInput = builder.inputType('ContactImportValueInput', {
  description: 'What a cell of a column about a consent means.',
  fields: (t) => ({
    value: t.string({
      required: true,
      description: 'Content of the cell. Case, diacritics and signs are ignored. Maximum 100 characters.',
    }),
    meaning: t.field({ type: ConsentMeaningType, required: true, description: 'What it says.' }),
  }),
})

const ImportColumnInput = builder.inputType('ContactImportColumnInput', {
  description:
    'Maps a column of a file to a contact field or a custom field. Set exactly one of `column` and `position`, and exactly one of `field` and `customFieldId`. A mapping by position has priority over one by name.',
  fields: (t) => ({
    column: t.string({ description: 'Column name in the header. It maps all columns with this name.' }),
    position: t.int({ description: 'Position of the column. The first one is 1.' }),
    field: t.field({ type: ImportFieldType, description: 'Contact field. IGNORED skips the column.' }),
    customFieldId: t.id({ description: idText('the custom field') }),
    reading: t.field({
      type: ConsentReadingType,
      description:
        'How the cells of a consent are read. Defaults to REFUSAL or BOUNCE if the name of the column says so, such as “Unsubscribed”, or else to CONSENT. Only for a consent.',
    }),
    values: t.field({
      type: [ImportValueInput],
      description: 'What cells mean, if their words are not known. Maximum 100. Only for a consent.',
    }),
  }),
})

mutation('contactImportCreate', {
  needs: 'contacts:write',
  alsoNeeds: ({ addSequenceIds }) => [addSequenceIds?.length ? 'sequences:write' : null],
  description: `Creates an import of contacts from a CSV file. The file must have a header; cells are separated by commas, semicolons or tabs, or by the sign of a first line such as \`sep=|\`. Maximum 256 MB and 1,000,000 rows. Send a small file in \`csv\`. Upload a larger file with PUT to \`uploadUrl\`.\n\nThe rows are applied in the background. A row without a valid e-mail address, or with a value beyond the columns of the header, is not applied; the cells that a row lacks are empty. Any other cell that cannot be read is left out with a warning. Subscribe to \`contactImportProgress\` for the progress, and read \`errorGroups\` and \`errors\` for what was not applied. Columns that \`mapping\` does not list are mapped by name, such as email, first_name, tags, or the label of a custom field. If several columns map to one field, the first cell that is not empty is imported, beginning with the columns of \`mapping\`. An empty cell changes nothing.\n\nColumns about consent that other systems export are read, and refusals are not taken for consents: see \`reading\` and \`meanings\` of \`columns\`. A refusal in a file wins over all other columns, rows and options, and withdraws the consent of an existing contact, even if \`updateExisting\` is false. A consent in a file is not given to a contact that withdrew it in this account. A column whose name is about consent, but which is neither read nor mapped, is a warning with the code CONSENT_COLUMN; \`emailMarketing\` and \`gdpr\` then give consent to no contact.\n\nThrows QUOTA_EXCEEDED if the account has ${imports.maxOpenImports} unfinished imports, and VALIDATION_ERROR if the file is invalid.`,
  input: (t) => ({
    fileName: t.string({ description: 'Name of the file. Maximum 255 characters.' }),
    csv: t.string({
      description: 'Content of the file, if it fits in one request. If absent, upload the file to `uploadUrl`.',
    }),
    mapping: t.field({
      type: [ImportColumnInput],
      description: 'Mapping of columns to fields. Columns that are not listed are mapped by name.',
    }),
    encoding: t.field({
      type: ImportEncodingType,
      description:
        'Encoding of an uploaded file without a byte order mark. If absent, the file is UTF-8, or Windows-1252 if it is not valid UTF-8. Text in `csv` needs none.',
    }),
    dateOrder: t.field({
      type: DateOrderType,
      description:
        'Order of day, month and year in dates of custom fields. If absent, each column has the order that all its dates have. Dates such as 03/04/2026 that fit two orders are then left out with a warning.',
    }),
    review: t.boolean({
      description:
        'Whether the import waits with the status REVIEW for `contactImportStart`, so that `columns` can be reviewed. If absent, it waits only if every row says that its contact unsubscribed or complained, or that its address bounced.',
    }),
    updateExisting: t.boolean({
      defaultValue: true,
      description:
        'Whether to update contacts that already exist. If false, their rows are skipped, except for refusals and bounces.',
    }),
    emailMarketing: t.boolean({
      description:
        'Consent to marketing e-mail of new contacts whose row does not contain it. Existing contacts keep their consent. Has no effect if a column is doubtful (`isDoubtful`).',
    }),
    gdpr: t.boolean({
      description:
        'Consent to the processing of personal data of new contacts whose row does not contain it. Existing contacts keep their consent.',
    }),
    consent: t.field({
      type: ConsentInput,
      description: 'Origin of the consents. `source` defaults to `import`.',
    }),
    addTagIds: t.idList({
      description: `${idsText('the tags to add to all imported contacts')} Maximum 100. Unknown IDs are skipped.`,
    }),
    addSequenceIds: t.idList({
      description: `${idsText('the sequences in which to enrol all imported contacts')} Maximum 100. Unknown IDs and sequences without stages are skipped. ${scopeText('sequences:write', 'unless empty')}`,
    }),
  }),
  run: imports.create,
  payload: (t) => ({
    contactImport: t.expose('contactImport', { type: ImportType, description: 'The created import.' }),
    uploadUrl: t.exposeString('uploadUrl', {
      nullable: true,
      description: 'URL to which to upload the file with PUT. Valid for 24 hours. Null if the file was sent in `csv`.',
    }),
  }),
})

mutation('contactImportStart', {
  needs: 'contacts:write',
  description:
    'Starts an import that waits with the status REVIEW. An import that was started already does not change. Throws INVALID_STATE if the import has no file or has failed.',
  input: (t) => ({ id: t.id(requiredId('the import')) }),
  run: imports.start,
  payload: (t) => ({
    contactImport: t.expose('contactImport', { type: ImportType, description: 'The import.' }),
  }),
})

/** Loads the current import of an event. The loader reads it once for all fields of the event. */
const importOf = ({ data }: StampedEvent, ctx: Ctx) =>
  ctx.load(importList.byId, (data as { importId: number }).importId)

const ImportProgress = builder.objectRef<StampedEvent>('ContactImportProgress').implement({
  description: 'Progress of an import.',
  fields: (t) => ({
    cursor: t.string({
      description: 'Position of the log at this element.',
      resolve: ({ position }) => cursorOf(position),
    }),
    occurredAt: t.exposeTime('createdAt', { description: 'Time of the progress.' }),
    contactImport: t.field({
      type: ImportType,
      nullable: true,
      description: 'Current state of the import. Null if it was deleted.',
      resolve: (event, _args, ctx) => importOf(event, ctx),
    }),
    status: t.field({
      type: ImportStatusType,
      nullable: true,
      description: 'Current status. Null if the import was deleted.',
      resolve: async (event, _args, ctx) => (await importOf(event, ctx))?.status ?? null,
    }),
    rowsTotal: t.int({
      nullable: true,
      description: 'Number of rows in the file. Null if the import was deleted.',
      resolve: async (event, _args, ctx) => (await importOf(event, ctx))?.rowsTotal ?? null,
    }),
    rowsDone: t.int({
      nullable: true,
      description: 'Number of rows that were processed. Null if the import was deleted.',
      resolve: async (event, _args, ctx) => (await importOf(event, ctx))?.rowsDone ?? null,
    }),
  }),
})

readableWith('ContactImportProgress', 'contacts:read')

builder.subscriptionFields((t) => ({
  contactImportProgress: t.field({
    type: ImportProgress,
    description:
      'Streams the progress of an import: when its upload is complete, after parts of its rows, and when it ends. Each element shows the import at the time of its delivery. The first one is delivered at once, further ones after changes, at most every 0.5 seconds. The stream completes when the import is COMPLETED, FAILED or deleted.',
    args: {
      importId: t.arg.id(requiredId('the import')),
      after: t.arg.string({ description: progressAfterDescription }),
    },
    subscribe: (_root, args, ctx: Ctx) => importList.follow(ctx, args),
    resolve: (event) => event,
  }),
}))
