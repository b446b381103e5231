import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { newWorld } from '../support/world.ts'

type Placement = 'distributed' | 'reference' | 'local'

/** The tables of `src/docs/growth.md`, one entry for each: | tables | placement | grows with | bytes | kept |. */
const documented = [
  ...readFileSync('src/docs/growth.md', 'utf8').matchAll(/^\| (`.+`) \| (\w+) \| (.*) \| .*\| (.*) \|$/gm),
].flatMap(([, names = '', placement = '', growth = '', kept = '']) =>
  [...names.matchAll(/`(\w+)`/g)].map(([, table = '']) => ({ table, placement: placement as Placement, growth, kept })),
)
const placements = new Map(documented.map(({ table, placement }) => [table, placement]))
const placementOf = (table: string) => placements.get(table)

interface Key {
  readonly table: string
  readonly columns: readonly string[]
}

interface Reference extends Key {
  readonly to: string
  readonly toColumns: readonly string[]
}

describe('growth', () => {
  let tables: string[]
  let keys: Key[]
  let references: Reference[]
  beforeAll(async () => {
    const { rows } = await newWorld()
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
    expect(documented.filter(({ growth, kept }) => !growth || !kept)).toEqual([])
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
})
