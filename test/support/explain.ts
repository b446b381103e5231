import type { PoolClient, QueryConfig } from 'pg'
import { vi } from 'vitest'
import type { Server } from './server.ts'

/** Execution plan of a statement. */
export interface Plan {
  readonly statement: string
  /** Rows that the scans read, including rows that a filter removed. */
  readonly looked: number
  /** Blocks of 8 kB that were read. */
  readonly blocks: number
  readonly milliseconds: number
  /** Types of the scans with their index or table. */
  readonly scans: readonly string[]
}

interface Node {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  'Shared Hit Blocks'?: number
  'Shared Read Blocks'?: number
  Plans?: Node[]
}

/**
 * Returns the plans of all statements that a function sends outside of write transactions, such as lists, counts and nodes. Runs
 * the function once to record its statements, and then each statement with EXPLAIN ANALYZE.
 */
export async function plansOf(server: Server, work: () => Promise<unknown>): Promise<Plan[]> {
  const { pool } = server.app.database
  const sent: QueryConfig[] = []
  const note = (config: unknown) => {
    const statement = config as QueryConfig
    if (typeof config === 'object' && /^\s*(SELECT|WITH)/i.test(statement.text)) sent.push(statement)
  }
  const open = pool.connect.bind(pool)
  const clients = new Map<PoolClient, PoolClient['query']>()
  const record = (client: PoolClient): PoolClient => {
    if (clients.has(client)) return client
    const { query } = client
    clients.set(client, query)
    client.query = ((...args: [unknown]) => {
      note(args[0])
      return query.apply(client, args as never)
    }) as never
    return client
  }
  type Connected = Parameters<typeof open>[0]
  const connect = vi
    .spyOn(pool, 'connect')
    .mockImplementation(((connected?: Connected) =>
      connected
        ? open((error, client, done) => connected(error, client && record(client), done))
        : open().then(record)) as never)
  try {
    await work()
  } finally {
    connect.mockRestore()
    for (const [client, query] of clients) client.query = query
  }
  const plans: Plan[] = []
  for (const { text, values } of sent) {
    const { rows } = await pool.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, values)
    plans.push(planOf(text, rows[0]['QUERY PLAN'][0]))
  }
  return plans
}

function planOf(statement: string, explained: { Plan: Node; 'Execution Time': number }): Plan {
  const scans = nodesOf(explained.Plan).filter((node) => node['Relation Name'] ?? node['Index Name'])
  const looked = scans.reduce((total, node) => {
    const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
    return total + (node['Actual Rows'] + removed) * node['Actual Loops']
  }, 0)
  return {
    statement,
    looked,
    blocks: (explained.Plan['Shared Hit Blocks'] ?? 0) + (explained.Plan['Shared Read Blocks'] ?? 0),
    milliseconds: explained['Execution Time'],
    scans: scans.map((node) => `${node['Node Type']} ${node['Index Name'] ?? node['Relation Name']}`),
  }
}

function nodesOf(node: Node): Node[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)]
}
