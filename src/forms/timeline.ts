import type { TimelineSource } from '../contacts/index.ts'
import { sql } from '../db/sql.ts'
import { submissionTable } from './submissions/submission-list.ts'

/** The entries of this module in timelines, by type. */
export const formTimeline = {
  FORM_SUBMITTED: {
    rank: 51,
    kind: 'SubmissionEntry',
    needs: 'forms:read',
    description: 'A submission with the contact began. It may still be in progress.',
    at: sql`s.created_at`,
    id: sql`s.id`,
    data: sql`jsonb_build_object('submissionId', s.id)`,
    from: submissionTable.within('contactId').from,
  },
} as const satisfies Readonly<Record<string, TimelineSource>>
