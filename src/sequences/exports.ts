import { column, type Export, word } from '../db/export.ts'
import { sql } from '../db/sql.ts'
import { type EnrolmentFilter, enrolments } from './enrolment-list.ts'
import { type SequenceFilter, sequences } from './sequences.ts'

const { number, text, time } = column

const allSequences: Export<SequenceFilter> = {
  needs: ['sequences:read'],
  list: sequences,
  shape: () => ({
    row: sql`s.name, s.type, s.created_at`,
    columns: [number('id'), text('name'), text('type', word(sql`p.type`)), time('created_at')],
  }),
}

const allEnrolments: Export<EnrolmentFilter> = {
  needs: ['sequences:read', 'contacts:read'],
  list: enrolments,
  shape: () => ({
    row: sql`e.sequence_id, e.contact_id, e.state, e.anchor_date, e.enrolled_at, e.last_stage_id, e.last_done_at,
      e.next_stage_id, e.due_at, e.ended_at`,
    joins: ({ sql: { account } }) => sql`LEFT JOIN contact c ON c.account_id = ${account} AND c.id = p.contact_id`,
    columns: [
      number('id'),
      number('sequence_id'),
      number('contact_id'),
      text('email', sql`c.email`),
      text('state', word(sql`p.state`)),
      time('anchor_date'),
      time('enrolled_at'),
      number('last_stage_id'),
      time('last_done_at'),
      number('next_stage_id'),
      time('due_at'),
      time('ended_at'),
    ],
  }),
}

/** The exports of this module. */
export const sequenceExports = { SEQUENCES: allSequences, ENROLMENTS: allEnrolments } as const
