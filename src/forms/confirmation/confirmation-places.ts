import { firstPlaces, type PlaceSource, type UsedBlock } from '../../content/index.ts'
import type { Ctx } from '../../db/context.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { emitAll } from '../../events/index.ts'
import { mustBeAllowed } from '../../kernel/scopes.ts'
import { type Form, formTable } from '../form/form-list.ts'

/** Selects the `email_id` of the confirmation e-mails of forms. */
export function emailsOf(ctx: Ctx): Sql {
  return sql`SELECT f.confirmation_email_id ${formTable.from(ctx)} AND f.confirmation_email_id IS NOT NULL`
}

/** Returns those of the e-mails that belong to forms. */
export async function ofForms(ctx: Ctx, emailIds: readonly number[]): Promise<number[]> {
  const forms = await withEmails(ctx, emailIds)
  return forms.flatMap(({ confirmationEmailId }) => confirmationEmailId ?? [])
}

/** Emits `form.updated` for the forms whose e-mail was made again. */
export async function announceContent(tx: Ctx, emailIds: readonly number[]): Promise<void> {
  const forms = await withEmails(tx, emailIds)
  await emitAll(
    tx,
    'form.updated',
    forms.map(({ id: formId }) => ({ formId })),
  )
}

async function withEmails(ctx: Ctx, emailIds: readonly number[]): Promise<Form[]> {
  return formTable.select(ctx, sql`AND f.confirmation_email_id = ANY(${emailIds}::int[]) ORDER BY f.id`)
}

/** Returns the forms whose confirmation e-mail contains reusable blocks, by id of the block. */
export function placesOfBlocks(ctx: Ctx, blockIds: readonly number[]): Promise<UsedBlock[]> {
  const uses = sql`
    SELECT u.reusable_block_id AS "blockId", f.id, f.name
    FROM form f JOIN reusable_block_use u ON u.account_id = f.account_id AND u.email_id = f.confirmation_email_id
    WHERE f.account_id = ${ctx.sql.account} AND u.reusable_block_id = ANY(${blockIds}::int[])`
  return firstPlaces(ctx, 'Form', uses)
}

/** The confirmation e-mails of forms as places of media files. `replace` does not change the e-mails themselves. */
export const mediaPlaces: PlaceSource = {
  find: async (ctx, emailIds) => {
    const rows = await ctx.sql<{ emailId: number; id: number; title: string }>`
      SELECT f.confirmation_email_id AS "emailId", f.id, f.name AS title FROM form f
      WHERE f.account_id = ${ctx.sql.account} AND f.confirmation_email_id = ANY(${emailIds}::int[])`
    return new Map(rows.map(({ emailId, id, title }) => [emailId, { type: 'Form', id, title, needs: 'forms:read' }]))
  },
  replace: async (tx, emailIds) => {
    const changed = await tx.sql<{ formId: number }>`
      UPDATE form SET updated_at = ${tx.clock.now()}::timestamptz
      WHERE account_id = ${tx.sql.account} AND confirmation_email_id = ANY(${emailIds}::int[]) RETURNING id AS "formId"`
    if (changed.length > 0) mustBeAllowed(tx, 'forms:write')
    await emitAll(tx, 'form.updated', changed)
  },
}
