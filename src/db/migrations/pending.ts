import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type pg from 'pg'
import { MigrationError } from './migration-error.ts'

/** Folder of this version's migrations. The first one is the baseline, from which every database starts. */
export const ours = fileURLToPath(new URL('../../../prisma/migrations', import.meta.url))

/** Prisma's table as Prisma creates it, because either may run first. */
const table = `
  CREATE TABLE IF NOT EXISTS _prisma_migrations (
    id VARCHAR(36) PRIMARY KEY NOT NULL,
    checksum VARCHAR(64) NOT NULL,
    finished_at TIMESTAMPTZ,
    migration_name VARCHAR(255) NOT NULL,
    logs TEXT,
    rolled_back_at TIMESTAMPTZ,
    started_at TIMESTAMPTZ NOT NULL DEFAULT now(),
    applied_steps_count INTEGER NOT NULL DEFAULT 0
  )`

export interface Migration {
  name: string
  sql: string
  checksum: string
}

const createdBefore =
  'The database was created by a development version before 1.0.0 and cannot be upgraded: export its lists with that version, then start this one with an empty database or DATA_DIR'

/** Returns the migrations of a folder that were not applied, in order. Throws MigrationError as `migrate` does. */
export async function pending(client: pg.Client, folder: string): Promise<Migration[]> {
  await client.query(table)
  const { rows } = await client.query<{ migration_name: string; checksum: string; finished: boolean }>(
    `SELECT migration_name, checksum, finished_at IS NOT NULL AS finished
     FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY started_at`,
  )
  const known = await migrationsIn(folder)
  const [baseline] = known
  const isOfBaseline = rows.some(
    ({ migration_name: name, checksum }) => name === baseline?.name && checksum === baseline.checksum,
  )
  if (rows.length > 0 && !isOfBaseline) throw new MigrationError(createdBefore)
  for (const { migration_name: name, checksum, finished } of rows) {
    const migration = known.find((one) => one.name === name)
    if (!migration) throw new MigrationError(`The database is newer than this version: it has the migration ${name}`)
    if (!finished) {
      throw new MigrationError(
        `The migration ${name} was not finished: repair the database by hand, then set its finished_at or rolled_back_at in _prisma_migrations`,
      )
    }
    if (checksum !== migration.checksum) {
      throw new MigrationError(`The migration ${name} was changed after it was applied: restore its file`)
    }
  }
  const done = new Set(rows.map((row) => row.migration_name))
  return known.filter(({ name }) => !done.has(name))
}

/** Returns the names of the migrations of a folder, in order. */
export async function namesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
  return names.sort()
}

async function migrationsIn(folder: string): Promise<Migration[]> {
  const names = await namesIn(folder)
  return await Promise.all(
    names.map(async (name) => {
      const sql = await readFile(`${folder}/${name}/migration.sql`, 'utf8')
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
    }),
  )
}
