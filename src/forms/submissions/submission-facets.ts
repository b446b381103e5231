import { columnFacet, type Facets } from '../../db/lists/facets.ts'
import { sql } from '../../db/sql.ts'
import { invalid } from '../../kernel/errors.ts'
import { byId } from '../form/question-list.ts'
import { possibleAnswers } from '../form/question-types.ts'

/** The fields of submissions whose values can be counted. */
export type SubmissionFacetField = 'STATUS' | 'BUCKET' | 'OUTCOME' | 'FORM' | 'ANSWER' | 'UTM_SOURCE' | 'UTM_CAMPAIGN'

/** The facets of submissions. The value of an outcome is its key, that of a form its ID. */
export const submissionFacets: Facets<SubmissionFacetField> = {
  STATUS: columnFacet(sql`s.status`),
  BUCKET: columnFacet(sql`s.bucket`),
  OUTCOME: columnFacet(sql`s.outcome_key`, sql`s.outcome_title`),
  FORM: {
    sourceOf: (ctx) => ({
      idType: 'Form',
      value: sql`s.form_id`,
      each: sql`SELECT f.id::text, f.name FROM form f WHERE f.account_id = ${ctx.sql.account} AND f.id = counted.value`,
    }),
  },
  ANSWER: {
    object: { type: 'Question', argument: 'questionId' },
    sourceOf: async (ctx, id) => {
      const question = await ctx.load(byId, id)
      if (!question) return undefined
      if (!possibleAnswers(question.type, question.options)) {
        throw invalid({ questionId: ['must be the id of a question with a fixed set of answers'] })
      }
      return {
        value: sql`s.id`,
        each: sql`SELECT given.value, given.value FROM answer a, unnest(a.values) AS given(value)
          WHERE a.account_id = ${ctx.sql.account} AND a.submission_id = counted.value AND a.question_id = ${id}::int`,
      }
    },
  },
  UTM_SOURCE: columnFacet(sql`(s.attribution ->> 'utm_source')`),
  UTM_CAMPAIGN: columnFacet(sql`(s.attribution ->> 'utm_campaign')`),
}
