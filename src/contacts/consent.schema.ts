import { builder } from '../graphql/builder.ts'
import { connectionOf } from '../graphql/connection.ts'
import { largeNodeSource, Node } from '../graphql/node.ts'
import { consents } from './index.ts'

const ConsentKindType = builder.enumType('ConsentKind', {
  description: 'Purpose of a consent.',
  values: {
    EMAIL_MARKETING: { description: 'Marketing e-mail.' },
    GDPR: { description: 'Processing of personal data.' },
  },
})

const Consent = builder.prismaObject('ContactConsent', {
  name: 'Consent',
  description: 'A record that a contact gave or withdrew a consent. Records are never changed.',
  interfaces: [Node],
  findUnique: ({ accountId, id }) => ({ accountId_id: { accountId, id } }),
  fields: (t) => ({
    kind: t.expose('kind', { type: ConsentKindType, description: 'Purpose of the consent.' }),
    granted: t.exposeBoolean('granted', {
      description: 'True if the contact gave the consent, false if the contact withdrew it.',
    }),
    source: t.exposeString('source', {
      description: 'Origin of the consent, such as `api`, `import` or the name of a form.',
    }),
    text: t.exposeString('text', { description: 'Text that the contact agreed to. Empty if unknown.' }),
    ip: t.exposeString('ip', { description: 'IP address that sent the consent. Empty if unknown.' }),
    createdAt: t.exposeTime('createdAt', { description: 'Time at which the consent was given or withdrawn.' }),
  }),
})

largeNodeSource(Consent, 'contacts:read', consents.byId)

export const ConsentFilter = builder.inputType('ConsentFilterInput', {
  description: 'Filter for consents. A consent matches if it meets all conditions.',
  fields: (t) => ({
    kinds: t.field({ type: [ConsentKindType], description: 'Matches consents for any of these purposes.' }),
    granted: t.boolean({ description: 'Matches given consents (true) or withdrawn consents (false).' }),
  }),
})

export const ConsentConnection = connectionOf(Consent, {
  noun: 'consents',
  filter: ConsentFilter,
  orders: { CREATED_AT: 'Time at which the consent was given or withdrawn.' },
})

export const ConsentInput = builder.inputType('ConsentInput', {
  description: 'Origin of a consent. It is stored with each consent that the mutation gives or withdraws.',
  fields: (t) => ({
    source: t.string({ description: 'Origin, such as the name of a form. Defaults to `api`. Maximum 255 characters.' }),
    text: t.string({ description: 'Text that the contact agreed to. Maximum 5,000 characters.' }),
    ip: t.string({ description: 'IP address that sent the consent. Maximum 45 characters.' }),
  }),
})
