import { declareEvents } from '../events/index.ts'

const needs = 'account:read'

export const accountEvents = {
  ...declareEvents(
    { kind: 'QuotaEvent', needs, sample: { slot: 'contacts', limit: 1000, used: 1000 } },
    { 'quota.reached': 'The account reached the limit of a quota.' },
  ),
  ...declareEvents(
    { kind: 'UserEvent', needs, sample: { userId: 1 }, isEdit: true },
    {
      'user.invited': 'A user was created or restored. An invitation was sent, unless the operator created the user.',
      'user.updated': 'The role of a user was changed.',
      'user.removed': 'A user was removed.',
    },
  ),
}

type AccountEvents = typeof accountEvents

declare module '../events/index.ts' {
  interface DeclaredEvents extends AccountEvents {}
}
