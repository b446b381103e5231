import { builder } from '../graphql/builder.ts'
import { connectionOf, orderOf } from '../graphql/connection.ts'
import { readableWith } from '../graphql/scopes.ts'

const ConsentKindType = builder.enumType('ConsentKind', {
  description: 'What a contact can agree to.',
  values: {
    EMAIL_MARKETING: { description: 'Being sent marketing e-mail.' },
    GDPR: { description: 'Having personal data processed.' },
  },
})

const Consent = builder.prismaObject('ContactConsent', {
  name: 'Consent',
  description: 'A moment in which a contact agreed to something, or withdrew it.',
  findUnique: ({ accountId, id }) => ({ accountId_id: { accountId, id } }),
  fields: (t) => ({
    id: t.id({ description: 'Opaque; unique among consents.', resolve: ({ id }) => String(id) }),
    kind: t.expose('kind', { type: ConsentKindType, description: 'What it is about.' }),
    granted: t.exposeBoolean('granted', { description: 'True where the contact agreed, false where it withdrew.' }),
    source: t.exposeString('source', { description: 'Where it came from, such as `api` or the name of a form.' }),
    text: t.exposeString('text', { description: 'The words that were shown; empty where unknown.' }),
    ip: t.exposeString('ip', { description: 'The address it was sent from; empty where unknown.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When.' }),
  }),
})

readableWith('Consent', 'contacts:read')

export const ConsentConnection = connectionOf('Consent', Consent, 'consents')

export const ConsentFilter = builder.inputType('ConsentFilter', {
  description: 'Which consents a list is about; all conditions must hold.',
  fields: (t) => ({
    kinds: t.field({ type: [ConsentKindType], description: 'Those that are about any of these.' }),
    granted: t.boolean({ description: 'Those that were given, or those that were withdrawn.' }),
  }),
})

export const ConsentOrder = orderOf(
  'Consent',
  'consents',
  { CREATED_AT: 'When they were given or withdrawn.' },
  { field: 'CREATED_AT', direction: 'DESC' },
)

export const ConsentInput = builder.inputType('ConsentInput', {
  description: 'Where a consent comes from: kept on record with each consent that the mutation changes.',
  fields: (t) => ({
    source: t.string({ description: 'Such as the name of a form; `api` where absent.' }),
    text: t.string({ description: 'The words that were shown.' }),
    ip: t.string({ description: 'The address it was sent from.' }),
  }),
})
