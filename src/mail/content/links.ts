import { createHash } from 'node:crypto'
import type { Ctx } from '../../db/context.ts'

/** Writes links down that messages will lead through, and answers their ids. One statement, whatever their number. */
export async function store(ctx: Ctx, urls: readonly string[]): Promise<Map<string, number>> {
  const known = [...new Set(urls)].sort()
  if (known.length === 0) return new Map()
  const hashes = known.map((url) => createHash('sha256').update(url).digest('hex'))
  // What is there already is not returned by DO NOTHING; two who write the same links take them in the same order.
  const rows = await ctx.sql<{ id: number; url: string }>`
    INSERT INTO mail_link AS l (account_id, hash, url)
    SELECT ${ctx.sql.account}::int, decode(hash, 'hex'), url
    FROM unnest(${hashes}::text[], ${known}::text[]) AS given(hash, url) ORDER BY hash
    ON CONFLICT (account_id, hash) DO UPDATE SET url = l.url RETURNING id, url`
  return new Map(rows.map(({ id, url }) => [url, id]))
}
