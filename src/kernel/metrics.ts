import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** A figure at this moment. */
export interface Reading {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** What the server counts of itself, for Prometheus. */
export interface Metrics {
  /** Counts one answered request: the route as it is written in the route table, never the path that was asked for. */
  request(labels: { door: string; route: string; status: number }, seconds: number): void
  /** Counts events that got their place in the log. */
  stamped(events: number): void
  /** How long the oldest event lies that has no place yet. */
  eventLag(seconds: number): void
  /** Counts events that a reaction has failed at for good. */
  eventParked(reaction: string): void
  /** Counts a stream that begins; the answer is called when it ends, with why. */
  stream(door: string): (ending: string) => void
  /** Counts an attempt to deliver to a webhook, by what came of it: delivered, retried later, failed for good. */
  delivery(outcome: 'delivered' | 'retried' | 'failed'): void
  /** Shows how many deliveries are due, and for how long the oldest of them has been; asked each time. */
  deliveriesDue(count: () => Promise<{ due: number; oldestSeconds: number }>): void
  /** Shows figures that are read when someone asks, each with its labels. */
  watch(name: string, help: string, labelNames: readonly string[], read: () => readonly Reading[]): void
  text(): Promise<string>
  readonly contentType: string
}

/** Counters of one server; `pool` tells the state of its database connections. */
export function newMetrics(pool?: { totalCount: number; idleCount: number; waitingCount: number }): Metrics {
  const registry = new Registry()
  // Event loop lag, memory and garbage collection come with these.
  collectDefaultMetrics({ register: registry, prefix: 'campanile_' })
  const requests = new Histogram({
    name: 'campanile_request_seconds',
    help: 'Answered requests by door (graphql, websocket, v1, legacy, http), route or trusted operation, and status.',
    labelNames: ['door', 'route', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  })
  if (pool) {
    new Gauge({
      name: 'campanile_database_connections',
      help: 'Connections of the database pool by state; `waiting` are requests without one.',
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
    help: 'Events stamped by this process.',
    registers,
  })
  const lag = new Gauge({
    name: 'campanile_event_lag_seconds',
    help: 'How long the oldest committed event lies without a position, as this process sees it.',
    registers,
  })
  const parked = new Counter({
    name: 'campanile_events_parked_total',
    help: 'Events that a reaction failed at for good.',
    labelNames: ['reaction'],
    registers,
  })
  const streams = new Gauge({
    name: 'campanile_streams',
    help: 'Subscriptions that are open, by door (websocket, sse).',
    labelNames: ['door'],
    registers,
  })
  const ended = new Counter({
    name: 'campanile_streams_ended_total',
    help: 'Subscriptions that have ended, by door and reason; `slow` are those that were told to resume.',
    labelNames: ['door', 'ending'],
    registers,
  })
  const attempts = new Counter({
    name: 'campanile_webhook_attempts_total',
    help: 'Attempts to deliver to webhooks by what came of them: delivered, retried later, failed for good.',
    labelNames: ['outcome'],
    registers,
  })
  return {
    delivery: (outcome) => attempts.inc({ outcome }),
    deliveriesDue: (count) => {
      new Gauge({
        name: 'campanile_webhook_deliveries_due',
        help: 'Messages to webhooks whose time has come, in all processes.',
        registers,
        async collect() {
          const found = await count().catch(() => undefined)
          if (found) this.set(found.due)
        },
      })
      new Gauge({
        name: 'campanile_webhook_delivery_lag_seconds',
        help: 'For how long the oldest of the due messages to webhooks has been due.',
        registers,
        async collect() {
          const found = await count().catch(() => undefined)
          if (found) this.set(found.oldestSeconds)
        },
      })
    },
    stamped: (events) => stamped.inc(events),
    eventLag: (seconds) => lag.set(seconds),
    eventParked: (reaction) => parked.inc({ reaction }),
    stream: (door) => {
      streams.inc({ door })
      return (ending) => {
        streams.dec({ door })
        ended.inc({ door, ending })
      }
    },
    request: ({ door, route, status }, seconds) => requests.observe({ door, route, status }, seconds),
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
    text: () => registry.metrics(),
    contentType: registry.contentType,
  }
}
