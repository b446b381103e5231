import { builder } from '../../graphql/builder.ts'
import { connectionOf, listArgs, orderOf, pageCost } from '../../graphql/connection.ts'
import { mutation, needing } from '../../graphql/mutation.ts'
import { allowed } from '../../graphql/query.ts'
import { readableWith } from '../../graphql/scopes.ts'
import { suppressions } from '../index.ts'

const SuppressionReason = builder.enumType('SuppressionReason', {
  description: 'Why an address is written to no more.',
  values: {
    BOUNCE: { description: 'It takes no mail: its server said so.' },
    COMPLAINT: { description: 'Its owner has called a message spam.' },
    MANUAL: { description: 'Somebody put it on the list.' },
  },
})

const SuppressionType = builder.prismaObject('Suppression', {
  description: 'An address that the account writes to no more, whoever has it.',
  findUnique: ({ accountId, id }) => ({ accountId_id: { accountId, id } }),
  fields: (t) => ({
    id: t.id({ description: 'Opaque; unique among suppressions.', resolve: ({ id }) => String(id) }),
    email: t.exposeString('email', { description: 'The address, in whatever case it was met first.' }),
    reason: t.expose('reason', { type: SuppressionReason, description: 'Why.' }),
    detail: t.exposeString('detail', {
      description: 'The words of its server, or of whoever put it here; may be empty.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Since when.' }),
  }),
})

readableWith('Suppression', 'mail:read')

const SuppressionConnection = connectionOf('Suppression', SuppressionType, 'suppressions')

export const SuppressionFilter = builder.inputType('SuppressionFilter', {
  description: 'Which suppressions a list is about; all conditions must hold.',
  fields: (t) => ({
    reason: t.field({ type: SuppressionReason, description: 'Those that are there for this reason.' }),
    email: t.string({ description: 'The one of this address, in whatever case.' }),
    search: t.string({ description: 'Those whose address contains this text, in whatever case.' }),
  }),
})

const SuppressionOrder = orderOf(
  'Suppression',
  'suppressions',
  { CREATED_AT: 'Since when they are there.', EMAIL: 'Their address, in whatever case.' },
  { field: 'CREATED_AT', direction: 'DESC' },
)

builder.queryField('suppressions', (t) =>
  t.field({
    type: SuppressionConnection,
    description: needing(
      'mail:read',
      'The addresses that the account writes to no more, the latest first unless ordered otherwise.',
    ),
    args: listArgs(t.arg, SuppressionFilter, SuppressionOrder),
    complexity: pageCost,
    resolve: allowed('mail:read', (_root, args, ctx) => suppressions.list(ctx, args)),
  }),
)

mutation('suppressionAdd', {
  needs: 'mail:write',
  description: 'Puts an address on the list of those that are written to no more. One that is there stays as it is.',
  input: (t) => ({
    email: t.string({ required: true, description: 'The address.' }),
    detail: t.string({ description: 'Why: 500 characters at most.' }),
  }),
  run: suppressions.add,
  payload: (t) => ({
    suppression: t.field({
      type: SuppressionType,
      description: 'The address on the list.',
      resolve: ({ suppression }) => suppression,
    }),
  }),
})

mutation('suppressionRemove', {
  needs: 'mail:write',
  description:
    'Takes an address off the list: it may be written to again. Consents are not touched. One that is not there is NOT_FOUND.',
  input: (t) => ({ email: t.string({ required: true, description: 'The address, in whatever case.' }) }),
  run: suppressions.remove,
  payload: (t) => ({ email: t.exposeString('email', { description: 'The address as it stood on the list.' }) }),
})
