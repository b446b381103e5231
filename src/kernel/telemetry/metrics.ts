import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** A current value of a metric. */
interface Reading {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** The metrics of the server, in the format of Prometheus. */
export interface Metrics {
  /**
   * Counts one request and its duration. `route` is the pattern in the route table, never the requested path. The status `closed`
   * means that the client disconnected before the request was executed.
   */
  request(labels: { transport: string; route: string; status: number | 'closed' }, seconds: number): void
  /** Counts time in which long background work ran, or rested because requests were served. */
  background(state: 'working' | 'resting', seconds: number): void
  /** Counts events that received a position in the log. */
  stamped(events: number): void
  /** Sets the age of the oldest event without a position, in seconds. */
  eventLag(seconds: number): void
  /** Counts an event whose reaction failed permanently. */
  eventParked(reaction: string): void
  /** Counts a request that can be read on a replica, by where it was read. */
  replicaRead(target: string): void
  /** Counts the start of a stream. The returned function counts its end, with the reason. */
  stream(transport: string): (ending: string) => void
  /** Counts a delivery attempt of a webhook by outcome: delivered, will be retried, failed permanently. */
  delivery(outcome: 'delivered' | 'retried' | 'failed'): void
  /**
   * Registers the number of due deliveries and the age of the oldest one in seconds. `count` is called at each scrape.
   */
  deliveriesDue(count: () => Promise<{ due: number; oldestSeconds: number }>): void
  /** Registers a metric whose values are read at each scrape. */
  watch(name: string, help: string, labelNames: readonly string[], read: () => readonly Reading[]): void
  text(): Promise<string>
  readonly contentType: string
}

/**
 * Metrics of the process, such as event loop delay, memory and garbage collection. There is one registry, because its observers
 * cannot be stopped and would keep a server that was closed.
 */
const ofProcess = new Registry()
collectDefaultMetrics({ register: ofProcess, prefix: 'campanile_' })

/** Creates the metrics of one server. `pool` is its database connection pool. */
export function newMetrics(pool?: { totalCount: number; idleCount: number; waitingCount: number }): Metrics {
  const registry = new Registry()
  const requests = new Histogram({
    name: 'campanile_request_seconds',
    help: 'Duration of requests by transport (graphql, websocket, v1, legacy, http), route or trusted operation, and status (`closed`: the client left before).',
    labelNames: ['transport', 'route', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  })
  if (pool) {
    new Gauge({
      name: 'campanile_database_connections',
      help: 'Connections of the database pool by state. `waiting` counts requests that wait for a connection.',
      labelNames: ['state'],
      registers: [registry],
      collect() {
        this.set({ state: 'idle' }, pool.idleCount)
        this.set({ state: 'busy' }, pool.totalCount - pool.idleCount)
        this.set({ state: 'waiting' }, pool.waitingCount)
      },
    })
  }
  const registers = [registry]
  const stamped = new Counter({
    name: 'campanile_events_stamped_total',
    help: 'Events that received their position from this process.',
    registers,
  })
  const lag = new Gauge({
    name: 'campanile_event_lag_seconds',
    help: 'Age of the oldest committed event without a position, as measured by this process.',
    registers,
  })
  const parked = new Counter({
    name: 'campanile_events_parked_total',
    help: 'Events whose reaction failed permanently.',
    labelNames: ['reaction'],
    registers,
  })
  const streams = new Gauge({
    name: 'campanile_streams',
    help: 'Open subscriptions by transport (websocket, sse).',
    labelNames: ['transport'],
    registers,
  })
  const ended = new Counter({
    name: 'campanile_streams_ended_total',
    help: 'Ended subscriptions by transport and reason. `slow` counts those that the client must resume.',
    labelNames: ['transport', 'ending'],
    registers,
  })
  const replicaReads = new Counter({
    name: 'campanile_replica_reads_total',
    help: 'Requests that accept a replica by target: replica, primary (no replica was suitable), and statements by target fallback (repeated on the primary).',
    labelNames: ['target'],
    registers,
  })
  const background = new Counter({
    name: 'campanile_background_seconds_total',
    help: 'Time of imports, exports, bulk jobs and other long work by state: working, resting (requests were served).',
    labelNames: ['state'],
    registers,
  })
  for (const state of ['working', 'resting']) background.inc({ state }, 0)
  const attempts = new Counter({
    name: 'campanile_webhook_attempts_total',
    help: 'Delivery attempts of webhooks by outcome: delivered, retried later, failed permanently.',
    labelNames: ['outcome'],
    registers,
  })
  return {
    delivery: (outcome) => attempts.inc({ outcome }),
    deliveriesDue: (count) => {
      new Gauge({
        name: 'campanile_webhook_deliveries_due',
        help: 'Due deliveries to webhooks, of all processes.',
        registers,
        async collect() {
          const value = await count().catch(() => undefined)
          if (value) this.set(value.due)
        },
      })
      new Gauge({
        name: 'campanile_webhook_delivery_lag_seconds',
        help: 'Time for which the oldest due delivery to a webhook has been due.',
        registers,
        async collect() {
          const value = await count().catch(() => undefined)
          if (value) this.set(value.oldestSeconds)
        },
      })
    },
    replicaRead: (target) => replicaReads.inc({ target }),
    stamped: (events) => stamped.inc(events),
    eventLag: (seconds) => lag.set(seconds),
    eventParked: (reaction) => parked.inc({ reaction }),
    stream: (transport) => {
      streams.inc({ transport })
      return (ending) => {
        streams.dec({ transport })
        ended.inc({ transport, ending })
      }
    },
    request: ({ transport, route, status }, seconds) => requests.observe({ transport, route, status }, seconds),
    background: (state, seconds) => background.inc({ state }, seconds),
    watch: (name, help, labelNames, read) => {
      new Gauge({
        name,
        help,
        labelNames: [...labelNames],
        registers: [registry],
        collect() {
          this.reset()
          for (const { labels, value } of read()) this.set(labels, value)
        },
      })
    },
    text: () => Registry.merge([ofProcess, registry]).metrics(),
    contentType: registry.contentType,
  }
}
