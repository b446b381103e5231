import type { TimelineSource } from '../contacts/index.ts'
import { sql } from '../db/sql.ts'
import { enrolmentTable } from './planning/progress.ts'

const enrolment = {
  kind: 'EnrolmentEntry',
  needs: 'sequences:read',
  id: sql`e.id`,
  data: sql`jsonb_build_object('enrolmentId', e.id)`,
} as const
const { from } = enrolmentTable.within('contactId')

/** The entries of this module in timelines, by type. */
export const sequenceTimeline = {
  ENROLMENT_STARTED: {
    ...enrolment,
    rank: 31,
    description: 'The contact was enrolled in a sequence.',
    at: sql`e.enrolled_at`,
    from,
  },
  ENROLMENT_ENDED: {
    ...enrolment,
    rank: 32,
    description: 'The contact completed a sequence, or was removed from it.',
    at: sql`e.ended_at`,
    from: (ctx) => sql`${from(ctx)} AND e.ended_at IS NOT NULL`,
  },
} as const satisfies Readonly<Record<string, TimelineSource>>
