import { type Logger, pino } from 'pino'

/** Where everything that happens is written: one JSON line each. */
export type Log = Logger

/** Names under which a credential may travel; their values never reach a log. */
const credentials = ['authorization', 'api_key', 'apiKey', 'key', 'secret', 'password']

/**
 * A log on standard error, for standard output carries only the lines that scripts wait for.
 *
 * Credentials are masked wherever they stand within three levels of the logged object. Errors that `kindOf` gives a name
 * have one cause in common, such as a database that is away: of one name one line a second is written, which says how many
 * were left out since the last.
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
      serializers: { err: shown },
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
    pino.destination({ dest: 2, sync: true }),
  )
}

/** What tells of an error. Drivers hang whole connections on theirs, which would fill the log and hold credentials. */
function shown(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const { type, message, stack, code, detail, constraint } = pino.stdSerializers.err(error)
  return { type, message, code, detail, constraint, stack }
}

/** How often an error of one kind is written, in milliseconds. */
const everyMilliseconds = 1_000

/** Says of each kind whether a line is due, by how many were left out since the last; undefined where none is due. */
function newThrottle(): (kind: string) => number | undefined {
  const kinds = new Map<string, { at: number; omitted: number }>()
  return (kind) => {
    const last = kinds.get(kind)
    const now = performance.now()
    if (last && now - last.at < everyMilliseconds) {
      last.omitted += 1
      return undefined
    }
    kinds.set(kind, { at: now, omitted: 0 })
    return last?.omitted ?? 0
  }
}
