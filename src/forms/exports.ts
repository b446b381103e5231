import { column, type Export, word } from '../db/export.ts'
import { sql } from '../db/sql.ts'
import { type FormFilter, forms } from './form-list.ts'
import { type SubmissionFilter, submissions } from './submission-list.ts'

const { json, number, text, time } = column

const allForms: Export<FormFilter> = {
  needs: ['forms:read'],
  list: forms,
  shape: () => ({
    row: sql`f.type, f.name, f.status, f.created_at, f.updated_at, f.published_at`,
    columns: [
      number('id'),
      text('type', word(sql`p.type`)),
      text('name'),
      text('status', word(sql`p.status`)),
      time('created_at'),
      time('updated_at'),
      time('published_at'),
    ],
  }),
}

/** Submissions with their answers. The answers are JSON in one column, because each form has other questions. */
const allSubmissions: Export<SubmissionFilter> = {
  needs: ['forms:read', 'contacts:read'],
  list: submissions,
  shape: () => ({
    row: sql`s.form_id, s.contact_id, s.status, s.score, s.bucket, s.outcome_key, s.outcome_title, s.attribution, s.started_at,
      s.completed_at, s.created_at, s.updated_at`,
    joins: ({ sql: { account } }) => sql`
      LEFT JOIN contact c ON c.account_id = ${account} AND c.id = p.contact_id
      LEFT JOIN LATERAL (
        SELECT json_agg(json_build_object('question_id', a.question_id, 'label', v.label, 'answer', a."values", 'score', a.score)
          ORDER BY a.question_id) AS list
        FROM answer a JOIN question_version v ON v.account_id = a.account_id AND v.question_id = a.question_id AND v.version = a.version
        WHERE a.account_id = ${account} AND a.submission_id = p.id) answers ON true`,
    columns: [
      number('id'),
      number('form_id'),
      number('contact_id'),
      text('email', sql`c.email`),
      text('status', word(sql`p.status`)),
      number('score', sql`trim_scale(p.score)`),
      text('bucket', word(sql`p.bucket`)),
      text('outcome_key'),
      text('outcome_title'),
      time('started_at'),
      time('completed_at'),
      time('created_at'),
      time('updated_at'),
      json('attribution'),
      json('answers', sql`coalesce(answers.list, '[]'::json)`),
    ],
  }),
}

/** The exportable lists of this module. */
export const formExports = { FORMS: allForms, SUBMISSIONS: allSubmissions } as const
