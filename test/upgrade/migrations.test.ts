import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { ours } from '../../src/db/migrations/pending.ts'
import { noticedStatements, onlyAdds, statementsIn } from './migration-statements.ts'

const added = (sql: string, ownTables: string[] = []) =>
  statementsIn(sql).map((statement) => onlyAdds(statement, new Set(ownTables)))

describe('migrations since the last release', () => {
  it('only add to the schema, except those that the docs name under "Upgrades"', async () => {
    const [, upgrades = ''] = (await readFile('src/docs/deployment.md', 'utf8')).split('## Upgrades\n')
    const noticed = new Set((await noticedStatements(ours)).map(({ migration }) => migration))
    expect([...noticed].filter((migration) => !upgrades.includes(`\`${migration}\``))).toEqual([])
  })
})

describe('a statement of a migration', () => {
  it.each([
    'CREATE TABLE kept (n int NOT NULL)',
    'ALTER TABLE "kept" ADD COLUMN "size" INTEGER, ADD COLUMN at TIMESTAMPTZ(3)',
    "ALTER TABLE kept ADD COLUMN name TEXT NOT NULL DEFAULT 'a;b'",
    'CREATE INDEX CONCURRENTLY kept_idx ON kept (n)',
    'ALTER TABLE kept SET (fillfactor = 80)',
    "CREATE TYPE colour AS ENUM ('RED')",
  ])('adds: %s', (sql) => {
    expect(added(sql)).toEqual([true])
  })

  it.each([
    'DROP TABLE kept',
    'ALTER TABLE kept DROP COLUMN size',
    'ALTER TABLE kept RENAME COLUMN size TO length',
    'ALTER TABLE kept ALTER COLUMN size TYPE bigint',
    'ALTER TABLE kept ALTER COLUMN size SET NOT NULL',
    'ALTER TABLE kept ADD COLUMN size INTEGER NOT NULL',
    'ALTER TABLE kept ADD COLUMN id UUID NOT NULL DEFAULT gen_random_uuid()',
    'ALTER TABLE kept ADD COLUMN size INTEGER, DROP COLUMN length',
    'ALTER TABLE kept ADD CONSTRAINT kept_check CHECK (size > 0)',
    'CREATE INDEX kept_idx ON kept (size)',
    'CREATE UNIQUE INDEX CONCURRENTLY kept_key ON kept (size)',
    'DROP INDEX CONCURRENTLY kept_idx',
    'UPDATE kept SET size = 1',
    'DO $$ BEGIN UPDATE kept SET size = 1; END $$',
    "ALTER TYPE colour ADD VALUE 'BLUE'",
  ])('is noticed: %s', (sql) => {
    expect(added(sql)).toEqual([false])
  })

  it('on a table of the same upgrade adds', () => {
    expect(added('CREATE UNIQUE INDEX "kept_key" ON "kept"("n"); INSERT INTO kept VALUES (1)', ['kept'])).toEqual([
      true,
      true,
    ])
  })
})
