/** The database cannot be migrated. The message is one line for operators. */
export class MigrationError extends Error {
  override name = 'MigrationError'
}

/** Returns the code of an error of PostgreSQL or of a connection. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}

/**
 * Returns the message of an error. An error for a host with several addresses contains one error per address and no
 * message.
 */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors.at(-1))
  return error instanceof Error ? error.message.replaceAll('\n', ' ') : String(error)
}
