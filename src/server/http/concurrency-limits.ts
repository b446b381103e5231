import type { ServerOptions } from 'node:http'
import type { Metrics } from '../../kernel/telemetry/metrics.ts'
import {
  type ConcurrencyLimiter,
  type ConcurrencyLimits,
  newConcurrencyLimiter,
} from '../../kernel/work/request-slots.ts'
import { newStartTurns } from '../../kernel/work/start-turns.ts'
import type { Parts } from '../processes/parts.ts'

/** Time limits of connections, in milliseconds. Uploads may take an hour. The route table limits all other requests. */
export const serverOptions: ServerOptions = {
  keepAliveTimeout: 65_000,
  headersTimeout: 15_000,
  requestTimeout: 60 * 60 * 1_000,
  connectionsCheckingInterval: 5_000,
}

/** Concurrency limiters by kind of request, so that one kind cannot use all slots of another. */
export interface ConcurrencyLimiters {
  /** Requests to the GraphQL API and both generations of the REST API, by account. */
  readonly api: ConcurrencyLimiter
  /** Requests to pages and forms, by address. Those of an IPv6 network count as one. */
  readonly visitors: ConcurrencyLimiter
  /** Uploads and exports, by address in the same way. They may take long. */
  readonly files: ConcurrencyLimiter
  /** Public files, by address in the same way, until the client has read them. */
  readonly downloads: ConcurrencyLimiter
}

/** Limits of file transfers. They take little memory, because each page is read only after the previous one was sent. */
const fileLimits = { running: 48, runningPerHolder: 24, present: 200, presentPerHolder: 50 }

/**
 * Limits of public files: what the operating system takes of a file that is not read costs as much as sending it. An address can
 * be that of an office, or of a service that loads the pictures of e-mails.
 */
const downloadLimits = { running: 256, runningPerHolder: 64, present: 4_096, presentPerHolder: 1_024 }

/**
 * Creates the limiters of a process, with their metrics. `connections` is the size of the database pool. `count` is called for
 * each request, except uploads and exports.
 */
export function newConcurrencyLimiters(
  connections: number,
  metrics: Metrics,
  parts: Parts,
  count?: (holder: string | number) => void,
): ConcurrencyLimiters {
  // More requests than connections, because some compute while others wait for the database.
  const running = Math.max(connections * 3, 4)
  const limits: ConcurrencyLimits = {
    running,
    // One account leaves a quarter of the slots to others.
    runningPerHolder: Math.ceil(running * 0.75),
    present: running * 32,
    presentPerHolder: running * 8,
  }
  const turns = newStartTurns()
  const limiters = {
    api: newConcurrencyLimiter(limits, turns, count),
    visitors: newConcurrencyLimiter(limits, turns, count),
    files: newConcurrencyLimiter(fileLimits),
    downloads: newConcurrencyLimiter(downloadLimits, turns, count),
  }
  const read =
    (values: (state: ReturnType<ConcurrencyLimiter['state']>) => Record<string, number>, label: string) => () =>
      Object.entries(limiters).flatMap(([limiter, { state }]) =>
        Object.entries(values(state())).map(([name, value]) => ({ labels: { limiter, [label]: name }, value })),
      )
  metrics.watch(
    'campanile_concurrent_requests',
    'Current requests by limiter (api, visitors, files, downloads) and state (running, waiting).',
    ['limiter', 'state'],
    read((state) => ({ running: state.running, waiting: state.waiting }), 'state'),
  )
  metrics.watch(
    'campanile_concurrent_requests_refused',
    'Requests refused since the start, by limiter and reason: full, timeout, overloaded (event loop delay).',
    ['limiter', 'reason'],
    read(({ refused }) => refused, 'reason'),
  )
  metrics.watch(
    'campanile_concurrent_requests_closed',
    'Requests whose clients disconnected while they waited, by limiter. They were not executed.',
    ['limiter'],
    () => Object.entries(limiters).map(([limiter, { state }]) => ({ labels: { limiter }, value: state().closed })),
  )
  parts.add(async () => {
    for (const limiter of Object.values(limiters)) limiter.close()
  })
  return limiters
}
