// @module-tag rows
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, describe, expect, it } from 'vitest'
import { isMigrated, migrate } from '../../src/db/migrations/migrate.ts'
import { MigrationError } from '../../src/db/migrations/migration-error.ts'
import { newLog } from '../../src/kernel/telemetry/log.ts'
import { newDatabase, newEmptyDatabase } from '../support/database.ts'
import { temporaryFolder, until } from './process.ts'

const log = newLog('silent')
const pools: pg.Pool[] = []

afterAll(() => Promise.all(pools.map((pool) => pool.end())))

/** A database and a folder of migrations, with functions for both. */
async function newWorld() {
  const [url, folder] = await Promise.all([newEmptyDatabase(), temporaryFolder()])
  const pool = new pg.Pool({ connectionString: url, max: 2 })
  pools.push(pool)
  // A connection can still be open when the database is dropped: the pool does not wait until the server has closed it.
  pool.on('connect', (client) => client.on('error', () => undefined))
  pool.on('error', () => undefined)
  return {
    url,
    pool,
    migrate: () => migrate(url, log, folder),
    isMigrated: () => isMigrated(pool, folder),
    write: async (name: string, sql: string) => {
      await mkdir(join(folder, name), { recursive: true })
      await writeFile(join(folder, name, 'migration.sql'), sql)
    },
    ask: async (statement: string) => (await pool.query(statement)).rows,
    connect: async () => {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      return client
    },
  }
}

