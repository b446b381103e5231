// compares two trees: node test/bench/ab.ts <other tree>
process.env['BENCH_CONTACTS'] ??= '20000'

import pg from 'pg'

const { fillDatabase } = await import('./database.ts')
const here = await import('./processes.ts')
const there = await import(`${process.argv[2]}/test/bench/processes.ts`)
const { graph } = await import('./questions.ts')
const { prepareWrites } = await import('./writes/requests.ts')
const filled = await fillDatabase()
const client = new pg.Client(filled.url)
await client.connect()
const writes = await prepareWrites(filled)
const args = [filled.url, filled.key, String(filled.accountId)]
const [a, b] = [await here.startServer('campanile.ts', args), await there.startServer('campanile.ts', args)]
const load = here.startLoader()
const contact = 'email firstName lastName emailMarketing gdpr createdAt'
const docs: [string, string][] = [
  ['typename', graph('{ __typename }', {}, filled.key)],
  ['50 contacts', graph(`{ contacts(first: 50) { nodes { databaseId ${contact} } } }`, {}, filled.key)],
  [
    '5 tags',
    graph(`{ contacts(first: 50) { nodes { databaseId ${contact} tags { databaseId name } } } }`, {}, filled.key),
  ],
  [
    'fields',
    graph(
      `{ contacts(first: 50) { nodes { databaseId ${contact} tags { databaseId name } customFields { value customField { databaseId name type } } } } }`,
      {},
      filled.key,
    ),
  ],
  [
    '20 tags x 10',
    graph(
      `{ tags(first: 20) { nodes { databaseId name contacts(first: 10) { nodes { databaseId ${contact} } } } } }`,
      {},
      filled.key,
    ),
  ],
  ...writes.map((w): [string, string] => [w.name, w.ours]),
]
const only = process.argv[3]
const median = (v: number[]) => v.toSorted((x, y) => x - y)[Math.floor(v.length / 2)] as number
for (const [name, request] of docs) {
  if (only && !name.includes(only)) continue
  const turn = async (s: any, ms: number) => {
    const [c, p] = [await s.cpuMilliseconds(), await here.cpuOfConnections(client)]
    const { times } = await load.apply({ ports: [s.port], request, connections: 8, milliseconds: ms })
    return [
      ((await s.cpuMilliseconds()) - c) / times.length,
      ((await here.cpuOfConnections(client)) - p) / times.length,
    ] as const
  }
  await turn(a, 700)
  await turn(b, 700)
  if (writes.some((w) => w.name === name)) {
    await client.query('ANALYZE')
    await turn(a, 300)
    await turn(b, 300)
  }
  const ra: any[] = [],
    rb: any[] = []
  for (let i = 0; i < 7; i++) {
    ra.push(await turn(a, 700))
    rb.push(await turn(b, 700))
  }
  const m = (r: any[], k: number) => median(r.map((x) => x[k]))
  const ratios = ra.map((x, i) => x[0] / rb[i][0])
  console.log(
    name.padEnd(16),
    'node ms',
    m(ra, 0).toFixed(3),
    m(rb, 0).toFixed(3),
    'ratio',
    median(ratios).toFixed(2),
    'pg ms',
    m(ra, 1).toFixed(3),
    m(rb, 1).toFixed(3),
  )
}
a.stop()
b.stop()
load.stop()
await client.end()
await filled.drop()
