import type { PersonParts } from '../db/persons/person-parts.ts'
import { sql } from '../db/sql.ts'

/** What this module holds about a person. */
export const formParts = {
  submissions: {
    needs: 'forms:read',
    tables: ['submission', 'answer'],
    select: (ctx, { contactId }) => sql`
      SELECT s.id AS row_id, s.id, s.form_id, f.name AS form, s.client_submission_id, s.status, s.score::text AS score, s.bucket,
        s.outcome_key, s.outcome_title, s.ai_summary, s.typed,
        (SELECT coalesce(json_agg(json_build_object('question_id', a.question_id, 'label', v.label, 'answer', a."values",
            'score', a.score::text) ORDER BY a.question_id), '[]')
          FROM answer a JOIN question_version v
            ON v.account_id = a.account_id AND v.question_id = a.question_id AND v.version = a.version
          WHERE a.account_id = s.account_id AND a.submission_id = s.id) AS answers,
        s.attribution, s.first_attribution, s.started_at, s.completed_at, s.created_at, s.updated_at
      FROM submission s JOIN form f ON f.account_id = s.account_id AND f.id = s.form_id
      WHERE s.account_id = ${ctx.sql.account} AND s.contact_id = ${contactId}::int`,
  },
} as const satisfies PersonParts
