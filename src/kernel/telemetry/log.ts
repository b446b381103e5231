import { type Logger, pino } from 'pino'

/** The log of the process. Each entry is one line of JSON. */
export type Log = Logger

/** Field names that may contain credentials. Their values are never logged. */
const credentials = ['authorization', 'api_key', 'apiKey', 'key', 'secret', 'password']

/** Maximum text that waits for a reader of the log, in characters. Further entries are discarded. */
const maxPendingCharacters = 8 * 1024 * 1024

/**
 * Creates a log that writes to standard error, because scripts read standard output. Requests do not wait for the write, so a
 * reader that stops does not stop the process. Entries that still wait are written before it exits.
 *
 * Credentials are masked up to three levels deep in the logged object. `kindOf` returns a kind for errors with a common
 * cause, such as an unavailable database. At most one line per second is written for each kind. It contains the number
 * of omitted lines since the previous one.
 */
export function newLog(level: string, kindOf: (error: unknown) => string | undefined = () => undefined): Log {
  const isDue = newThrottle()
  const paths = credentials.flatMap((name) => [name, `*.${name}`, `*.*.${name}`])
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths, censor: '***' },
      serializers: { err: serializeError },
      hooks: {
        logMethod(args, method) {
          const [facts] = args as unknown[]
          const kind = typeof facts === 'object' && facts !== null && 'err' in facts ? kindOf(facts.err) : undefined
          if (kind === undefined) return method.apply(this, args)
          const omitted = isDue(kind)
          if (omitted === undefined) return
          const [, ...rest] = args
          method.apply(this, [omitted > 0 ? { ...(facts as object), omitted } : facts, ...rest] as typeof args)
        },
      },
    },
    pino.destination({ dest: 2, sync: false, maxLength: maxPendingCharacters }),
  )
}

/**
 * Returns the log of completed requests. Credentials are not masked, which takes three quarters of the time of an entry, so its
 * entries must consist of facts that contain none.
 */
export function accessLogOf(log: Log): Log {
  return log.child({}, { redact: [] })
}

/**
 * Returns the fields of an error that are logged. Errors of drivers contain whole connections, which would fill the log
 * and expose credentials.
 */
function serializeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const { type, message, stack, code, detail, constraint } = pino.stdSerializers.err(error)
  return { type, message, code, detail, constraint, stack }
}

/** Minimum time between two lines for errors of one kind, in milliseconds. */
const throttleIntervalMs = 1_000

/**
 * Creates a function that returns the number of omitted lines since the last one of a kind, or undefined if this line
 * must be omitted.
 */
function newThrottle(): (kind: string) => number | undefined {
  const kinds = new Map<string, { at: number; omitted: number }>()
  return (kind) => {
    const last = kinds.get(kind)
    const now = performance.now()
    if (last && now - last.at < throttleIntervalMs) {
      last.omitted += 1
      return undefined
    }
    kinds.set(kind, { at: now, omitted: 0 })
    return last?.omitted ?? 0
  }
}
