import type { PersonParts } from '../db/persons/person-parts.ts'
import { personTable } from '../db/persons/person-table.ts'
import { sql } from '../db/sql.ts'

const submission = personTable('Submission', 's', { omitted: { contactId: 'the person' } })
const answer = personTable('Answer', 'a', {
  omitted: {
    id: 'an answer is identified by its question',
    submissionId: 'the submission contains the answer',
    version: 'its label is exported',
    search: 'a copy of the values',
  },
  renamed: { values: 'answer' },
})

/** What this module holds about a person. */
export const formParts = {
  submissions: {
    needs: 'forms:read',
    tables: [submission, answer],
    select: (ctx, { contactId }) => sql`
      SELECT s.id AS row_id, f.name AS form, ${submission.columns},
        (SELECT coalesce(json_agg(${answer.toJson(sql`v.label`)} ORDER BY a.question_id), '[]')
          FROM answer a JOIN question_version v
            ON v.account_id = a.account_id AND v.question_id = a.question_id AND v.version = a.version
          WHERE a.account_id = s.account_id AND a.submission_id = s.id) AS answers
      FROM submission s JOIN form f ON f.account_id = s.account_id AND f.id = s.form_id
      WHERE s.account_id = ${ctx.sql.account} AND s.contact_id = ${contactId}::int`,
  },
} as const satisfies PersonParts
