/**
 * Why the database gave no answer: `unreached` where no statement was sent, `lost` where one was, and nobody knows whether
 * it was carried out.
 */
export type Outage = 'unreached' | 'lost'

/** The database does not answer; thrown in place of what the driver would throw, or would wait for. */
export class DatabaseUnavailable extends Error {
  readonly outage: Outage

  constructor(outage: Outage, message: string) {
    super(message)
    this.name = 'DatabaseUnavailable'
    this.outage = outage
  }
}

/** By code of the system, of PostgreSQL or of Prisma. */
const byCode: Readonly<Record<string, Outage>> = {
  ...{ ECONNREFUSED: 'unreached', ENOTFOUND: 'unreached', EAI_AGAIN: 'unreached', ENOENT: 'unreached' },
  ...{ EHOSTUNREACH: 'unreached', ENETUNREACH: 'unreached', EHOSTDOWN: 'unreached' },
  ...{ ECONNRESET: 'lost', EPIPE: 'lost', ETIMEDOUT: 'lost' },
  // connection_exception; too_many_connections; cannot_connect_now.
  ...{ '08000': 'lost', '08003': 'lost', '08006': 'lost', '08007': 'lost', '08P01': 'lost' },
  ...{ '08001': 'unreached', '08004': 'unreached', '53300': 'unreached', '57P03': 'unreached' },
  // query_canceled by statement_timeout; a shutdown; a transaction that took too long or stood idle.
  ...{ '57014': 'lost', '57P01': 'lost', '57P02': 'lost', '57P05': 'lost', '25P03': 'lost', '25P04': 'lost' },
  ...{ P1001: 'unreached', P1002: 'unreached', P2024: 'unreached', P2037: 'unreached' },
  ...{ P1008: 'lost', P1017: 'lost', P2028: 'lost' },
}

/** By the kind that Prisma's adapter gives an error of a socket. */
const byKind: Readonly<Record<string, Outage>> = {
  DatabaseNotReachable: 'unreached',
  TooManyConnections: 'unreached',
  ConnectionClosed: 'lost',
  SocketTimeout: 'lost',
}

/** By the words of errors that the driver, its pool and Prisma give no code, or one code for several things. */
const byWords: readonly (readonly [words: RegExp, outage: Outage])[] = [
  [/^timeout exceeded when trying to connect$|due to connection timeout$/, 'unreached'],
  [/Unable to start a transaction in the given time/, 'unreached'],
  [/^(Connection terminated|Client (has encountered|was closed|has already been))/, 'lost'],
]

/** More than the causes of an error that any library nests. */
const deepest = 6

/** How the database failed to answer, where an error says that it did; undefined where the error is of another kind. */
export function outageOf(error: unknown): Outage | undefined {
  let each = error
  for (let depth = 0; depth < deepest && typeof each === 'object' && each !== null; depth += 1) {
    if (each instanceof DatabaseUnavailable) return each.outage
    const { message, code, originalCode, kind, cause, meta } = each as Record<string, unknown>
    const worded = byWords.find(([words]) => words.test(String(message)))?.[1]
    const found = worded ?? own(byCode, code) ?? own(byCode, originalCode) ?? own(byKind, kind)
    if (found) return found
    each = cause ?? (meta as { driverAdapterError?: unknown } | undefined)?.driverAdapterError
  }
  return undefined
}

/** Whether the words of a library that hands on no errors tell of one. */
export function tellsOfOutage(words: string): boolean {
  return /\bE(CONN[A-Z]+|NOTFOUND|TIMEDOUT|PIPE|AI_AGAIN)\b|[Cc]onnection terminated|not queryable|does not answer|timeout/.test(
    words,
  )
}

function own(table: Readonly<Record<string, Outage>>, name: unknown): Outage | undefined {
  return typeof name === 'string' && Object.hasOwn(table, name) ? table[name] : undefined
}
