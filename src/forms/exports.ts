import { column, exportOf } from '../db/lists/export.ts'
import { sql } from '../db/sql.ts'
import { forms } from './form/form-list.ts'
import { submissions } from './submissions/submission-list.ts'

const { json, text } = column

/** The exportable lists of this module. */
export const formExports = {
  FORMS: exportOf(forms, ['id', 'type', 'name', 'status', 'createdAt', 'updatedAt', 'publishedAt', 'archivedAt'], {
    needs: ['forms:read'],
  }),
  /** Submissions with their answers, which are JSON in one column, because each form has other questions. */
  SUBMISSIONS: exportOf(
    submissions,
    [
      'id',
      'formId',
      'contactId',
      text('email', sql`c.email`),
      'status',
      'score',
      'bucket',
      'outcomeKey',
      'outcomeTitle',
      'startedAt',
      'completedAt',
      'createdAt',
      'updatedAt',
      'attribution',
      json('answers', sql`coalesce(answers.list, '[]'::json)`),
    ],
    {
      needs: ['forms:read', 'contacts:read'],
      joins: ({ sql: { account } }) => sql`
      LEFT JOIN contact c ON c.account_id = ${account} AND c.id = p.contact_id
      LEFT JOIN LATERAL (
        SELECT json_agg(json_build_object('question_id', a.question_id, 'label', v.label, 'answer', a."values", 'score', a.score)
          ORDER BY a.question_id) AS list
        FROM answer a JOIN question_version v ON v.account_id = a.account_id AND v.question_id = a.question_id AND v.version = a.version
        WHERE a.account_id = ${account} AND a.submission_id = p.id) answers ON true`,
    },
  ),
} as const
