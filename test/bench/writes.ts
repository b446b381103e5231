// node test/bench/writes.ts [--only <name>]    measures writes beside a hand-written server that stores the same rows
import { parseArgs } from 'node:util'
import pg from 'pg'

const { values } = parseArgs({ options: { only: { type: 'string' }, seconds: { type: 'string', default: '3' } } })
process.env['BENCH_CONTACTS'] = '20000'
const { fillDatabase } = await import('./database.ts')
const { cpuOfConnections, startLoader, startServer } = await import('./processes.ts')
const { prepareWrites } = await import('./writes/requests.ts')
const { median } = await import('./report.ts')

const rounds = 5
const connections = 16
const milliseconds = Number(values.seconds) * 1_000
const least = 0.6

const filled = await fillDatabase()
const load = startLoader()
const client = new pg.Client(filled.url)
try {
  await client.connect()
  const writes = await prepareWrites(filled)
  const args = [filled.url, filled.key, String(filled.accountId)]
  const [ours, theirs] = [await startServer('campanile.ts', args), await startServer('baseline/writes.ts', args)]
  const turn = async (server: typeof ours, request: string, length = milliseconds) => {
    const before = { node: await server.cpuMilliseconds(), postgres: await cpuOfConnections(client) }
    const { perSecond, times } = await load.apply({ ports: [server.port], request, connections, milliseconds: length })
    const node = ((await server.cpuMilliseconds()) - before.node) / times.length
    return { perSecond, times, node, postgres: ((await cpuOfConnections(client)) - before.postgres) / times.length }
  }
  const rows: Record<string, string>[] = []
  for (const write of writes) {
    if (values.only && values.only !== write.name) continue
    const { errors } = (await ours.ask(write.ours)) as { errors?: unknown }
    if (errors) throw new Error(JSON.stringify(errors))
    await turn(ours, write.ours, milliseconds / 2)
    await turn(theirs, write.theirs, milliseconds / 2)
    // Autovacuum would do this within a minute. Until then, plans are those of empty tables.
    await client.query('ANALYZE')
    await turn(ours, write.ours, milliseconds / 2)
    const measured: Record<'ours' | 'theirs', Awaited<ReturnType<typeof turn>>>[] = []
    for (let round = 0; round < rounds; round += 1) {
      measured.push({ ours: await turn(ours, write.ours), theirs: await turn(theirs, write.theirs) })
    }
    const of = (each: (round: (typeof measured)[number]) => number) => median(measured.map(each))
    const ratio = of(({ ours: mine, theirs: other }) => (other.node + other.postgres) / (mine.node + mine.postgres))
    if (ratio < least) process.exitCode = 1
    rows.push({
      write: write.name,
      'by CPU': ratio.toFixed(2),
      Node: of((round) => round.theirs.node / round.ours.node).toFixed(2),
      PostgreSQL: of((round) => round.theirs.postgres / round.ours.postgres).toFixed(2),
      'Node ms': `${of((round) => round.ours.node).toFixed(2)} (${of((round) => round.theirs.node).toFixed(2)})`,
      'PostgreSQL ms': `${of((round) => round.ours.postgres).toFixed(2)} (${of((round) => round.theirs.postgres).toFixed(2)})`,
      'per s': `${of((round) => round.ours.perSecond).toFixed(0)} (${of((round) => round.theirs.perSecond).toFixed(0)})`,
      'p99 ms': `${p99(measured.map((round) => round.ours.times))} (${p99(measured.map((round) => round.theirs.times))})`,
    })
  }
  console.table(rows)
  console.log(`In brackets: the hand-written server. Aim: at least ${least} by the processor time of both.`)
  ours.stop()
  theirs.stop()
} finally {
  load.stop()
  await client.end()
  await filled.drop()
}

function p99(times: number[][]): string {
  const sorted = times.flat().sort((a, b) => a - b)
  return (sorted[Math.floor(sorted.length * 0.99)] ?? 0).toFixed(0)
}
