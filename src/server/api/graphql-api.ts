import type { Server } from 'node:http'
import type { Context } from 'koa'
import { fixedDocuments } from '../../../rest-bridge/index.ts'
import { findActive, keysChannel, newAdmission } from '../../account/index.ts'
import { readTrustedDocuments } from '../../graphql/documents/hashed-documents.ts'
import { type Executor, newExecutor } from '../../graphql/execute.ts'
import type { Admit } from '../../graphql/execution/admission.ts'
import { newYoga } from '../../graphql/execution/yoga.ts'
import { newStreams, type Streams } from '../../graphql/streams/streams.ts'
import { graphqlOverHttp } from '../../graphql/transports/http.ts'
import { newPublicIntrospection } from '../../graphql/transports/public-introspection.ts'
import { newSessions } from '../../graphql/transports/sessions.ts'
import { graphqlOverWebSocket } from '../../graphql/transports/websocket.ts'
import type { Log } from '../../kernel/telemetry/log.ts'
import type { Metrics } from '../../kernel/telemetry/metrics.ts'
import { clientAddress } from '../../kernel/values/address.ts'
import type { Limiters } from '../../kernel/work/rate-limiter.ts'
import type { RefusalPace } from '../../kernel/work/refusal-pace.ts'
import type { ConcurrencyLimiter } from '../../kernel/work/request-slots.ts'
import type { ConsoleHosts } from '../console/console-hosts.ts'
import type { Parts } from '../processes/parts.ts'
import type { ProcessBase } from '../processes/process-base.ts'
import { schema } from '../schema.ts'
import { schemaVersion } from './schema-version.ts'

/** Interval at which the keys of open subscriptions are checked, in milliseconds. Notifications usually end them sooner. */
const keyCheckIntervalMs = 2_000

/** The GraphQL API of a process. */
interface GraphqlApi {
  readonly admit: Admit
  readonly executor: Executor
  /** Serves `/graphql` over HTTP. */
  readonly serveHttp: (http: Context) => Promise<void>
  /** Serves `/graphql` over WebSocket. Returns a function that ends all subscriptions and sockets. */
  serveWebSockets(server: Server): () => Promise<void>
}

/** Creates the GraphQL API with authentication, limits and subscriptions. */
export async function newGraphqlApi(options: {
  base: ProcessBase
  limiters: Limiters
  limiter: ConcurrencyLimiter
  /** Limiter of requests without a key. */
  visitors: ConcurrencyLimiter
  documents: {
    /** Path of the manifest of trusted documents. */
    trusted: string | undefined
    /** Whether documents of API keys and access tokens must be trusted. */
    trustedOnly: boolean
    /** Whether documents may read the schema. */
    introspection: boolean
  }
  pace: RefusalPace
  secret: string
  /** The hosts whose requests can have a session of the console. */
  hosts: ConsoleHosts
  /** Number of proxies in front of this server. */
  trustProxy: number
  metrics: Metrics
  log: Log
  parts: Parts
}): Promise<GraphqlApi> {
  const { base, limiters, limiter, secret, trustProxy, metrics, log } = options
  const { system } = base
  const { admit, clearCache } = newAdmission({
    system,
    requests: limiters.requests,
    canCache: () => base.hints.isConnected(),
    pace: options.pace,
  })
  base.on(keysChannel, clearCache)
  const streams = newStreams({ schema, system, cost: limiters.cost, metrics })
  endStreamsOfDisabledKeys(streams, options)
  const yoga = newYoga({ schema, system, limiters, log })
  const { trustedOnly, introspection } = options.documents
  const trusted = await readTrustedDocuments(options.documents.trusted)
  const executor = newExecutor({
    ...{ yoga, schema, system, streams, trusted, trustedOnly, introspection, log },
    fixedDocuments: fixedDocuments(),
  })
  const introspect = newPublicIntrospection({
    schema,
    executor,
    limiter: options.visitors,
    perAddress: limiters.posts.perAddress,
    log,
  })
  base.setDocumentCheck(executor.prepare)
  const sessions = newSessions(system.consoleUrl, options.hosts.isConsole)
  return {
    admit,
    executor,
    serveHttp: graphqlOverHttp({
      ...{ yoga, executor, schemaVersion, admit, introspect, sessions, limiter, secret, log },
      replicas: system.replicas,
    }),
    serveWebSockets: (server) => {
      const sockets = graphqlOverWebSocket({
        server,
        schema,
        executor,
        admit,
        sessions,
        limiter,
        addressOf: ({ socket, headers }) =>
          clientAddress(socket.remoteAddress, headers['x-forwarded-for']?.toString(), trustProxy),
        metrics,
        log,
      })
      return async () => {
        streams.stop()
        await sockets.close()
      }
    },
  }
}

function endStreamsOfDisabledKeys(
  streams: Streams,
  { base, log, parts }: { base: ProcessBase; log: Log; parts: Parts },
): void {
  const endRevoked = () =>
    streams
      .endRevoked((owners) => findActive(base.background, owners))
      .catch((error: unknown) => log.warn({ err: error }, 'the keys of open subscriptions could not be checked'))
  const timer = setInterval(endRevoked, keyCheckIntervalMs)
  parts.add(async () => clearInterval(timer))
  base.on(keysChannel, endRevoked)
}
