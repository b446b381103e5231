import { type Logger, pino } from 'pino'

/** Where everything that happens is written: one JSON line each. */
export type Log = Logger

/** Names under which a credential may travel; their values never reach a log. */
const credentials = ['authorization', 'api_key', 'apiKey', 'key', 'secret', 'password']

/**
 * A log on standard error, for standard output carries only the lines that scripts wait for.
 *
 * Credentials are masked wherever they stand within three levels of the logged object.
 */
export function newLog(level: string): Log {
  const paths = credentials.flatMap((name) => [name, `*.${name}`, `*.*.${name}`])
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths, censor: '***' },
      serializers: { err: shown },
    },
    pino.destination({ dest: 2, sync: true }),
  )
}

/** What tells of an error. Drivers hang whole connections on theirs, which would fill the log and hold credentials. */
function shown(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const { type, message, stack, code, detail, constraint } = pino.stdSerializers.err(error)
  return { type, message, code, detail, constraint, stack }
}
