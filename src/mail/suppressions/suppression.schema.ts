import { ContactType } from '../../contacts/people/contact.schema.ts'
import { builder } from '../../graphql/schema/builder.ts'
import { connectionOf } from '../../graphql/schema/connection.ts'
import { filterKind, filterOf } from '../../graphql/schema/filter.ts'
import { mutation } from '../../graphql/schema/mutation.ts'
import { largeNodeSource, Node } from '../../graphql/schema/node.ts'
import { allowed } from '../../graphql/schema/query.ts'
import { FailureCauseType } from '../failures/failure-cause.schema.ts'
import * as suppressions from './suppressions.ts'

const SuppressionReason = builder.enumType('SuppressionReason', {
  description: 'Reason of a suppression.',
  values: {
    BOUNCE: { description: 'A mail server reported that the address does not accept e-mail.' },
    COMPLAINT: { description: 'The recipient reported a message as spam.' },
    MANUAL: { description: 'The address was added with `suppressionAdd`.' },
  },
})

export const SuppressionType = builder.prismaObject('Suppression', {
  description: 'A suppressed e-mail address. Campaigns and sequences skip it, whichever contact has it.',
  interfaces: [Node],
  fields: (t) => ({
    email: t.exposeString('email', {
      description: 'Suppressed address, as it was first recorded. All its spellings are suppressed.',
    }),
    reason: t.expose('reason', { type: SuppressionReason, description: 'Reason of the suppression.' }),
    cause: t.expose('cause', {
      type: FailureCauseType,
      nullable: true,
      description: 'Cause of a bounce. Null for other reasons.',
    }),
    detail: t.exposeString('detail', {
      description: 'Reply of the mail server, or the `detail` of `suppressionAdd`. May be empty.',
    }),
    createdAt: t.exposeTime('createdAt', { description: 'Time at which the address was suppressed.' }),
  }),
})

largeNodeSource(SuppressionType, 'mail:read', suppressions.byId)

filterKind('enum SuppressionReason', [SuppressionReason])

export const SuppressionFilter = filterOf('SuppressionFilterInput', 'suppressions', suppressions.suppressionFilter, {
  email: 'Suppressed address.',
  reason: 'One of these reasons.',
  cause: 'One of these causes.',
  detail: 'Reply of the mail server, or the `detail` of `suppressionAdd`.',
  createdAt: 'Time at which the address was suppressed.',
  search: 'Parts of the address, in any order.',
})

const SuppressionConnection = connectionOf(SuppressionType, {
  noun: 'suppressions',
  filter: SuppressionFilter,
  orders: { CREATED_AT: 'Time of the suppression.', EMAIL: 'Address, ignoring case.' },
})

builder.prismaObjectField(ContactType, 'suppression', (t) =>
  t.field({
    type: SuppressionType,
    nullable: true,
    description:
      'Suppression of the e-mail address of the contact. Null if it is not suppressed, and without the scope `MAIL_READ`.',
    resolve: allowed('mail:read', ({ id }, _args, ctx) => ctx.load(suppressions.ofContact, id)),
  }),
)

builder.queryField('suppressions', (t) =>
  t.connection(SuppressionConnection, {
    description: 'Returns the suppressed addresses of the account. Defaults to the newest first.',
    resolve: (_root, args, ctx) => suppressions.list(ctx, args),
  }),
)

mutation('suppressionAdd', {
  needs: 'mail:write',
  description:
    'Suppresses an address: campaigns and sequences skip it. An address that is suppressed already is returned unchanged.',
  input: (t) => ({
    email: t.string({ required: true, description: 'E-mail address to suppress.' }),
    detail: t.string({ description: 'Why the address is suppressed. Maximum 500 characters.' }),
  }),
  run: suppressions.add,
  payload: (t) => ({
    suppression: t.expose('suppression', { type: SuppressionType, description: 'The suppression.' }),
  }),
})

mutation('suppressionRemove', {
  needs: 'mail:write',
  description:
    'Removes a suppression, so that campaigns and sequences send to the address again. Consents do not change. Returns NOT_FOUND if the address is not suppressed.',
  input: (t) => ({ email: t.string({ required: true, description: 'Suppressed address. Case is ignored.' }) }),
  run: suppressions.remove,
  payload: (t) => ({ email: t.exposeString('email', { description: 'Address whose suppression was removed.' }) }),
})
