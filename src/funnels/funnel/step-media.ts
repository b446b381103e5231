import { announcePageChange } from '../../account/index.ts'
import { mediaUses, type PlaceSource } from '../../content/index.ts'
import type { Ctx } from '../../db/context.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { emitAll } from '../../events/index.ts'
import { mustBeAllowed } from '../../kernel/scopes.ts'

/** Stores which media files the page of a step uses: its published version, and the newest one. */
export async function recordUses(tx: Ctx, stepId: number): Promise<void> {
  const texts = sql`SELECT v.step_id, v.content::text ${usedVersions(tx, [stepId])}`
  await mediaUses.record(tx, 'step', { ids: [stepId], texts, field: 'content' })
}

/** Earlier versions are not shown, so they keep no file from being deleted. */
function usedVersions(tx: Ctx, ids: readonly number[]): Sql {
  return sql`FROM funnel_step p JOIN step_version v ON v.account_id = p.account_id AND v.step_id = p.id
      AND (v.version = p.published_version OR v.version = (
        SELECT max(n.version) FROM step_version n WHERE n.account_id = p.account_id AND n.step_id = p.id))
    WHERE p.account_id = ${tx.sql.account} AND p.id = ANY(${ids}::int[])`
}

/** The pages of steps as places of media files. */
export const mediaPlaces: PlaceSource = {
  find: async (ctx, ids) => {
    const rows = await ctx.sql<{ id: number; title: string }>`
      SELECT p.id, f.name || ': ' || p.name AS title FROM funnel_step p
      JOIN funnel f ON f.account_id = p.account_id AND f.id = p.funnel_id
      WHERE p.account_id = ${ctx.sql.account} AND p.id = ANY(${ids}::int[])`
    return new Map(rows.map(({ id, title }) => [id, { type: 'FunnelStep', id, title, needs: 'funnels:read' }]))
  },
  replace: async (tx, ids, parts) => {
    mustBeAllowed(tx, 'funnels:write')
    const steps = await tx.sql<{ stepId: number; funnelId: number }>`
      UPDATE funnel_step SET updated_at = ${tx.clock.now()}::timestamptz
      WHERE account_id = ${tx.sql.account} AND id = ANY(${ids}::int[]) RETURNING id AS "stepId", funnel_id AS "funnelId"`
    const [size] = await tx.sql<{ bytes: number }>`
      SELECT coalesce(sum(octet_length(v.content::text)), 0)::float8 AS bytes ${usedVersions(tx, ids)}`
    mediaUses.mustBeReplaceable(size?.bytes ?? 0)
    await tx.sql`
      UPDATE step_version w SET content = ${mediaUses.withReplacements(sql`w.content::text`, parts)}::jsonb
      WHERE w.account_id = ${tx.sql.account}
        AND (w.step_id, w.version) IN (SELECT v.step_id, v.version ${usedVersions(tx, ids)})`
    await emitAll(tx, 'funnel_step.updated', steps)
    await announcePageChange(tx)
  },
}
