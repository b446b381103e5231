import { builder } from '../../graphql/schema/builder.ts'
import { scopeText } from '../../graphql/schema/descriptions.ts'
import { deletedNode, mutation } from '../../graphql/schema/mutation.ts'
import { Node, nodeSource } from '../../graphql/schema/node.ts'
import { ContactRef, ContactType } from '../people/contact.schema.ts'
import type { Erasure } from './erasures.ts'
import * as erasures from './erasures.ts'

const ErasureStatus = builder.enumType('ContactErasureStatus', {
  description: 'Status of an erasure.',
  values: {
    RUNNING: { description: 'The contact is deleted. Copies of its data are being removed.' },
    COMPLETED: { description: 'No data of the person is left, except what the erasure keeps.' },
  },
})

const ErasureType = builder.objectRef<Erasure>('ContactErasure').implement({
  description: 'The erasure of a person. It contains no personal data.',
  interfaces: [Node],
  fields: (t) => ({
    contactDatabaseId: t.int({
      description: 'Integer ID that the contact had. It is not used again.',
      resolve: ({ contactId }) => contactId,
    }),
    status: t.expose('status', { type: ErasureStatus, description: 'Status of the erasure.' }),
    redactSales: t.exposeBoolean('redactSales', {
      description: 'True if names and addresses were also removed from sales.',
    }),
    createdAt: t.exposeTime('createdAt', { description: 'Time at which the contact was deleted.' }),
    completedAt: t.exposeTime('completedAt', {
      nullable: true,
      description: 'Time at which the erasure was complete. Null until then.',
    }),
  }),
})

nodeSource(ErasureType, 'contacts:read', erasures.byId)

mutation('contactErase', {
  needs: 'contacts:write',
  alsoNeeds: ({ redactSales }) => [redactSales ? 'finance:write' : null],
  description:
    'Erases a person. The contact is deleted at once, as by `contactDelete`, also if it has orders. Its data is then removed in the background from the event log, webhook deliveries, stored results of idempotency keys, imports and files. Statistics do not change. An address that opted out or was suppressed stays suppressed by a hash, until `suppressionRemove`. The event `contact.erased` reports the completion.',
  input: (t) => ({
    contact: t.field({ type: ContactRef, required: true, description: 'Id or e-mail address of the contact.' }),
    redactSales: t.boolean({
      defaultValue: false,
      description: `Also removes the names and addresses of the buyer from customers, invoices, credit notes and their PDFs. Do not set it before the period has ended for which the law requires you to keep invoices. If false, sales stay as they are. ${scopeText('finance:write', 'if true')}`,
    }),
  }),
  run: erasures.erase,
  payload: (t) => ({
    ...deletedNode(t, ContactType),
    contactErasure: t.expose('contactErasure', { type: ErasureType, description: 'The erasure.' }),
  }),
})
