import { globSync, readFileSync } from 'node:fs'
import pg from 'pg'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Server } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'
import { crossAccount, indexesOf } from './cross-account.ts'
import { documented, placements, unbounded } from './growth.ts'
import { accessOf } from './sql.ts'

const placementOf = (table: string) => placements.get(table)

interface Key {
  readonly table: string
  readonly columns: readonly string[]
}

interface Reference extends Key {
  readonly to: string
  readonly toColumns: readonly string[]
}

const sources = globSync('src/**/*.ts').map((path) => readFileSync(path, 'utf8'))

/**
 * Statements whose text is not in the call, or whose condition is a fragment. Of their indexes, only the existence is checked.
 */
const notPlanned = [
  'src/account/api-keys/api-keys.ts: findHolder',
  'src/account/sign-in/sessions.ts: findSession',
  'src/db/jobs/heartbeat.ts: sendHeartbeat',
  'src/db/jobs/heartbeat.ts: sendHeartbeat 2',
  'src/events/log/retention.ts: mayDrop 2',
  'src/events/log/sequencer.ts: lockCounter',
  'src/events/log/sequencer.ts: oldestUnstamped',
  'src/events/log/sequencer.ts: pass',
  'src/events/deliveries/fan-out.ts: read',
  'src/mail/delivery/attempts/dispatcher.ts: recordBatch',
  'src/mail/delivery/attempts/outcome-handler.ts: recordBounce',
  'src/figures/compaction.ts: compactFigures',
  'src/funnels/visits/visitor-parts.ts: countVisitors',
]

/** Rows of tables of which a plan needs two indexes. Older versions of PostgreSQL read an empty table twice by the same one. */
const rowsOfPlans = [
  `INSERT INTO parked_event SELECT a, 'reader', p, p, 'tag.created', '{}', now(), 1, '', now(), NULL
   FROM generate_series(1, 50) a, generate_series(1, 50) p`,
  'ANALYZE parked_event',
]

