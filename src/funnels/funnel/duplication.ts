import { z } from 'zod'
import type { Funnel } from '../../../prisma/generated/client/client.ts'
import { use } from '../../account/index.ts'
import { mediaUses } from '../../content/index.ts'
import type { Ctx } from '../../db/context.ts'
import { inTransaction } from '../../db/transaction.ts'
import { duplication as formDuplication } from '../../forms/index.ts'
import { mustBeCopyable, nameOfCopy } from '../../kernel/copies.ts'
import { mustBeAllowed } from '../../kernel/scopes.ts'
import { check, name, sent } from '../../kernel/values/check.ts'
import { emails } from '../../mail/index.ts'
import { lock } from './funnel-list.ts'
import { insert } from './funnels.ts'
import { lockSteps } from './step-list.ts'

const Copy = z.object({ name: name(255).optional() })

/** The original and its copy, by id. */
type Pairs = Awaited<ReturnType<typeof formDuplication.duplicateForSteps>>['questions']

/**
 * Creates a funnel with the steps of another one, under the same paths. Each step has copies of its form and of its page: of
 * the published version and the newest one, neither of which is published. Confirmation e-mails are copied; visits, submissions
 * and statistics are not. The name defaults to `Copy of …`.
 *
 * **Emits** `form.created` for each form, `funnel.created`, but no event for each step, and `quota.reached` if it is the last
 * funnel that the plan allows. **Throws** NOT_FOUND, NO_SUBDOMAIN, VALIDATION_ERROR, QUOTA_EXCEEDED, and FORBIDDEN if a step adds
 * tags or enrols contacts and the key may not.
 */
export async function duplicate(
  ctx: Ctx,
  input: { id: string | number; name?: string | null | undefined },
): Promise<{ funnel: Funnel }> {
  const { name: newName } = check(Copy, sent({ name: input.name }))
  return inTransaction(ctx, async (tx) => {
    const source = await lock(tx, input.id)
    const steps = await lockSteps(tx, source.id)
    if (steps.some(({ tagIds }) => tagIds.length > 0)) mustBeAllowed(tx, 'contacts:write')
    if (steps.some(({ sequenceIds }) => sequenceIds.length > 0)) mustBeAllowed(tx, 'sequences:write')
    const { forms, questions } = await formDuplication.duplicateForSteps(
      tx,
      steps.map(({ formId }) => formId),
    )
    const emailId = source.confirmationEmailId
    const emailCopies = await emails.copyAll(tx, emailId === null ? [] : [emailId])
    const funnel = await insert(tx, {
      name: newName ?? nameOfCopy(source.name),
      type: source.type,
      confirmationEmailId: emailId === null ? null : (emailCopies.get(emailId) ?? null),
    })
    const copies = await copySteps(tx, source.id, funnel.id, forms)
    await copyPages(tx, copies, questions)
    await mediaUses.copy(tx, 'step', copies)
    await use(tx, 'funnels', 1)
    return { funnel }
  })
}

async function copySteps(tx: Ctx, sourceId: number, funnelId: number, forms: Pairs): Promise<Pairs> {
  const now = tx.clock.now()
  return tx.sql<Pairs[number]>`
    WITH source AS (
      SELECT p.*, given.copy AS form_copy
      FROM unnest(${forms.map(({ source }) => source)}::int[], ${forms.map(({ copy }) => copy)}::int[]) AS given(source, copy)
      JOIN funnel_step p ON p.account_id = ${tx.sql.account} AND p.funnel_id = ${sourceId} AND p.form_id = given.source
    ), inserted AS (
      INSERT INTO funnel_step (account_id, funnel_id, form_id, position, name, path, type, title, description, tag_ids,
        sequence_ids, created_at, updated_at)
      SELECT account_id, ${funnelId}::int, form_copy, position, name, path, type, title, description, tag_ids, sequence_ids,
        ${now}::timestamptz, ${now}::timestamptz
      FROM source ORDER BY position RETURNING id, form_id
    )
    SELECT source.id AS source, inserted.id AS copy FROM inserted JOIN source ON source.form_copy = inserted.form_id`
}

/**
 * Copies the published and the newest page document of each step. A field that names a question as `q<id>` or `<id>` names its
 * copy: PostgreSQL writes the text of a document in one way, so that the name can be replaced there.
 */
async function copyPages(tx: Ctx, steps: Pairs, questions: Pairs): Promise<void> {
  const versions = await tx.sql<{ copy: number; source: number; version: number; bytes: number }>`
    SELECT given.copy, given.source, v.version, octet_length(v.content::text) AS bytes
    FROM unnest(${steps.map(({ source }) => source)}::int[], ${steps.map(({ copy }) => copy)}::int[]) AS given(source, copy)
    JOIN funnel_step p ON p.account_id = ${tx.sql.account} AND p.id = given.source
    JOIN step_version v ON v.account_id = p.account_id AND v.step_id = p.id
      AND (v.version = p.published_version OR v.version = (
        SELECT max(n.version) FROM step_version n WHERE n.account_id = p.account_id AND n.step_id = p.id))`
  mustBeCopyable(versions.reduce((sum, { bytes }) => sum + bytes, 0))
  await tx.sql`
    INSERT INTO step_version (account_id, step_id, version, content, created_at)
    SELECT v.account_id, given.copy, row_number() OVER (PARTITION BY v.step_id ORDER BY v.version), renamed.content,
      ${tx.clock.now()}::timestamptz
    FROM unnest(${versions.map(({ source }) => source)}::int[], ${versions.map(({ version }) => version)}::int[],
      ${versions.map(({ copy }) => copy)}::int[]) AS given(source, version, copy)
    JOIN step_version v ON v.account_id = ${tx.sql.account} AND v.step_id = given.source AND v.version = given.version,
    LATERAL (
      SELECT string_agg(CASE
          WHEN part.place = 1 THEN part.text
          WHEN question.copy IS NULL THEN '"name": "' || part.text
          ELSE '"name": "q' || question.copy || substr(part.text, strpos(part.text, '"')) END, '' ORDER BY part.place)::jsonb
      FROM regexp_split_to_table(v.content::text, '"name": "(?=[qQ]?[0-9]+")') WITH ORDINALITY AS part(text, place)
      LEFT JOIN unnest(${questions.map(({ source }) => source)}::int[], ${questions.map(({ copy }) => copy)}::int[])
        AS question(source, copy)
        ON part.place > 1 AND question.source::text = substring(part.text from '^[qQ]?([0-9]+)"')
    ) AS renamed(content)`
}
