import { declareEvents } from '../events/index.ts'

export const accountEvents = declareEvents(
  { kind: 'QuotaEvent', needs: 'account:read', sample: { slot: 'contacts', limit: 1000, used: 1000 } },
  { 'quota.reached': 'The account reached the limit of a quota.' },
)

type AccountEvents = typeof accountEvents

declare module '../events/index.ts' {
  interface DeclaredEvents extends AccountEvents {}
}
