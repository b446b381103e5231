import { impersonalAttribution, impersonalTerms } from '../contacts/index.ts'
import type { Ctx } from '../db/context.ts'
import { readParts, replaceParts } from '../db/figures/figure-parts.ts'
import { sql } from '../db/sql.ts'
import type { QuestionType } from './form/question-types.ts'
import { submissionParts } from './submissions/submission-parts.ts'

/** The types of questions whose answers are one of a few given values, and so tell nothing of their own about a person. */
const impersonalTypes: readonly QuestionType[] = [
  ...(['YES_NO', 'SINGLE_CHOICE', 'MULTIPLE_CHOICE', 'DROPDOWN'] as const),
  ...(['RATING', 'OPINION_SCALE', 'CONSENT', 'TERMS', 'STATEMENT'] as const),
]

/**
 * Redacts the submissions of contacts that are about to be deleted. They keep their contact id, times, score, bucket and outcome.
 * Accepted terms lose the IP address. Answers keep their score. Answers that are one of a few given values keep it, unless they
 * fill a field of the contact.
 */
export async function redact(tx: Ctx, contactIds: readonly number[]): Promise<void> {
  const facts = submissionParts(sql`s.account_id = ${tx.sql.account} AND s.contact_id = ANY(${contactIds}::int[])`)
  const counted = await readParts(tx, facts)
  await tx.sql`
    WITH redacted AS (
      UPDATE submission s SET client_submission_id = NULL, ai_summary = NULL, typed = '{}',
        accepted_terms = ${impersonalTerms(sql`s.accepted_terms`)},
        attribution = ${impersonalAttribution(sql`s.attribution`)}, first_attribution = ${impersonalAttribution(sql`s.first_attribution`)},
        updated_at = ${tx.clock.now()}::timestamptz
      WHERE s.account_id = ${tx.sql.account} AND s.contact_id = ANY(${contactIds}::int[]) RETURNING s.id
    )
    UPDATE answer a SET "values" = '{}', search = '' FROM redacted s, question_version v
    WHERE a.account_id = ${tx.sql.account} AND a.submission_id = s.id
      AND v.account_id = a.account_id AND v.question_id = a.question_id AND v.version = a.version
      AND (v.type::text <> ALL(${[...impersonalTypes]}::text[]) OR v.contact_field IS NOT NULL
        OR v.custom_field_id IS NOT NULL)`
  if (counted.length > 0) await replaceParts(tx, counted, facts)
}

/** Returns the ids of the submissions of a contact. */
export async function refsOf(tx: Ctx, contactId: number): Promise<Record<string, number[]>> {
  const rows = await tx.sql<{ id: number }>`
    SELECT s.id FROM submission s WHERE s.account_id = ${tx.sql.account} AND s.contact_id = ${contactId}::int`
  return { submissionId: rows.map(({ id }) => id) }
}

/** Gives the submissions of a contact to another one. */
export async function merge(tx: Ctx, fromId: number, intoId: number): Promise<void> {
  await tx.sql`
    UPDATE submission SET contact_id = ${intoId}::int
    WHERE account_id = ${tx.sql.account} AND contact_id = ${fromId}::int`
}
