import { MigrationError } from '../migrations/migration-error.ts'

/** The embedded database cannot be used. The message is one line for operators: the problem and a solution. */
export class EmbeddedError extends Error {
  override name = 'EmbeddedError'
}

const noSpace = /ENOSPC|EDQUOT|53100|no space left|free disk space|disk is full|quota exceeded/i
const notAllowed = /EACCES|EPERM|EROFS|ENOTDIR|EISDIR|42501|permission denied|read-only|readonly/i

/**
 * Converts an error of the files under DATA_DIR, of the server, or of a statement that failed because of them, to an
 * EmbeddedError. Returns other errors unchanged.
 */
export function explain(dataDir: string, error: unknown): unknown {
  if (error instanceof EmbeddedError || !(error instanceof Error)) return error
  const { code, reason } = originOf(error)
  if (code === undefined) {
    return error instanceof MigrationError ? new EmbeddedError(`${error.message} (DATA_DIR ${dataDir})`) : error
  }
  if (code === '28P01') {
    return new EmbeddedError(problem(dataDir, 'the file postgres/password in it does not fit the database'))
  }
  return new EmbeddedError(problem(dataDir, reason, `${code} ${reason}`))
}

/** Returns one line that reports that the database under DATA_DIR cannot be used, why, and a solution. */
export function problem(dataDir: string, reason: string, hints = reason): string {
  const solution = noSpace.test(hints)
    ? 'free some space on its disk'
    : notAllowed.test(hints)
      ? 'make it a folder that this user may read and write, or set DATA_DIR to another one'
      : 'restore a backup of it, set DATA_DIR to another folder, or set DATABASE_URL'
  return `The embedded database in DATA_DIR (${dataDir}) cannot be used: ${reason.replaceAll(/\s*\n\s*/g, ' ')}: ${solution}`
}

/**
 * Returns the code and message of the operating system, of SQLite (the locks) or of PostgreSQL in an error or its
 * causes.
 */
function originOf(error: Error): { code: string | undefined; reason: string } {
  for (let each: unknown = error; each instanceof Error; each = each.cause) {
    const { code, syscall, errcode } = each as NodeJS.ErrnoException & { errcode?: number }
    if (syscall === 'listen') break
    if (errcode !== undefined) return { code: `SQLite ${errcode}`, reason: each.message }
    if (syscall !== undefined || isOfServer(code)) return { code: String(code), reason: each.message }
  }
  const [, code] = /\b(53\d{3}|58[\dP]\d{2}|XX\d{3}|57P0\d)\b/.exec(error.message) ?? []
  return { code, reason: error.message.split('\n').at(-1) ?? '' }
}

/**
 * Returns whether a code is one of a server problem: SQLSTATE classes for missing resources, file access, damaged data,
 * shutdown, and refused or lost connections.
 */
function isOfServer(code: string | undefined): boolean {
  return code !== undefined && /^(53|58|XX|57P|08|28)[0-9A-Z]{2,3}$|^ECONN/.test(code)
}
