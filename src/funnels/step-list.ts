import type { FunnelStep } from '../../prisma/generated/client/client.ts'
import { ownAccount } from '../account/index.ts'
import type { Ctx } from '../db/context.ts'
import { many, one } from '../db/load.ts'
import { sql } from '../db/sql.ts'
import { invalid, refuse } from '../kernel/errors.ts'
import { idOf } from '../kernel/ids.ts'
import { lock as lockFunnel } from './funnel-list.ts'

/** How many steps a funnel can have; lists of them are not paged. */
export const maxSteps = 500

export const stepColumns = sql`p.account_id AS "accountId", p.id, p.funnel_id AS "funnelId", p.form_id AS "formId", p.position,
  p.name, p.path, p.type, p.title, p.description, p.published_version AS "publishedVersion", p.tag_ids AS "tagIds",
  p.sequence_ids AS "sequenceIds", p.created_at AS "createdAt", p.updated_at AS "updatedAt"`

/** Reads steps by id. */
export const byId = one<number, FunnelStep>(async (ctx, ids) => {
  const rows = await ctx.sql<FunnelStep>`
    SELECT ${stepColumns} FROM funnel_step p WHERE p.account_id = ${ctx.sql.account} AND p.id = ANY(${ids}::int[])`
  return new Map(rows.map((row) => [row.id, row]))
})

/** The step that each form belongs to; most forms belong to none. */
export const byForm = one<number, FunnelStep>(async (ctx, formIds) => {
  const rows = await ctx.sql<FunnelStep>`
    SELECT ${stepColumns} FROM funnel_step p WHERE p.account_id = ${ctx.sql.account} AND p.form_id = ANY(${formIds}::int[])`
  return new Map(rows.map((row) => [row.formId, row]))
})

/** The steps of funnels, in their order. */
export const ofFunnel = many<number, FunnelStep>(async (ctx, funnelIds) => {
  const rows = await ctx.sql<FunnelStep>`
    SELECT ${stepColumns} FROM funnel_step p
    WHERE p.account_id = ${ctx.sql.account} AND p.funnel_id = ANY(${funnelIds}::int[]) ORDER BY p.position, p.id`
  const steps = new Map<number, FunnelStep[]>(funnelIds.map((id) => [id, []]))
  for (const row of rows) steps.get(row.funnelId)?.push(row)
  return steps
})

/** How many steps funnels have. */
export const countOf = one<number, number>(async (ctx, funnelIds) => {
  const rows = await ctx.sql<{ id: number; steps: number }>`
    SELECT funnel_id AS id, count(*)::int AS steps FROM funnel_step
    WHERE account_id = ${ctx.sql.account} AND funnel_id = ANY(${funnelIds}::int[]) GROUP BY funnel_id`
  return new Map(rows.map((row) => [row.id, row.steps]))
})

/** The forms of the steps of a funnel. */
export async function formsOf(tx: Ctx, funnelId: number): Promise<number[]> {
  const rows = await tx.sql<{ id: number }>`
    SELECT p.form_id AS id FROM funnel_step p WHERE p.account_id = ${tx.sql.account} AND p.funnel_id = ${funnelId}`
  return rows.map(({ id }) => id)
}

/** NOT_FOUND, to be thrown. */
export function missing(hint = 'There is no such step.') {
  return refuse('NOT_FOUND', hint)
}

/** The step of this id, its row locked; its place among the others may still change. Fails with NOT_FOUND. */
export async function lockRow(tx: Ctx, id: string | number): Promise<FunnelStep> {
  const [row] = await tx.sql<FunnelStep>`
    SELECT ${stepColumns} FROM funnel_step p
    WHERE p.account_id = ${tx.sql.account} AND p.id = ${idOf('FunnelStep', id)} FOR UPDATE`
  if (!row) throw missing()
  return row
}

/**
 * The step of this id and all that stand in its funnel, in their order. The funnel's row is locked before the steps, as
 * everywhere: nobody else adds, moves, renames or deletes one meanwhile. Fails with NOT_FOUND.
 */
export async function lock(tx: Ctx, id: string | number): Promise<{ step: FunnelStep; all: FunnelStep[] }> {
  const stepId = idOf('FunnelStep', id)
  const [seen] = await tx.sql<{ funnelId: number }>`
    SELECT p.funnel_id AS "funnelId" FROM funnel_step p WHERE p.account_id = ${tx.sql.account} AND p.id = ${stepId}`
  if (!seen) throw missing()
  await lockFunnel(tx, seen.funnelId).catch(() => {
    throw missing()
  })
  const all = await inOrder(tx, seen.funnelId)
  const step = all.find((each) => each.id === stepId)
  if (!step) throw missing()
  return { step, all }
}

/** The steps of a funnel whose row the caller has locked. */
export async function inOrder(tx: Ctx, funnelId: number): Promise<FunnelStep[]> {
  return tx.sql<FunnelStep>`
    SELECT ${stepColumns} FROM funnel_step p
    WHERE p.account_id = ${tx.sql.account} AND p.funnel_id = ${funnelId} ORDER BY p.position, p.id FOR UPDATE OF p`
}

/** Where the page of a step is; null where the account has no subdomain to show it under. */
export async function urlOf(ctx: Ctx, { funnelId, path }: FunnelStep): Promise<string | null> {
  const { subdomain } = await ownAccount(ctx)
  return subdomain ? `${ctx.baseUrl?.() ?? ''}/p/${subdomain}/${funnelId}/${path}` : null
}

/** The id of a step that something else is to name. Fails with VALIDATION_ERROR where the account has none. */
export async function mustBeStep(tx: Ctx, stepId: string | number): Promise<number> {
  const id = idOf('FunnelStep', stepId, 'stepId')
  if (!(await tx.load(byId, id))) throw invalid({ stepId: ['must be the id of a funnel step'] })
  return id
}
