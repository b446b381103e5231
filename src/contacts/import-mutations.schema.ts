import type { Ctx } from '../db/context.ts'
import { afterDescription } from '../events/log/event.schema.ts'
import { builder } from '../graphql/builder.ts'
import { asOfNow, mutation, needing } from '../graphql/mutation.ts'
import { readableWith } from '../graphql/scopes.ts'
import { cursorOf, type StampedEvent } from '../kernel/feed.ts'
import { ConsentInput } from './consent.schema.ts'
import { ImportFieldType, ImportStatusType, ImportType } from './import.schema.ts'
import { importList, imports } from './index.ts'

const ImportColumnInput = builder.inputType('ContactImportColumnInput', {
  description: 'What a column of a file holds: a field, or a custom field.',
  fields: (t) => ({
    column: t.string({ required: true, description: 'Its name in the header.' }),
    field: t.field({ type: ImportFieldType, description: 'What it holds; IGNORED takes nothing over.' }),
    customFieldId: t.id({ description: 'The custom field that it holds, by global id or integer.' }),
  }),
})

mutation('contactImportCreate', {
  needs: 'contacts:write',
  alsoNeeds: ({ sequenceIds }) => [sequenceIds?.length ? 'sequences:write' : null],
  description: `Takes contacts over from a CSV file: UTF-8, a header, cells parted by commas, semicolons or tabs; 256 MB and 1,000,000 rows at most. A small file goes into \`csv\`; a larger one is sent by PUT to \`uploadUrl\`. Its rows are then applied in the background, each as a whole or not at all: \`contactImportProgress\` follows it, and \`errors\` tells what was wrong with which line. Columns are known by their names (such as email, first_name, tags, or the label of a custom field) where the mapping does not say. An empty cell changes nothing. ${imports.mostOpen} imports can be open at a time.`,
  input: (t) => ({
    fileName: t.string({ description: 'What the file is called: 255 characters at most.' }),
    csv: t.string({ description: 'The file itself, where it is small enough for one request.' }),
    mapping: t.field({ type: [ImportColumnInput], description: 'What columns hold that their names do not tell.' }),
    updateExisting: t.boolean({
      defaultValue: true,
      description: 'Whether contacts that are there are changed; where not, their rows are left out.',
    }),
    emailMarketing: t.boolean({
      description:
        'Whether new contacts agree to marketing e-mail whose row does not say. Contacts that are there keep what they said.',
    }),
    gdpr: t.boolean({ description: 'The same for the processing of personal data.' }),
    consent: t.field({
      type: ConsentInput,
      description: 'Where the consents come from; the source is `import` where absent.',
    }),
    tagIds: t.idList({ description: 'Tags for all of them, 100 at most; unknown ones are skipped.' }),
    sequenceIds: t.idList({
      description:
        'Sequences to enrol all of them in, 100 at most; unknown ones, and those without stages, are skipped. Needs the scope `sequences:write` unless empty.',
    }),
  }),
  run: imports.create,
  payload: (t) => ({
    contactImport: t.field({
      type: ImportType,
      description: 'The import.',
      resolve: asOfNow(importList.byId, (result) => result.contactImport),
    }),
    uploadUrl: t.exposeString('uploadUrl', {
      nullable: true,
      description: 'Where the file goes, by PUT, within a day; null where it came with the request.',
    }),
  }),
})

/** The import of an event as it is now: read once, whichever of its figures are asked for. */
const importOf = ({ data }: StampedEvent, ctx: Ctx) =>
  ctx.load(importList.byId, (data as { importId: number }).importId)

const ImportProgress = builder.objectRef<StampedEvent>('ContactImportProgress').implement({
  description: 'Where an import stands.',
  fields: (t) => ({
    cursor: t.string({
      description: 'The place of what has moved it: subscribe with it as `after` to go on from here.',
      resolve: ({ position }) => cursorOf(position),
    }),
    occurredAt: t.expose('createdAt', { type: 'DateTime', description: 'When it moved.' }),
    contactImport: t.field({
      type: ImportType,
      nullable: true,
      description: 'The import as it is now; null where it is gone.',
      resolve: (event, _args, ctx) => importOf(event, ctx),
    }),
    status: t.field({
      type: ImportStatusType,
      nullable: true,
      description: 'How far it is now.',
      resolve: async (event, _args, ctx) => (await importOf(event, ctx))?.status ?? null,
    }),
    rowsTotal: t.int({
      nullable: true,
      description: 'How many rows the file has.',
      resolve: async (event, _args, ctx) => (await importOf(event, ctx))?.rowsTotal ?? null,
    }),
    rowsDone: t.int({
      nullable: true,
      description: 'How many of them are done.',
      resolve: async (event, _args, ctx) => (await importOf(event, ctx))?.rowsDone ?? null,
    }),
  }),
})

readableWith('ContactImportProgress', 'contacts:read')

builder.subscriptionFields((t) => ({
  contactImportProgress: t.field({
    type: ImportProgress,
    description: needing(
      'contacts:read',
      'Follows one import from its file to its end. Each answer shows it as it is when it is delivered.',
    ),
    args: {
      importId: t.arg.id({ required: true, description: 'The import, by global id or integer.' }),
      after: t.arg.string({ description: afterDescription }),
    },
    subscribe: (_root, args, ctx: Ctx) => importList.follow(ctx, args),
    resolve: (event) => event,
  }),
}))
