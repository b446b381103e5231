import type { SequenceQueryVariables } from '../generated/sequences.documents.ts'

type EnrolmentFilter = NonNullable<SequenceQueryVariables['shown']>

/** The lists of contacts of a sequence. Contacts without a next stage are in the sequence too. */
export const enrolmentLists = {
  active: { label: 'In it now', filter: { state: ['ACTIVE'] } },
  completed: { label: 'Completed', filter: { state: ['COMPLETED'] } },
  unsubscribed: { label: 'Unsubscribed', filter: { endReason: ['UNSUBSCRIBED'] } },
  removed: { label: 'Removed', filter: { endReason: ['REMOVED'] } },
} as const satisfies Readonly<Record<string, { label: string; filter: EnrolmentFilter }>>

export type EnrolmentListName = keyof typeof enrolmentLists

/** What the address of a sequence contains: which of its contacts are listed. */
interface SequenceSearch {
  readonly show?: EnrolmentListName
}

/** Reads the address of a sequence. */
export function readSequenceSearch({ show }: Record<string, unknown>): SequenceSearch {
  return typeof show === 'string' && show in enrolmentLists ? { show: show as EnrolmentListName } : {}
}
