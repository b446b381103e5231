import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** What the server counts of itself, for Prometheus. */
export interface Metrics {
  /** Counts one answered request: the route as it is written in the route table, never the path that was asked for. */
  request(labels: { door: string; route: string; status: number }, seconds: number): void
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
  return {
    request: ({ door, route, status }, seconds) => requests.observe({ door, route, status }, seconds),
    text: () => registry.metrics(),
    contentType: registry.contentType,
  }
}
