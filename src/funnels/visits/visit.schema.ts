import { ContactRef } from '../../contacts/people/contact.schema.ts'
import { AttributionInput } from '../../contacts/record/attribution.schema.ts'
import { requiredId } from '../../graphql/schema/descriptions.ts'
import { mutation } from '../../graphql/schema/mutation.ts'
import * as visits from './visits.ts'

mutation('visitRecord', {
  needs: 'funnels:write',
  description:
    'Records the visit of a page outside the pages that this server serves. Emits no event. Throws NOT_FOUND if the step or the contact does not exist.',
  input: (t) => ({
    stepId: t.id(requiredId('the step')),
    visitorId: t.string({
      required: true,
      description:
        'Pseudonymous ID that identifies the visitor across visits. Maximum 64 characters. Do not send personal data.',
    }),
    contact: t.field({ type: ContactRef, description: 'The contact, if the visitor is known.' }),
    attribution: t.field({
      type: [AttributionInput],
      required: { list: false, items: true },
      description: 'Attribution parameters of the visit. Each key at most once.',
    }),
    isBot: t.boolean({
      description: 'Whether the visitor is a bot. Visits of bots are stored but not counted. Defaults to false.',
    }),
    at: t.field({ type: 'DateTime', description: 'Time of the visit, not in the future. Defaults to now.' }),
  }),
  run: visits.record,
  isAudited: false,
  payload: (t) => ({
    counted: t.exposeBoolean('counted', {
      description: 'Whether the visit counts in the statistics of the funnel. False for bots.',
    }),
  }),
})
