import { eventObject } from '../events/log/event-object.schema.ts'

eventObject('QuotaEvent', 'The account reached the limit of a quota.', (t) => ({
  slot: t.string({ description: 'Name of the quota, such as `contacts`.', resolve: ({ data }) => data.slot }),
  limit: t.int({ description: 'Limit of the quota.', resolve: ({ data }) => data.limit }),
  used: t.int({ description: 'Current usage.', resolve: ({ data }) => data.used }),
}))