describe('growth', () => {
  let rows: World['rows']
  let tables: string[]
  let keys: Key[]
  let references: Reference[]
  beforeAll(async () => {
    const world = await newWorld()
    rows = world.rows
    const columns = (owner: string, numbers: string) =>
      `(SELECT json_agg(attname ORDER BY place) FROM unnest(${numbers}) WITH ORDINALITY n(number, place)
        JOIN pg_attribute ON attrelid = ${owner} AND attnum = number)`
    const own = (table: string) =>
      `${table} IN (SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition)`
    tables = (await rows<{ name: string }>(`SELECT relname AS name FROM pg_class t WHERE ${own('t.oid')}`)).map(
      ({ name }) => name,
    )
    keys = await rows(`SELECT relname AS "table", ${columns('indrelid', 'indkey::int2[]')} AS columns
      FROM pg_index JOIN pg_class ON pg_class.oid = indrelid WHERE indisunique AND ${own('indrelid')}`)
    references =
      await rows(`SELECT one.relname AS "table", other.relname AS "to", ${columns('conrelid', 'conkey')} AS columns,
        ${columns('confrelid', 'confkey')} AS "toColumns"
      FROM pg_constraint JOIN pg_class one ON one.oid = conrelid JOIN pg_class other ON other.oid = confrelid
      WHERE contype = 'f' AND ${own('conrelid')}`)
  })

  it('is documented for each table: what it grows with, and how long rows are kept', () => {
    expect(documented.map(({ table }) => table).sort()).toEqual([...tables].sort())
    expect(unbounded(documented)).toEqual([])
  })

  it.each([
    ['without bytes', { bytes: '' }],
    ['that is called small', { bytes: 'small' }],
    ['without retention', { kept: '' }],
    ['that is kept for good without a reason', { kept: 'until its account is deleted' }],
  ])('of a table with messages %s is found', (_case, part) => {
    const entry = {
      table: 'mail',
      placement: 'distributed',
      growth: 'messages',
      bytes: '310',
      kept: '30 days',
    } as const
    expect(unbounded([entry])).toEqual([])
    expect(unbounded([{ ...entry, ...part }])).toEqual(['mail'])
  })

  it('of dead rows is documented for each table with settings of autovacuum', async () => {
    const { rows } = await newWorld()
    const found = await rows<{ name: string }>(
      "SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND reloptions::text LIKE '%autovacuum_vacuum_scale_factor%' AND relnamespace = 'public'::regnamespace",
    )
    const named = [...readFileSync('src/docs/growth.md', 'utf8').matchAll(/^\| (`.+`) \| [\d,]+(?: %)? \| .* \|$/gm)]
    const listed = named.flatMap(([, names = '']) => [...names.matchAll(/`(\w+)`/g)].map(([, name]) => name))
    expect(listed.sort()).toEqual(found.map(({ name }) => name).sort())
  })

  it('of an account stays on one node: unique keys of distributed tables lead with the account', () => {
    const distributed = keys.filter(({ table }) => placementOf(table) === 'distributed')
    expect(distributed.length).toBeGreaterThan(60)
    expect(distributed.filter(({ columns }) => columns[0] !== 'account_id')).toEqual([])
  })

  it('of an account stays on one node: foreign keys contain the account, and lead to no local table', () => {
    const isValid = ({ table, to, columns, toColumns }: Reference) =>
      placementOf(to) === 'reference' ||
      (placementOf(table) === placementOf(to) && columns[toColumns.indexOf('account_id')] === 'account_id')
    expect(references.length).toBeGreaterThan(60)
    expect(references.filter((each) => !isValid(each))).toEqual([])
  })

  it('is limited by retention, whose batches find old rows by an index', async () => {
    const indexed = await rows<{ column: string }>(`SELECT format('%s.%s', t.relname, attname) AS "column"
      FROM pg_index JOIN pg_class t ON t.oid = indrelid JOIN pg_attribute ON attrelid = t.oid AND attnum = indkey[0]
      WHERE indpred IS NULL`)
    const used = sources.flatMap((text) =>
      [...text.matchAll(/removeOld\(\w+, \{ table: '"?(\w+)"?', since: '(\w+)'/g)].map(
        ([, table, since]) => `${table}.${since}`,
      ),
    )
    expect(used.length).toBeGreaterThan(10)
    expect(used.filter((each) => !indexed.some(({ column }) => column === each))).toEqual([])
  })

  it('of all accounts leaves each statement that is not bound to one with its index', async () => {
    const { server } = await newWorld()
    const unplanned: string[] = []
    const unused: string[] = []
    for (const [path, functions] of crossAccount.flatMap(({ statements }) => Object.entries(statements))) {
      const { unscoped } = accessOf(path, readFileSync(path, 'utf8'))
      for (const [place, entry] of Object.entries(functions)) {
        const indexes = indexesOf(entry)
        const statement = `${path}: ${place}`
        const text = unscoped.get(place)?.text
        if (indexes.length === 0 || notPlanned.includes(statement)) continue
        const used = text && (await indexesInPlan(server, text, indexes))
        if (!used) unplanned.push(statement)
        else unused.push(...indexes.filter((index) => !used.has(index)).map((index) => `${statement}: ${index}`))
      }
    }
    expect(unused).toEqual([])
    expect(unplanned).toEqual([])
    const names = crossAccount.flatMap(({ statements }) =>
      Object.values(statements).flatMap((all) => Object.values(all)),
    )
    const existing = new Set(
      (await rows<{ name: string }>('SELECT indexname AS name FROM pg_indexes')).map(({ name }) => name),
    )
    expect(names.flatMap(indexesOf).filter((name) => !existing.has(name))).toEqual([])
  })
})

/**
 * Returns which of the indexes, or of their partitions, the plan of a statement uses if its tables have no others. Undefined if
 * the text has fragments that are no values.
 */
async function indexesInPlan(
  server: Server,
  text: string,
  indexes: readonly string[],
): Promise<Set<string> | undefined> {
  const client = new pg.Client({ connectionString: server.databaseUrl })
  await client.connect()
  try {
    // Without rows all indexes cost the same, so the others are hidden. The transaction is rolled back.
    await client.query('BEGIN; SET LOCAL enable_seqscan = off; SET LOCAL plan_cache_mode = force_generic_plan')
    for (const each of rowsOfPlans) await client.query(each)
    const { rows: claimed } = await client.query<{ name: string; part: string }>(
      `SELECT i::text AS name, coalesce(inhrelid, i)::regclass::text AS part
       FROM unnest($1::regclass[]) i LEFT JOIN pg_inherits ON inhparent = i`,
      [indexes],
    )
    const parts = claimed.flatMap(({ name, part }) => [name, part])
    await client.query(
      `UPDATE pg_index SET indisvalid = false WHERE NOT (indexrelid = ANY($1::regclass[]))
       AND indrelid IN (SELECT indrelid FROM pg_index WHERE indexrelid = ANY($1::regclass[]))`,
      [parts],
    )
    await client.query(`PREPARE claim AS ${text}`)
    const {
      rows: [{ n }],
    } = await client.query('SELECT cardinality(parameter_types) AS n FROM pg_prepared_statements')
    const values = n === 0 ? '' : `(${Array(n).fill('NULL').join(', ')})`
    const { rows: plans } = await client.query(`EXPLAIN (FORMAT JSON) EXECUTE claim${values}`)
    const plan = JSON.stringify(plans)
    return new Set(
      claimed
        .filter(({ name, part }) => plan.includes(`"${name}"`) || plan.includes(`"${part}"`))
        .map(({ name }) => name),
    )
  } catch (error) {
    if ((error as { code?: string }).code === '42601') return undefined
    throw error
  } finally {
    await client.end()
  }
}
