import { builder } from '../../graphql/schema/builder.ts'
import { connectionOf } from '../../graphql/schema/connection.ts'
import { filterKind, filterOf } from '../../graphql/schema/filter.ts'
import { largeNodeSource, Node } from '../../graphql/schema/node.ts'
import * as consents from './consents.ts'

const ConsentKindType = builder.enumType('ConsentKind', {
  description: 'Purpose of a consent.',
  values: {
    EMAIL_MARKETING: { description: 'Marketing e-mail.' },
    GDPR: { description: 'Processing of personal data.' },
    TOPIC: { description: 'Marketing e-mail about a topic.' },
  },
})

export const ConsentType = builder.prismaObject('ContactConsent', {
  name: 'Consent',
  description: 'A record that a contact gave or withdrew a consent. Records are never changed.',
  interfaces: [Node],
  fields: (t) => ({
    kind: t.expose('kind', { type: ConsentKindType, description: 'Purpose of the consent.' }),
    granted: t.exposeBoolean('granted', {
      description: 'True if the contact gave the consent, false if the contact withdrew it.',
    }),
    source: t.exposeString('source', {
      description: 'Origin of the consent, such as `api`, `import` or the name of a form.',
    }),
    text: t.exposeString('text', { description: 'Text that the contact agreed to. Empty if unknown.' }),
    documentVersion: t.exposeString('documentVersion', {
      description: 'Version of the document that the contact agreed to, such as the privacy policy. Empty if unknown.',
    }),
    ip: t.exposeString('ip', { description: 'IP address that sent the consent. Empty if unknown.' }),
    createdAt: t.exposeTime('createdAt', { description: 'Time at which the consent was given or withdrawn.' }),
  }),
})

largeNodeSource(ConsentType, 'contacts:read', consents.byId)

filterKind('enum ConsentKind', [ConsentKindType])

export const ConsentFilter = filterOf('ConsentFilterInput', 'consents', consents.consentFilter, {
  kind: 'One of these purposes.',
  granted: 'Whether the contact gave the consent (true) or withdrew it (false).',
  source: 'Origin of the consent, such as `api`, `import` or the name of a form.',
  topics: 'Topics that the contact joined or left.',
  text: 'Text that the contact agreed to.',
  documentVersion: 'Version of the document that the contact agreed to.',
  ip: 'IP address that sent the consent.',
  createdAt: 'Time at which the consent was given or withdrawn.',
})

export const ConsentConnection = connectionOf(ConsentType, {
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
    documentVersion: t.string({
      description: 'Version of the document that the contact agreed to. Maximum 100 characters.',
    }),
  }),
})
