import { createHash } from 'node:crypto'
import type { Ctx } from '../../db/context.ts'

/** Stores the URLs of tracked links, and returns their IDs by URL. One statement, whatever their number. */
export async function storeTrackedLinks(ctx: Ctx, urls: readonly string[]): Promise<Map<string, number>> {
  const distinct = [...new Set(urls)].sort()
  if (distinct.length === 0) return new Map()
  const hashes = distinct.map((url) => createHash('sha256').update(url).digest('hex'))
  // DO UPDATE returns existing rows as well. The order prevents deadlocks between transactions that store the same links.
  const rows = await ctx.sql<{ id: number; url: string }>`
    INSERT INTO mail_link AS l (account_id, hash, url)
    SELECT ${ctx.sql.account}::int, decode(hash, 'hex'), url
    FROM unnest(${hashes}::text[], ${distinct}::text[]) AS x(hash, url) ORDER BY hash
    ON CONFLICT (account_id, hash) DO UPDATE SET url = l.url RETURNING id, url`
  return new Map(rows.map(({ id, url }) => [url, id]))
}
