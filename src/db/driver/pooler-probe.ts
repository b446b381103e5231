import type pg from 'pg'

/** Number of statements after which a pooler would have used another connection, or one connection for two clients. */
const poolerProbes = 10

/**
 * Returns whether a pooler assigns a connection for each transaction. Locks and notifications would be lost there
 * without an error. A pooler reports its own process ID, and in transaction mode the clients share connections.
 */
export async function isInTransactionMode(client: pg.Client, connect: () => Promise<pg.Client>): Promise<boolean> {
  const { processID } = client as unknown as { processID: number }
  if ((await backendOf(client)) === processID) return false
  const second = await connect()
  try {
    const backends = [new Set<number>(), new Set<number>()] as const
    for (let probe = 0; probe < poolerProbes; probe += 1) {
      backends[0].add(await backendOf(client))
      backends[1].add(await backendOf(second))
    }
    return backends.some(({ size }) => size > 1) || !backends[0].isDisjointFrom(backends[1])
  } finally {
    await second.end().catch(() => undefined)
  }
}

async function backendOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ id: number }>('SELECT pg_backend_pid() AS id')
  return rows[0]?.id as number
}
