import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { SequenceQueryVariables } from '../generated/sequences.documents.ts'

type EnrolmentFilter = NonNullable<SequenceQueryVariables['shown']>

/** The lists of contacts of a sequence. Contacts without a next stage are in the sequence too. */
export const enrolmentLists = {
  active: { label: msg`In it now`, none: msg`No contact is in the sequence.`, filter: { state: ['ACTIVE'] } },
  completed: {
    label: msg`Completed`,
    none: msg`No contact has completed the sequence.`,
    filter: { state: ['COMPLETED'] },
  },
  unsubscribed: {
    label: msg`Unsubscribed`,
    none: msg`No contact has unsubscribed.`,
    filter: { endReason: ['UNSUBSCRIBED'] },
  },
  removed: { label: msg`Removed`, none: msg`No contact was removed.`, filter: { endReason: ['REMOVED'] } },
} as const satisfies Readonly<
  Record<string, { label: MessageDescriptor; none: MessageDescriptor; filter: EnrolmentFilter }>
>

export type EnrolmentListName = keyof typeof enrolmentLists

/** What the address of a sequence contains: which of its contacts are listed. */
interface SequenceSearch {
  readonly show?: EnrolmentListName
}

/** Reads the address of a sequence. */
export function readSequenceSearch({ show }: Record<string, unknown>): SequenceSearch {
  return typeof show === 'string' && show in enrolmentLists ? { show: show as EnrolmentListName } : {}
}
