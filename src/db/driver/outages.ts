import pg from 'pg'

/**
 * How the database was unavailable: `unreached` if no statement was sent, `lost` if one was sent and its outcome is
 * unknown.
 */
export type Outage = 'unreached' | 'lost'

/** The database is unavailable. Thrown instead of errors of the driver, or instead of waiting. */
export class DatabaseUnavailable extends Error {
  readonly outage: Outage

  constructor(outage: Outage, message: string) {
    super(message)
    this.name = 'DatabaseUnavailable'
    this.outage = outage
  }
}

/** Outages by error code of the operating system, of PostgreSQL or of Prisma. */
const byCode: Readonly<Record<string, Outage>> = {
  ...{ ECONNREFUSED: 'unreached', ENOTFOUND: 'unreached', EAI_AGAIN: 'unreached', ENOENT: 'unreached' },
  ...{ EHOSTUNREACH: 'unreached', ENETUNREACH: 'unreached', EHOSTDOWN: 'unreached' },
  ...{ ECONNRESET: 'lost', EPIPE: 'lost', ETIMEDOUT: 'lost' },
  // connection_exception; too_many_connections; cannot_connect_now.
  ...{ '08000': 'lost', '08003': 'lost', '08006': 'lost', '08007': 'lost', '08P01': 'lost' },
  ...{ '08001': 'unreached', '08004': 'unreached', '53300': 'unreached', '57P03': 'unreached' },
  // query_canceled by statement_timeout; a shutdown; a transaction that took too long or was idle.
  ...{ '57014': 'lost', '57P01': 'lost', '57P02': 'lost', '57P05': 'lost', '25P03': 'lost', '25P04': 'lost' },
  ...{ P1001: 'unreached', P1002: 'unreached', P2024: 'unreached', P2037: 'unreached' },
  ...{ P1008: 'lost', P1017: 'lost', P2028: 'lost' },
}

/** Outages by the kind that Prisma's adapter sets for a socket error. */
const byKind: Readonly<Record<string, Outage>> = {
  DatabaseNotReachable: 'unreached',
  TooManyConnections: 'unreached',
  ConnectionClosed: 'lost',
  SocketTimeout: 'lost',
}

/** Outages by message, for errors of the driver, its pool and Prisma that have no code, or an ambiguous one. */
const byMessage: readonly (readonly [pattern: RegExp, outage: Outage])[] = [
  [/^timeout exceeded when trying to connect$|due to connection timeout$/, 'unreached'],
  [/Unable to start a transaction in the given time/, 'unreached'],
  // Without its code where Prisma makes a message of an error.
  [/terminating connection due to|Code: `57P0[125]`/, 'lost'],
  [/^(Connection terminated|Client (has encountered|was closed|has already been))/, 'lost'],
]

/** What libraries log of an outage. */
const messageOfOutage =
  /\bE(CONN[A-Z]+|NOTFOUND|TIMEDOUT|PIPE|AI_AGAIN)\b|[Cc]onnection terminated|not queryable|does not answer|timeout/

/** Maximum depth of nested causes, which is more than any library nests. */
const maxDepth = 6

/** Returns the outage that an error reports, or a message of a library that passes on no error. Undefined if it reports none. */
export function outageOf(error: unknown): Outage | undefined {
  if (typeof error === 'string') return messageOfOutage.test(error) ? 'lost' : undefined
  for (const each of errorsIn(error)) {
    if (each instanceof DatabaseUnavailable) return each.outage
    const { message, code, originalCode, kind, meta } = each
    const worded = byMessage.find(([pattern]) => pattern.test(String(message)))?.[1]
    const found =
      worded ?? own(byCode, code) ?? own(byCode, originalCode) ?? own(byCode, Object(meta).code) ?? own(byKind, kind)
    if (found) return found
  }
  return undefined
}

/** Returns an error and its causes, also those inside errors of Prisma. */
export function errorsIn(error: unknown): Record<string, unknown>[] {
  const found: Record<string, unknown>[] = []
  let current = error
  while (found.length < maxDepth && typeof current === 'object' && current !== null) {
    const each = current as Record<string, unknown>
    found.push(each)
    current = each['cause'] ?? (each['meta'] as { driverAdapterError?: unknown } | undefined)?.driverAdapterError
  }
  return found
}

/**
 * Errors after which a connection is as before: those of the statement, its values and its rows, and a statement that was
 * canceled. Not among them: the loss of a prepared statement, and of a transaction that took too long.
 */
const keepsConnection = /^(?:2[1-4]|25(?!P0[34])|40|42(?!P05)|44|55|P0)...$|^57014$/

/** Returns whether a connection may be in another state than before the error, or lost, so that it must be closed. */
export function costsConnection(error: unknown): boolean {
  return !(error instanceof pg.DatabaseError && error.code !== undefined && keepsConnection.test(error.code))
}

function own(table: Readonly<Record<string, Outage>>, name: unknown): Outage | undefined {
  return typeof name === 'string' && Object.hasOwn(table, name) ? table[name] : undefined
}
