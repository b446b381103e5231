import type { Context } from 'koa'
import type { Client } from '../../db/client.ts'
import type { Replicas } from '../../db/context.ts'

/** Header with the position of a change. A later request that sends it reads the change, on a replica too. */
const header = 'X-Database-Position'

/** Fields whose cursors follow the state of the primary, so a replica could not have the changes before them. */
const cursorFields = /\bevent(Cursor|s)\b/

/** The directive of RFC 9111 with which a client accepts data of some age, in seconds. */
const maxStale = /(?:^|[\s,])max-stale(?:=(\d{1,9}))?(?=$|[\s,])/i

/**
 * Returns where a query is read that accepts data of some age, by `Cache-Control: max-stale`. Returns undefined for other
 * queries, and without replicas.
 */
export async function readerFor(
  ctx: Context,
  document: string,
  { replicas }: { replicas: Replicas | undefined },
): Promise<Client | undefined> {
  const accepted = replicas && maxStale.exec(ctx.get('cache-control'))
  if (!accepted || cursorFields.test(document)) return undefined
  const [, seconds] = accepted
  return replicas.clientFor({
    maxAgeMs: seconds === undefined ? Number.POSITIVE_INFINITY : Number(seconds) * 1_000,
    after: ctx.get(header) || undefined,
  })
}

/** Returns the header with the position after a mutation. Empty without replicas. */
export async function positionHeader({
  replicas,
}: {
  replicas: Replicas | undefined
}): Promise<Record<string, string>> {
  const position = await replicas?.position()
  return position === undefined ? {} : { [header]: position }
}
