import { z } from 'zod'
import type { Ctx } from '../../db/context.ts'
import { inTransaction } from '../../db/transaction.ts'
import { emitAll } from '../../events/index.ts'
import { nameOfCopy } from '../../kernel/copies.ts'
import { check, name, sent } from '../../kernel/values/check.ts'
import { emails } from '../../mail/index.ts'
import { type Form, formTable, lockShared } from './form-list.ts'

const Copy = z.object({ name: name(255).optional() })

/** The original and its copy, by id. */
interface Pair {
  readonly source: number
  readonly copy: number
}

/**
 * Creates a draft with the questions, the outcomes, the thresholds and the confirmation e-mail of a form in any status. Removed
 * questions, older versions of questions and submissions are not copied. The name defaults to `Copy of …`.
 *
 * **Emits** `form.created`. **Throws** NOT_FOUND and VALIDATION_ERROR.
 */
export async function duplicate(
  ctx: Ctx,
  input: { id: string | number; name?: string | null | undefined },
): Promise<{ form: Form }> {
  const { name: newName } = check(Copy, sent({ name: input.name }))
  return inTransaction(ctx, async (tx) => {
    const source = await lockShared(tx, input.id)
    const { forms } = await copyAll(tx, [source.id], { name: newName ?? nameOfCopy(source.name), publish: false })
    return { form: forms[0] as Form }
  })
}

/**
 * Copies the forms of steps under their names, with a constant number of statements. Published forms are published at once,
 * because visitors reach them through the page of the step; the others become drafts. Returns the ids of the forms and of their
 * questions.
 *
 * **Emits** `form.created` for each form.
 */
export async function duplicateForSteps(
  tx: Ctx,
  formIds: readonly number[],
): Promise<{ forms: readonly Pair[]; questions: readonly Pair[] }> {
  const { forms, questions } = await copyAll(tx, formIds, { name: null, publish: true })
  return { forms: pairsOf(formIds, forms), questions }
}

async function copyAll(
  tx: Ctx,
  formIds: readonly number[],
  { name: newName, publish }: { name: string | null; publish: boolean },
): Promise<{ forms: readonly Form[]; questions: readonly Pair[] }> {
  if (formIds.length === 0) return { forms: [], questions: [] }
  const now = tx.clock.now()
  // Ids are assigned in the order of the originals. The lock keeps their questions and outcomes as they are.
  const inserted = await tx.sql<Form>`
    WITH source AS (
      SELECT * FROM form WHERE account_id = ${tx.sql.account} AND id = ANY(${formIds}::int[]) ORDER BY id FOR SHARE)
    INSERT INTO form AS f (account_id, type, name, status, language, warm_from, hot_from, created_at, updated_at, published_at)
    SELECT account_id, type, coalesce(${newName}, name),
      CASE WHEN ${publish}::boolean AND status = 'PUBLISHED' THEN 'PUBLISHED' ELSE 'DRAFT' END::form_status, language, warm_from, hot_from,
      ${now}::timestamptz, ${now}::timestamptz,
      CASE WHEN ${publish}::boolean AND status = 'PUBLISHED' THEN ${now}::timestamptz END
    FROM source ORDER BY id RETURNING ${formTable.columns}`
  const copies = inserted.sort((one, other) => one.id - other.id)
  const pairs = pairsOf(formIds, copies)
  const forms = await copyEmails(tx, pairs, copies)
  const questions = await copyQuestions(tx, pairs)
  await tx.sql`
    INSERT INTO outcome (account_id, form_id, position, key, title, text, bucket, updated_at)
    SELECT o.account_id, given.copy, o.position, o.key, o.title, o.text, o.bucket, ${now}::timestamptz
    FROM unnest(${pairs.map(({ source }) => source)}::int[], ${pairs.map(({ copy }) => copy)}::int[]) AS given(source, copy)
    JOIN outcome o ON o.account_id = ${tx.sql.account} AND o.form_id = given.source ORDER BY o.form_id, o.position, o.id`
  await emitAll(
    tx,
    'form.created',
    forms.map(({ id: formId }) => ({ formId })),
  )
  return { forms, questions }
}

/** Copies the confirmation e-mails of forms. Returns the copies of the forms. */
async function copyEmails(tx: Ctx, pairs: readonly Pair[], copies: readonly Form[]): Promise<readonly Form[]> {
  const sources = await tx.sql<{ id: number; emailId: number }>`
    SELECT f.id, f.confirmation_email_id AS "emailId" FROM form f WHERE f.account_id = ${tx.sql.account}
      AND f.id = ANY(${pairs.map(({ source }) => source)}::int[]) AND f.confirmation_email_id IS NOT NULL`
  if (sources.length === 0) return copies
  const emailIds = await emails.copyAll(
    tx,
    sources.map(({ emailId }) => emailId),
  )
  const emailOf = new Map(sources.map(({ id, emailId }) => [id, emailIds.get(emailId) ?? null]))
  const given = pairs.flatMap(({ source, copy }) => {
    const emailId = emailOf.get(source) ?? null
    return emailId === null ? [] : [{ copy, emailId }]
  })
  await tx.sql`
    UPDATE form f SET confirmation_email_id = given.email_id
    FROM unnest(${given.map(({ copy }) => copy)}::int[], ${given.map(({ emailId }) => emailId)}::int[]) AS given(copy, email_id)
    WHERE f.account_id = ${tx.sql.account} AND f.id = given.copy`
  const emailOfCopy = new Map(given.map(({ copy, emailId }) => [copy, emailId]))
  return copies.map((form) => ({ ...form, confirmationEmailId: emailOfCopy.get(form.id) ?? null }))
}

/** Copies the current versions of the questions of forms, without removed ones. */
async function copyQuestions(tx: Ctx, forms: readonly Pair[]): Promise<readonly Pair[]> {
  const now = tx.clock.now()
  return tx.sql<Pair>`
    WITH source AS (
      SELECT q.id, q.version, given.copy AS form_id,
        row_number() OVER (PARTITION BY q.form_id ORDER BY q.position, q.id)::int AS position
      FROM unnest(${forms.map(({ source }) => source)}::int[], ${forms.map(({ copy }) => copy)}::int[]) AS given(source, copy)
      JOIN question q ON q.account_id = ${tx.sql.account} AND q.form_id = given.source AND q.removed_at IS NULL
    ), inserted AS (
      INSERT INTO question (account_id, form_id, position, version, created_at, updated_at)
      SELECT ${tx.sql.account}::int, form_id, position, 1, ${now}::timestamptz, ${now}::timestamptz FROM source ORDER BY form_id, position
      RETURNING id, form_id, position
    ), versions AS (
      INSERT INTO question_version (account_id, question_id, version, label, type, required, options, points, contact_field,
        custom_field_id, created_at)
      SELECT v.account_id, inserted.id, 1, v.label, v.type, v.required, v.options, v.points, v.contact_field, v.custom_field_id,
        ${now}::timestamptz
      FROM inserted JOIN source USING (form_id, position)
      JOIN question_version v ON v.account_id = ${tx.sql.account} AND v.question_id = source.id AND v.version = source.version
    )
    SELECT source.id AS source, inserted.id AS copy FROM inserted JOIN source USING (form_id, position)`
}

/** Pairs forms with their copies, which are sorted by id. */
function pairsOf(formIds: readonly number[], copies: readonly Form[]): readonly Pair[] {
  const sources = [...formIds].sort((one, other) => one - other)
  return copies.map(({ id: copy }, place) => ({ source: sources[place] as number, copy }))
}