describe('migrations', () => {
  it("are applied in order and recorded in Prisma's format", async () => {
    const world = await newWorld()
    await world.write('2_second', 'INSERT INTO kept VALUES (2);')
    await world.write('1_first', 'CREATE TABLE kept (n int); INSERT INTO kept VALUES (1);')
    expect(await world.isMigrated()).toBe(false)

    expect(await world.migrate()).toEqual(['1_first', '2_second'])
    expect(await world.migrate()).toEqual([])
    expect(await world.isMigrated()).toBe(true)
    expect(await world.ask('SELECT n FROM kept ORDER BY n')).toEqual([{ n: 1 }, { n: 2 }])
    expect(
      await world.ask(
        `SELECT checksum, applied_steps_count AS steps, finished_at IS NOT NULL AS finished, logs, rolled_back_at AS undone
         FROM _prisma_migrations WHERE migration_name = '2_second' AND length(id) = 36`,
      ),
    ).toEqual([
      {
        checksum: 'cab635311966abd4ed2464d9c8d81622141ed5ddf7944fb42bcb4c13023870b3',
        steps: 1,
        finished: true,
        logs: null,
        undone: null,
      },
    ])

    await world.write('3_third', 'INSERT INTO kept VALUES (3);')
    expect(await world.isMigrated()).toBe(false)
    expect(await world.migrate()).toEqual(['3_third'])
  })

  it('are applied once by concurrent processes', async () => {
    const world = await newWorld()
    await world.write('1_first', 'CREATE TABLE kept (n int); SELECT pg_sleep(0.2); INSERT INTO kept VALUES (1);')
    await world.write('2_index', '-- no-transaction\nCREATE INDEX CONCURRENTLY kept_n ON kept (n);')

    const applied = await Promise.all([world.migrate(), world.migrate(), world.migrate()])
    expect(applied.flat()).toEqual(['1_first', '2_index'])
    expect(await world.ask('SELECT n FROM kept')).toEqual([{ n: 1 }])
  })

  it('release their locks if a request waits for them, and are repeated', async () => {
    const world = await newWorld()
    await world.ask('CREATE TABLE one (n int); CREATE TABLE two (n int)')
    await world.write('1_both', 'ALTER TABLE one ADD COLUMN m int; ALTER TABLE two ADD COLUMN m int;')
    const request = await world.connect()
    await request.query('BEGIN; SELECT FROM two')
    const migrated = world.migrate()
    await until(
      async () => (await world.ask("SELECT FROM pg_locks WHERE relation = 'two'::regclass AND NOT granted")).length > 0,
    )
    // It waits for the migration, which waits for it.
    await request.query('SELECT n FROM one')
    await request.query('COMMIT')
    await request.end()
    expect(await migrated).toEqual(['1_both'])
    expect(await world.ask('SELECT one.m, two.m FROM one, two')).toEqual([])
  })

  it('without a transaction are repeated after a deadlock', async () => {
    const world = await newWorld()
    await world.ask('CREATE TABLE kept (n int, m int); INSERT INTO kept VALUES (1), (2)')
    await world.write(
      '1_fill',
      '-- no-transaction\nDO $$ BEGIN UPDATE kept SET m = n WHERE n = 1; UPDATE kept SET m = n WHERE n = 2; END $$',
    )
    const request = await world.connect()
    // Its own check for deadlocks comes later than that of the migration.
    await request.query("SET deadlock_timeout = '30s'; BEGIN; UPDATE kept SET n = 2 WHERE n = 2")
    const migrated = world.migrate()
    await until(
      async () => (await world.ask("SELECT FROM pg_locks WHERE locktype = 'transactionid' AND NOT granted")).length > 0,
    )
    await request.query('UPDATE kept SET n = 1 WHERE n = 1; COMMIT')
    await request.end()
    expect(await migrated).toEqual(['1_fill'])
    expect(await world.ask('SELECT n, m FROM kept ORDER BY n')).toEqual([
      { n: 1, m: 1 },
      { n: 2, m: 2 },
    ])
  })

  it('are rolled back if they fail, and succeed once corrected', async () => {
    const world = await newWorld()
    await world.write('1_first', 'CREATE TABLE kept (n int); INSERT INTO gone VALUES (1);')
    await expect(world.migrate()).rejects.toThrow(/^The migration 1_first failed: relation "gone" does not exist$/)
    expect(await world.ask('SELECT migration_name FROM _prisma_migrations')).toEqual([])

    await world.write('1_first', 'CREATE TABLE kept (n int);')
    expect(await world.migrate()).toEqual(['1_first'])
  })

  it('end the start on a database with other contents', async () => {
    const world = await newWorld()
    await world.write('1_first', 'SELECT 1;')
    await world.write('2_second', '-- no-transaction\nSELECT 1 / 0;')
    await expect(world.migrate()).rejects.toThrow(/^The migration 2_second failed: division by zero$/)
    await expect(world.migrate()).rejects.toThrow(/^The migration 2_second was not finished: /)
    await world.ask(`DELETE FROM _prisma_migrations WHERE migration_name = '2_second'`)

    await world.write('2_second', 'SELECT 2;')
    await world.migrate()
    await world.write('2_second', 'SELECT 3;')
    await expect(world.migrate()).rejects.toThrow(/^The migration 2_second was changed after it was applied: /)
    await world.ask(`UPDATE _prisma_migrations SET migration_name = '9_later' WHERE migration_name = '2_second'`)
    await expect(world.migrate()).rejects.toThrow(/^The database is newer than this version: .* 9_later$/)
  })

  it.each([
    ['another baseline', "UPDATE _prisma_migrations SET checksum = 'another'"],
    ['no baseline', "UPDATE _prisma_migrations SET migration_name = '20261121000000_account_and_contacts'"],
  ])('refuse a database with %s, and change nothing in it', async (_what, change) => {
    const world = await newWorld()
    await world.write('0_baseline', 'CREATE TABLE kept (n int); INSERT INTO kept VALUES (1);')
    await world.migrate()
    await world.ask(change)
    await world.write('1_next', 'DROP TABLE kept;')
    await expect(world.migrate()).rejects.toThrow(
      /^The database was created by a development version before 1\.0\.0 .*: export its lists with that version, then .+$/,
    )
    expect(await world.ask('SELECT n FROM kept')).toEqual([{ n: 1 }])
  })

  it('end the start with one line on a PostgreSQL without ICU, and on one without an extension', async () => {
    const world = await newWorld()
    await world.write('1_first', 'SELECT 1;')
    await world.ask('DROP COLLATION pg_catalog."und-x-icu"')
    await expect(world.migrate()).rejects.toThrow(/^DATABASE_URL must name a PostgreSQL that was built with ICU, .+$/)

    const other = await newWorld()
    const [server] = await other.ask("SELECT current_setting('server_version_num')::int AS version")
    // Older versions find extensions in one place only.
    if (server.version < 180_000) return
    const url = new URL(other.url)
    url.searchParams.set('options', '-c extension_control_path=/nowhere')
    await expect(migrate(url.href, log)).rejects.toThrow(/: it lacks btree_gin and pg_trgm$/)
  })

  it('rebuild the indexes of names that another version of ICU sorted, once, and what an interrupted run left', async () => {
    const url = await newDatabase()
    const pool = new pg.Pool({ connectionString: url, max: 1 })
    pools.push(pool)
    pool.on('connect', (client) => client.on('error', () => undefined))
    pool.on('error', () => undefined)
    const indexes = async () => {
      const { rows } = await pool.query<{ name: string; file: string }>(
        `SELECT c.relname AS name, c.relfilenode::text AS file FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid
         WHERE pg_get_indexdef(c.oid) LIKE '%COLLATE dictionary%' AND i.indisvalid ORDER BY 1`,
      )
      return rows
    }
    const built = await indexes()
    expect(built.map(({ name }) => name)).toEqual([
      'contact_first_name_idx',
      'contact_last_name_idx',
      'customer_last_name_idx',
      'tag_name_idx',
    ])
    await migrate(url, log)
    expect(await indexes()).toEqual(built)

    await pool.query(`UPDATE pg_collation SET collversion = '1' WHERE collname = 'dictionary'`)
    await pool.query('CREATE INDEX tag_name_idx_ccnew ON tag (account_id, name COLLATE dictionary)')
    await pool.query(`UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'tag_name_idx_ccnew'::regclass`)
    await migrate(url, log)
    const rebuilt = await indexes()
    expect(rebuilt.map(({ name }) => name)).toEqual(built.map(({ name }) => name))
    expect(rebuilt.filter(({ file }) => built.some((each) => each.file === file))).toEqual([])
    const { rows } = await pool.query(
      `SELECT collversion = pg_collation_actual_version(oid) AS current, to_regclass('tag_name_idx_ccnew') AS leftover
       FROM pg_collation WHERE collname = 'dictionary'`,
    )
    expect(rows).toEqual([{ current: true, leftover: null }])
    await migrate(url, log)
    expect(await indexes()).toEqual(rebuilt)
  })

  it('print one line if the database cannot be reached', async () => {
    for (const url of ['postgres://u:p4ssw0rd@localhost:1/db', 'postgres://u:p4ssw0rd@nowhere.invalid/db']) {
      const problem = await migrate(url, log).catch((error: unknown) => error)
      expect(problem).toBeInstanceOf(MigrationError)
      expect(String((problem as Error).message)).toMatch(/^The database cannot be reached \(DATABASE_URL\): .+$/)
      expect(String((problem as Error).message)).not.toContain('p4ssw0rd')
    }
  })

  it('are all in the database of a test, including the job queue', async () => {
    const url = await newDatabase()
    const pool = new pg.Pool({ connectionString: url, max: 1 })
    pools.push(pool)
    // A connection can still be open when the database is dropped: the pool does not wait until the server has closed it.
    pool.on('connect', (client) => client.on('error', () => undefined))
    pool.on('error', () => undefined)
    expect(await isMigrated(pool)).toBe(true)
    expect(await migrate(url, log)).toEqual([])
    expect((await pool.query('SELECT count(*)::int AS jobs FROM graphile_worker.jobs')).rows).toEqual([{ jobs: 0 }])
  })
})
