import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { baseline } from '../../.config/baseline.ts'

/** The last migration of the last release. Before the first release, the baseline. */
export const lastReleased = baseline

/** A statement of a migration that processes of the last release could notice. */
export interface Noticed {
  readonly migration: string
  readonly statement: string
}

/** Returns the statements since the last release that do more than add to the schema. */
export async function noticedStatements(folder: string): Promise<Noticed[]> {
  const names = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isDirectory())
  const added = names.map(({ name }) => name).filter((name) => name > lastReleased)
  const ownTables = new Set<string>()
  const noticed: Noticed[] = []
  for (const migration of added.sort()) {
    for (const statement of statementsIn(await readFile(join(folder, migration, 'migration.sql'), 'utf8'))) {
      if (!onlyAdds(statement, ownTables)) noticed.push({ migration, statement })
    }
  }
  return noticed
}

const name = '"?(\\w+)"?'
const created = new RegExp(`^CREATE TABLE ${name}`, 'i')
const harmless = [
  /^CREATE (TYPE|SEQUENCE) /i,
  /^CREATE INDEX CONCURRENTLY /i,
  // It holds no lock for longer than a moment, and only makes plans and vacuum differ.
  new RegExp(`^ALTER TABLE ${name} SET \\(`, 'i'),
]
const subject = new RegExp(`^(?:ALTER TABLE|INSERT INTO|CREATE (?:UNIQUE )?INDEX ${name} ON(?: ONLY)?) ${name}`, 'i')
const addsColumns = new RegExp(`^ALTER TABLE ${name} (ADD COLUMN [^,]*(?:\\([^)]*\\))?[^,]*(?:, )?)+$`, 'i')

/** Returns whether a statement leaves all that processes of the last release read and write as it is. Remembers new tables. */
export function onlyAdds(statement: string, ownTables: Set<string>): boolean {
  const table = created.exec(statement)?.[1]
  if (table !== undefined) ownTables.add(table)
  const of = subject.exec(statement)?.at(-1)
  if (table !== undefined || (of !== undefined && ownTables.has(of))) return true
  if (harmless.some((pattern) => pattern.test(statement))) return true
  // With a default that is computed for each row, the table would be rewritten.
  return addsColumns.test(statement) && !/NOT NULL(?! DEFAULT)|DEFAULT \w+\(|UNIQUE|REFERENCES|CHECK/i.test(statement)
}

/** Splits SQL into statements without comments, each on one line. */
export function statementsIn(text: string): string[] {
  const statements: string[] = []
  let current = ''
  const parts = /\$(\w*)\$[\s\S]*?\$\1\$|'(?:[^']|'')*'|--[^\n]*|;|[\s\S]/g
  for (const [part] of text.matchAll(parts)) {
    if (part.startsWith('--')) continue
    if (part === ';') {
      statements.push(current)
      current = ''
    } else current += part
  }
  return [...statements, current].map((each) => each.replace(/\s+/g, ' ').trim()).filter((each) => each !== '')
}
