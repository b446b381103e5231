import { declareEvents } from '../events/index.ts'
import { fullAccess } from '../kernel/scopes.ts'

const needs = 'account:read'

export const accountEvents = {
  ...declareEvents(
    { kind: 'QuotaEvent', needs, sample: { slot: 'contacts', limit: 1000, used: 1000 } },
    { 'quota.reached': 'The account reached the limit of a quota.' },
  ),
  ...declareEvents(
    { kind: 'AccountChangeEvent', needs, sample: { accountId: 1 }, isEdit: true },
    { 'account.updated': 'The settings, the plan or the limits of the account were updated.' },
  ),
  ...declareEvents(
    { kind: 'ApiKeyChangeEvent', needs: fullAccess, sample: { apiKeyId: 1 }, isEdit: true },
    {
      'api_key.created': 'An API key was created.',
      'api_key.updated': 'An API key was renamed.',
      'api_key.disabled': 'An API key was disabled, also by a change of the account to the free trial.',
    },
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
