import { z } from 'zod'
import type { FunnelStep } from '../../../prisma/generated/client/client.ts'
import { type Ctx, type Loader, many, one } from '../../db/context.ts'
import { inTransaction } from '../../db/transaction.ts'
import { check, sent, text } from '../../kernel/values/check.ts'
import { largestId } from '../../kernel/values/ids.ts'
import { countRead, maxBytesOf } from '../../kernel/work/row-budget.ts'
import { lockRow, notFound } from '../funnel/step-list.ts'
import { recordUses } from '../funnel/step-media.ts'
import { announceChange, keyOf } from '../funnel/steps.ts'
import { parseContent } from './content-input.ts'

/** Maximum number of versions of a page, including the published version. */
export const maxVersions = 100

/** A saved version of a page. Its content is loaded separately, because it can be large. */
export interface StepVersion {
  readonly stepId: number
  readonly version: number
  readonly createdAt: Date
}

const Details = z.object({ title: text(255), description: text(1_000) }).partial()

/** Loads the versions of steps, newest first. */
export const versionsOf = many<number, StepVersion>(async (ctx, stepIds) => {
  const rows = await ctx.sql<StepVersion>`
    SELECT v.step_id AS "stepId", v.version, v.created_at AS "createdAt" FROM step_version v
    WHERE v.account_id = ${ctx.sql.account} AND v.step_id = ANY(${stepIds}::int[]) ORDER BY v.version DESC`
  const versions = new Map<number, StepVersion[]>(stepIds.map((id) => [id, []]))
  for (const row of rows) versions.get(row.stepId)?.push(row)
  return versions
})

/** Bytes of content that count as one row in the row budget of a request. */
const bytesPerRow = 500

interface Content {
  readonly content: unknown
  readonly bytes: number
}

/** Loads the content of versions, by `versionKey`. */
export const contentOf: Loader<string, Content, null> = {
  ...one<string, Content>(async (ctx, places) => {
    const [stepIds, versions] = [0, 1].map((part) => places.map((place) => Number(place.split(':')[part])))
    const rows = await ctx.sql<{ stepId: number; version: number; content: unknown; bytes: number; total: number }>`
    SELECT s."stepId", s.version, s.bytes, s.total::float8 AS total, CASE WHEN s.total <= ${maxBytesOf(ctx.rows)}::float8 THEN s.content END AS content
    FROM (
      SELECT v.step_id AS "stepId", v.version, v.content, octet_length(v.content::text) AS bytes, sum(octet_length(v.content::text)) OVER () AS total
      FROM unnest(${stepIds}::int[], ${versions}::int[]) AS requested(id, version)
      JOIN step_version v ON v.account_id = ${ctx.sql.account} AND v.step_id = requested.id AND v.version = requested.version
    ) s`
    countRead(ctx.rows, rows[0]?.total, 'contents of pages')
    return new Map(rows.map(({ content, bytes, total: _total, ...place }) => [versionKey(place), { content, bytes }]))
  }),
  weightOf: ({ bytes }) => 1 + Math.floor(bytes / bytesPerRow),
}

/** Returns the loader key of a version. */
export function versionKey({ stepId, version }: { stepId: number; version: number }): string {
  return `${stepId}:${version}`
}

/**
 * Saves the content of a page as a new version, and publishes it unless `publish` is false. Keeps the newest 100 versions,
 * including the published version.
 *
 * **Emits** `funnel_step.updated`. **Throws** NOT_FOUND, and VALIDATION_ERROR with the path of each invalid value of the
 * document.
 */
export async function set(
  ctx: Ctx,
  input: {
    id: string | number
    content?: unknown
    title?: string | null | undefined
    description?: string | null | undefined
    publish?: boolean | null | undefined
  },
): Promise<{ step: FunnelStep; version: number }> {
  const { id, content, publish, ...rest } = input
  const details = sent(check(Details, sent(rest)))
  const document = await parseContent(ctx, content)
  return inTransaction(ctx, async (tx) => {
    const before = await lockRow(tx, id)
    const [saved] = await tx.sql<{ version: number }>`
      INSERT INTO step_version (account_id, step_id, version, content, created_at)
      SELECT ${tx.sql.account}::int, ${before.id}::int, coalesce(max(v.version), 0) + 1, ${document}::jsonb,
        ${tx.clock.now()}::timestamptz
      FROM step_version v WHERE v.account_id = ${tx.sql.account} AND v.step_id = ${before.id}::int RETURNING version`
    const { version } = saved as { version: number }
    const data = { ...details, ...((publish ?? true) && { publishedVersion: version }), updatedAt: tx.clock.now() }
    const step = await tx.db.funnelStep.update({ where: keyOf(before), data })
    await removeOldVersions(tx, step)
    await recordUses(tx, step.id)
    await announceChange(tx, 'funnel_step.updated', step)
    return { step, version }
  })
}

/**
 * Publishes a version of a page, by default the newest. **Emits** `funnel_step.updated`. **Throws** NOT_FOUND for an unknown step
 * or version.
 */
export async function publish(
  ctx: Ctx,
  input: { id: string | number; version?: number | null | undefined },
): Promise<{ step: FunnelStep }> {
  return inTransaction(ctx, async (tx) => {
    const before = await lockRow(tx, input.id)
    const requestedVersion = input.version ?? largestId
    const [row] = await tx.sql<{ version: number }>`
      SELECT v.version FROM step_version v
      WHERE v.account_id = ${tx.sql.account} AND v.step_id = ${before.id}::int
        AND (${input.version == null}::boolean OR v.version = ${requestedVersion}::int)
      ORDER BY v.version DESC LIMIT 1`
    if (!row) throw notFound('version', 'The step has no such version.')
    const data = { publishedVersion: row.version, updatedAt: tx.clock.now() }
    await announceChange(tx, 'funnel_step.updated', before)
    const step = await tx.db.funnelStep.update({ where: keyOf(before), data })
    await recordUses(tx, step.id)
    return { step }
  })
}

async function removeOldVersions(tx: Ctx, { id, publishedVersion }: FunnelStep): Promise<void> {
  const published = publishedVersion ?? 0
  await tx.sql`
    DELETE FROM step_version v
    WHERE v.account_id = ${tx.sql.account} AND v.step_id = ${id}::int AND v.version <> ${published}::int AND v.version <= (
      SELECT o.version FROM step_version o
      WHERE o.account_id = ${tx.sql.account} AND o.step_id = ${id}::int AND o.version <> ${published}::int
      ORDER BY o.version DESC OFFSET ${maxVersions - (publishedVersion === null ? 0 : 1)}::int LIMIT 1)`
}
