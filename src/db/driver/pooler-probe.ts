import type pg from 'pg'
import { within } from '../../kernel/work/within.ts'
import { Connection } from './connection.ts'

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

/** Number of tries to see the same client on two connections of the pooler, and the time that all may take. */
const tries = 5
const probeMilliseconds = 3_000

const probe = 'SELECT pg_backend_pid() AS id'

/**
 * Returns whether a pooler in transaction mode keeps prepared statements: whether a client can execute one on a connection on
 * which it did not prepare it. Returns false if that was not seen, so that statements which may be lost are never prepared.
 */
export async function keepsPrepared(url: string): Promise<boolean> {
  const clients = [0, 1].map(() => newClient(url))
  const [client, holder] = clients as [Connection, Connection]
  try {
    const probed = probeWith(client, holder).catch(() => false)
    return (await within(probed, probeMilliseconds)) && (await probed)
  } finally {
    await Promise.all(clients.map((each) => each.close()))
  }
}

async function probeWith(client: pg.Client, holder: pg.Client): Promise<boolean> {
  await Promise.all([client.connect(), holder.connect()])
  const name = `campanile_probe_${crypto.randomUUID()}`
  const execute = async () => (await client.query<{ id: number }>({ name, text: probe })).rows[0]?.id
  const first = await execute()
  for (let attempt = 0; attempt < tries; attempt += 1) {
    // Its transaction occupies a connection, probably the one that the client used last.
    await holder.query('BEGIN')
    const next = await execute()
    await holder.query('ROLLBACK')
    if (next !== first) return true
  }
  return false
}

function newClient(url: string): Connection {
  const client = new Connection({
    connectionString: url,
    application_name: 'campanile probe',
  })
  client.on('error', () => client.destroy())
  return client
}
