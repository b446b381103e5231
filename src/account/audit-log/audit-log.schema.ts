import { listCost } from '../../graphql/cost/sizes.ts'
import { builder } from '../../graphql/schema/builder.ts'
import { connectionOf } from '../../graphql/schema/connection.ts'
import { filterOf } from '../../graphql/schema/filter.ts'
import { largeNodeSource, loadReadableNode, Node } from '../../graphql/schema/node.ts'
import { ApiKeyType } from '../api-keys/api-key.schema.ts'
import { UserType } from '../users/user.schema.ts'
import type { AuditEntry } from './audit-log.ts'
import * as auditLog from './audit-log.ts'

const AuditEntryType = builder.objectRef<AuditEntry>('AuditEntry').implement({
  description:
    'A change that an API key or a user made. Changes by visitors and by background jobs, and `visitRecord`, are not recorded. Cannot be changed or deleted.',
  interfaces: [Node],
  fields: (t) => ({
    action: t.exposeString('action', { description: 'Name of the mutation, also for a request to the REST API.' }),
    apiKey: t.node('keyId', { type: ApiKeyType, description: 'The API key of the request. Null for a user.' }),
    user: t.node('userId', {
      type: UserType,
      description: 'The user who made the change. Null for an API key, and some time after the user was removed.',
    }),
    address: t.exposeString('address', { description: 'IP address of the client. Empty if it is unknown.' }),
    objectIds: t.exposeIDList('objects', {
      description: 'Global IDs of the objects that were created, changed or deleted.',
      complexity: listCost('objectIds'),
    }),
    objects: t.field({
      type: [Node],
      nullable: { list: false, items: true },
      description:
        'The objects of `objectIds` in their current state, in the same order. Null for a deleted object, and for one that the key may not read.',
      complexity: listCost('objects'),
      resolve: ({ objects }, _args, ctx) => Promise.all(objects.map((id) => loadReadableNode(ctx, id))),
    }),
    fields: t.exposeStringList('fields', {
      description:
        'Paths of the fields that the input set, such as `contact.email`, without their values. Maximum 100 paths.',
      complexity: listCost('fields'),
    }),
    createdAt: t.exposeTime('createdAt', { description: 'Time of the change.' }),
  }),
})

largeNodeSource(AuditEntryType, 'account:read', auditLog.byId)

const AuditEntryFilter = filterOf('AuditEntryFilterInput', 'entries of the audit log', auditLog.entryFilter, {
  action: 'Name of the mutation.',
  apiKeys: 'API key that made the change.',
  users: 'User who made the change.',
  address: 'IP address of the client.',
  createdAt: 'Time of the change.',
  objects: 'Entries with at least one of these objects, by global ID. An empty list matches nothing.',
})

const AuditEntryConnection = connectionOf(AuditEntryType, {
  noun: 'entries of the audit log',
  filter: AuditEntryFilter,
  orders: { CREATED_AT: 'Time of the change.' },
})

builder.queryField('auditLog', (t) =>
  t.connection(AuditEntryConnection, {
    description:
      'Returns the changes that API keys and users made, by default the latest first. Entries are kept for 400 days, unless the operator configured another time.',
    resolve: (_root, args, ctx) => auditLog.list(ctx, args),
  }),
)
