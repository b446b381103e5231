import type { Ctx } from '../db/context.ts'
import { type Sql, sql } from '../db/sql.ts'
import { impersonalKeys } from '../kernel/attribution.ts'
import type { QuestionType } from './question-types.ts'

/** The types of questions whose answers are one of a few given values, and so tell nothing of their own about a person. */
const impersonalTypes: readonly QuestionType[] = [
  ...(['YES_NO', 'SINGLE_CHOICE', 'MULTIPLE_CHOICE', 'DROPDOWN'] as const),
  ...(['RATING', 'OPINION_SCALE', 'CONSENT', 'STATEMENT'] as const),
]

/**
 * What is left of an attribution without personal values: the keys that statistics group by and that name no person, unless
 * a link put an e-mail address into one.
 */
export function impersonal(attribution: Sql): Sql {
  return sql`coalesce((SELECT jsonb_object_agg(e.key, e.value) FROM jsonb_each(${attribution}) e
    WHERE e.key = ANY(${[...impersonalKeys]}::text[]) AND e.value::text NOT LIKE '%@%' AND e.value::text NOT ILIKE '%\\%40%'),
    '{}'::jsonb)`
}

/**
 * Redacts the submissions of a contact that is about to be deleted. They keep its id, their times, score, bucket and outcome.
 * Answers keep their score. Answers that are one of a few given values keep it, unless they fill a field of the contact.
 */
export async function redact(tx: Ctx, contactId: number): Promise<void> {
  await tx.sql`
    WITH redacted AS (
      UPDATE submission s SET client_submission_id = NULL, ai_summary = NULL, typed = '{}',
        attribution = ${impersonal(sql`s.attribution`)}, first_attribution = ${impersonal(sql`s.first_attribution`)},
        updated_at = ${tx.clock.now()}::timestamptz
      WHERE s.account_id = ${tx.sql.account} AND s.contact_id = ${contactId}::int RETURNING s.id
    )
    UPDATE answer a SET "values" = '{}', search = '' FROM redacted s, question_version v
    WHERE a.account_id = ${tx.sql.account} AND a.submission_id = s.id
      AND v.account_id = a.account_id AND v.question_id = a.question_id AND v.version = a.version
      AND (v.type::text <> ALL(${[...impersonalTypes]}::text[]) OR v.contact_field IS NOT NULL
        OR v.custom_field_id IS NOT NULL)`
}
