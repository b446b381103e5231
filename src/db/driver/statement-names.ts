import { createHash } from 'node:crypto'

/** Maximum number of prepared statements. Each needs memory on every connection. */
const maxPrepared = 500

/**
 * Creates a function that names statements by a hash of their text, so that PostgreSQL parses each once per connection. Behind a
 * pooler, a connection may have what other processes prepared: the same name is the same statement there. Statements beyond the
 * maximum are not prepared and get undefined.
 */
export function newStatementNames(): (text: string) => string | undefined {
  const names = new Map<string, string>()
  return (text) => {
    const name = names.get(text)
    if (name !== undefined || names.size >= maxPrepared) return name
    const created = `campanile_${createHash('sha256').update(text).digest('base64url').slice(0, 22)}`
    names.set(text, created)
    return created
  }
}

/** Returns whether a prepared statement was lost, or is one of another client: the pooler does not keep them (any more). */
export function isUnprepared(error: unknown): boolean {
  const [unknownStatement, duplicate] = ['26000', '42P05']
  const { code } = error as { code?: unknown }
  return code === unknownStatement || code === duplicate
}
