import { builder } from '../../graphql/schema/builder.ts'
import type { AcceptedTerms } from './accepted-terms.ts'

export const AcceptedTermsType = builder.objectRef<AcceptedTerms>('AcceptedTerms').implement({
  description: 'Terms that a visitor accepted, such as terms of sale. They grant no consent.',
  fields: (t) => ({
    source: t.exposeString('source', { description: 'Origin: the page of a funnel, or a form.' }),
    text: t.exposeString('text', { description: 'Text that the visitor accepted, as it was shown.' }),
    documentVersion: t.string({
      description: 'Version of the document that contained the text: of the content of the page, or of the question.',
      resolve: ({ document_version }) => document_version,
    }),
    ip: t.string({
      description: 'IP address that accepted. Empty if unknown, or if the person was erased.',
      resolve: ({ ip = '' }) => ip,
    }),
    acceptedAt: t.field({
      type: 'DateTime',
      description: 'Time at which the visitor accepted.',
      resolve: ({ accepted_at }) => new Date(accepted_at),
    }),
  }),
})
