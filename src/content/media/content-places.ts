import type { Ctx } from '../../db/context.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { mustBeAllowed } from '../../kernel/scopes.ts'
import type { MediaPlace, PlaceKind, PlaceSource } from '../ports.ts'
import { mustBeReplaceable, record, withReplacements } from './media-uses.ts'

/** A table whose rows have an `id`, a `name`, and blocks in `content`. */
interface ContentTable {
  readonly kind: PlaceKind
  readonly type: MediaPlace['type']
  readonly table: Sql
  /** Emits the events of rows that changed. */
  readonly announce: (tx: Ctx, ids: readonly number[]) => Promise<void>
}

/** The rows of a table as places of media files. */
interface ContentPlaces {
  readonly places: PlaceSource
  /** Stores which files a row uses. **Throws** VALIDATION_ERROR for `content`. */
  readonly recordUses: (tx: Ctx, id: number) => Promise<void>
}

/** Makes the blocks in the rows of a table places of media files. They are read with mail:read, and written with mail:write. */
export function newContentPlaces({ kind, type, table, announce }: ContentTable): ContentPlaces {
  const among = (ctx: Ctx, ids: readonly number[]) =>
    sql`t.account_id = ${ctx.sql.account} AND t.id = ANY(${ids}::int[])`
  return {
    places: {
      find: async (ctx, ids) => {
        const rows = await ctx.sql<{ id: number; title: string }>`
          SELECT t.id, t.name AS title FROM ${table} t WHERE ${among(ctx, ids)}`
        return new Map(rows.map(({ id, title }) => [id, { type, id, title, needs: 'mail:read' }]))
      },
      replace: async (tx, ids, parts) => {
        mustBeAllowed(tx, 'mail:write')
        const [size] = await tx.sql<{ bytes: number }>`
          SELECT coalesce(sum(octet_length(t.content::text)), 0)::float8 AS bytes FROM ${table} t WHERE ${among(tx, ids)}`
        mustBeReplaceable(size?.bytes ?? 0)
        // Messages that contain the blocks are places of the files too, so they need not be compiled again.
        const changed = await tx.sql<{ id: number }>`
          UPDATE ${table} t SET content = ${withReplacements(sql`t.content::text`, parts)}::jsonb,
            updated_at = ${tx.clock.now()}::timestamptz
          WHERE ${among(tx, ids)} RETURNING t.id`
        await announce(
          tx,
          changed.map(({ id }) => id),
        )
      },
    },
    recordUses: async (tx, id) => {
      const texts = sql`SELECT t.id, t.content::text FROM ${table} t WHERE ${among(tx, [id])}`
      await record(tx, kind, { ids: [id], texts, field: 'content' })
    },
  }
}
