import { globSync, readFileSync } from 'node:fs'
import pg from 'pg'
import { crossAccount } from '../architecture/cross-account.ts'
import { placements } from '../architecture/growth.ts'
import { sqlOf } from '../architecture/sql.ts'

/** Texts of the statements that this process has sent. */
const seen = new Set<string>()
let found: string[] = []
let isWatching = false

/**
 * Records the statements that servers in this process send with parameters, except those of connections of their own, which are
 * found by their source. Test files share a process, so this has an effect once.
 */
export function watchStatements(): void {
  if (isWatching) return
  isWatching = true
  const query = pg.Client.prototype.query as (...args: unknown[]) => unknown
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const config = args[0]
    // Tests send bare texts.
    if (typeof config === 'object' && config !== null && 'text' in config) check(String(config.text))
    return query.apply(this, args)
  } as pg.Client['query']
}

/**
 * Returns the faults of the statements since the last call: they name a distributed table, no account, and are not listed, or
 * they change rows of a partitioned table that are named by ctid alone.
 */
export function statementFaults(): string[] {
  const result = found
  found = []
  return result
}

function check(text: string): void {
  if (seen.has(text)) return
  seen.add(text)
  const line = text.replace(/\s+/g, ' ').trim()
  if (isCrossAccount(text) && !isListed(text))
    found.push(`names no account and is not in test/architecture/cross-account.ts: ${line}`)
  if (isAmbiguous(text)) found.push(`changes rows of a partitioned table by ctid alone: ${line}`)
}

let partitioned: ReadonlySet<string> | undefined

/**
 * Returns whether a statement changes rows that it names by ctid alone in a partitioned table, of which each partition has the
 * same ones.
 */
export function isAmbiguous(text: string): boolean {
  partitioned ??= new Set(
    globSync('prisma/migrations/*/migration.sql').flatMap((path) =>
      [...readFileSync(path, 'utf8').matchAll(/CREATE TABLE "(\w+)" \([^;]*\) PARTITION BY/g)].map(([, name]) =>
        String(name),
      ),
    ),
  )
  const changes = text.matchAll(
    /\b(?:DELETE FROM|UPDATE)\s+(?:"public"\.)?"?(\w+)"?(?:\s+\w+)?(?:\s+SET\b[^;]*?)?\s+WHERE\s+(?:\w+\.)?ctid\s*=/g,
  )
  return [...changes].some(([, table = '']) => partitioned?.has(table))
}

/** Returns whether a statement names a distributed table and no account. */
export function isCrossAccount(text: string): boolean {
  return namesDistributed(text) && !namesAccount(text)
}

function namesDistributed(text: string): boolean {
  const names = text.matchAll(/\b(?:FROM|JOIN|INTO|UPDATE|USING)\s+(?:"public"\.)?"?([a-z_]+)"?/g)
  return [...names].some(([, table = '']) => placements.get(table) === 'distributed')
}

/** Returns whether a statement compares with an account, or inserts rows of one. */
function namesAccount(text: string): boolean {
  return (
    // COPY has literals instead of parameters.
    /\baccount_id"?\s*=\s*(\$\d|'\d+')/.test(text) ||
    // Prisma compares pairs of keys in lists.
    /"account_id"[^()]*\)? IN \(\(?\$\d/.test(text) ||
    /\b(FROM|UPDATE) account (\w+ )?WHERE (\w+\.)?id = \$\d/.test(text) ||
    /\bINSERT INTO \S+ \([^)]*"account_id"/.test(text) ||
    (/\bINSERT INTO \S+(?: AS \w+)?\s*\(account_id\b/.test(text) && /\b(VALUES\s*\(|SELECT )\$\d+(::int)?,/.test(text))
  )
}

/** Files whose functions compose the statements of listed ones. */
const composers = ['src/mail/delivery/attempts/delivery-attempts.ts']

let listed: RegExp[] | undefined

/** Returns whether a statement is in a file of the list. */
export function isListed(text: string): boolean {
  listed ??= [...composers, ...crossAccount.flatMap(({ statements }) => Object.keys(statements))]
    .flatMap((path) => sqlOf(path, readFileSync(path, 'utf8')))
    // Other templates are fragments, and one of hardly more than values would match everything.
    .filter((parts) => /^\s*(SELECT|WITH|INSERT|UPDATE|DELETE)\b/.test(parts[0] ?? '') && parts.join('').length > 30)
    .map(
      (parts) =>
        new RegExp(`^\\s*${parts.map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('[^]*?')}\\s*$`),
    )
  return listed.some((pattern) => pattern.test(text))
}
