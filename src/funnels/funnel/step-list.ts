import { ownAccount } from '../../account/index.ts'
import { type Ctx, one } from '../../db/context.ts'
import { sql } from '../../db/sql.ts'
import { type RowOf, table } from '../../db/table.ts'
import { invalid } from '../../kernel/errors.ts'
import { idOf } from '../../kernel/values/ids.ts'
import { lock as lockFunnel } from './funnel-list.ts'

/** Maximum number of steps of a funnel. Lists of steps have no pages. */
export const maxSteps = 500

const stepTable = table('FunnelStep', 'p', { noun: 'step' })
export type FunnelStep = RowOf<typeof stepTable>

/** Loads steps by id; creates a NOT_FOUND error. */
export const { byId, notFound } = stepTable

/** Loads the steps of forms, by form id. */
export const byForm = stepTable.oneBy('formId')

/** Loads the steps of funnels, sorted by position. */
export const ofFunnel = stepTable.manyBy('funnelId', sql`p.position, p.id`)

/** Loads the number of steps of funnels. */
export const countOf = one<number, number>(async (ctx, funnelIds) => {
  const rows = await ctx.sql<{ id: number; steps: number }>`
    SELECT funnel_id AS id, count(*)::int AS steps FROM funnel_step
    WHERE account_id = ${ctx.sql.account} AND funnel_id = ANY(${funnelIds}::int[]) GROUP BY funnel_id`
  return new Map(rows.map((row) => [row.id, row.steps]))
})

/** Returns the form ids of the steps of a funnel. */
export async function formsOf(tx: Ctx, funnelId: number): Promise<number[]> {
  const rows = await tx.sql<{ id: number }>`
    SELECT p.form_id AS id FROM funnel_step p WHERE p.account_id = ${tx.sql.account} AND p.funnel_id = ${funnelId}`
  return rows.map(({ id }) => id)
}

/** Loads a step and locks its row. Other steps can still move and change its position. **Throws** NOT_FOUND. */
export async function lockRow(tx: Ctx, id: string | number): Promise<FunnelStep> {
  return stepTable.lock(tx, id)
}

/**
 * Loads a step and all steps of its funnel, sorted by position, and locks the funnel and the steps. All operations lock the
 * funnel before the steps, so that concurrent changes of the steps wait without a deadlock. **Throws** NOT_FOUND.
 */
export async function lock(tx: Ctx, id: string | number): Promise<{ step: FunnelStep; all: FunnelStep[] }> {
  const stepId = idOf('FunnelStep', id)
  const [seen] = await tx.sql<{ funnelId: number }>`
    SELECT p.funnel_id AS "funnelId" FROM funnel_step p WHERE p.account_id = ${tx.sql.account} AND p.id = ${stepId}`
  if (!seen) throw notFound()
  await lockFunnel(tx, seen.funnelId).catch(() => {
    throw notFound()
  })
  const all = await lockSteps(tx, seen.funnelId)
  const step = all.find((each) => each.id === stepId)
  if (!step) throw notFound()
  return { step, all }
}

/** Loads and locks the steps of a funnel, sorted by position. The caller has locked the funnel. */
export async function lockSteps(tx: Ctx, funnelId: number): Promise<FunnelStep[]> {
  return stepTable.select(tx, sql`AND p.funnel_id = ${funnelId} ORDER BY p.position, p.id FOR UPDATE OF p`)
}

/** Returns the URL of the page of a step. Null if the account has no subdomain. */
export async function urlOf(ctx: Ctx, { funnelId, path }: FunnelStep): Promise<string | null> {
  const { subdomain } = await ownAccount(ctx)
  return subdomain ? `${ctx.baseUrl()}/p/${subdomain}/${funnelId}/${path}` : null
}

/** Returns the id of an existing step. **Throws** VALIDATION_ERROR if the account has no such step. */
export async function mustBeStep(tx: Ctx, stepId: string | number): Promise<number> {
  const id = idOf('FunnelStep', stepId, 'stepId')
  if (!(await tx.load(byId, id))) throw invalid({ stepId: ['must be the id of a funnel step'] }, 'INVALID_ID')
  return id
}
