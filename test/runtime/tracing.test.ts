import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeAll, describe, expect, it } from 'vitest'
import { createSubscribers, sendCampaign } from '../mail/sending.ts'
import { send } from '../rest/client.ts'
import { atEnd } from '../support/ends.ts'
import { newWorld, type World } from '../support/world.ts'
import { type Running, start, temporaryFolder, until } from './process.ts'

interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly status: object
  readonly attributes: { key: string; value: Record<string, unknown> }[]
}

/** Starts a collector of traces, as a stand-in for one of OpenTelemetry. */
async function newCollector() {
  const bodies: string[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    if (request.url === '/v1/traces') bodies.push(body)
    response.setHeader('content-type', 'application/json').end('{}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  atEnd(async () => void server.close())
  const spans = (): Span[] =>
    bodies.flatMap((body) =>
      JSON.parse(body).resourceSpans.flatMap((resource: { scopeSpans: { spans: Span[] }[] }) =>
        resource.scopeSpans.flatMap((scope) => scope.spans),
      ),
    )
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    text: () => bodies.join('\n'),
    spans,
    /** Waits for a span with this name, and returns the names from it up to the root. */
    pathFrom: async (name: string): Promise<string[]> => {
      await until(() => spans().some((each) => each.name === name && isComplete(each, spans())))
      const all = spans()
      return pathOf(
        all.find((each) => each.name === name && isComplete(each, all)),
        all,
      )
    },
  }
}

const parentOf = ({ traceId, parentSpanId }: Span, all: readonly Span[]) =>
  all.find((each) => each.traceId === traceId && each.spanId === parentSpanId)

const isComplete = (span: Span, all: readonly Span[]): boolean => {
  if (!span.parentSpanId) return true
  const parent = parentOf(span, all)
  return parent !== undefined && isComplete(parent, all)
}

const pathOf = (span: Span | undefined, all: readonly Span[]): string[] =>
  span ? [span.name, ...pathOf(parentOf(span, all), all)] : []

const attribute = (span: Span | undefined, name: string) =>
  Object.values(span?.attributes.find(({ key }) => key === name)?.value ?? {})[0]

/** Starts a process on the database of a world that sends its traces to `endpoint`. */
async function tracedServer(world: World, endpoint: string, env = {}): Promise<Running & { url: string }> {
  const running = start('main', [], {
    PORT: '0',
    DATA_DIR: await temporaryFolder(),
    DATABASE_URL: world.server.databaseUrl,
    SECRET: 'a secret that only tests know',
    SENDERS: 'any',
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_BSP_SCHEDULE_DELAY: '50',
    ...env,
  })
  return { ...running, url: (await running.line(/^ready /)).replace('ready ', '') }
}

const query = (url: string, world: World, document: string, headers = {}) =>
  send(url, 'POST', '/graphql', { key: world.mainKey, headers, body: { query: document } })

describe('traces', () => {
  let collector: Awaited<ReturnType<typeof newCollector>>
  let server: Awaited<ReturnType<typeof tracedServer>>

  beforeAll(async () => {
    collector = await newCollector()
    server = await tracedServer(await newWorld(), collector.url)
  })

  it('show requests with their resolvers and statements, and no values', async () => {
    const world = await newWorld()
    await world.contact({ email: 'traced@example.com' })
    await world.rows('INSERT INTO tag (account_id, name, created_at) VALUES ($1, $2, now())', [
      world.accountId,
      'Traced',
    ])
    const document = `query Traced { contacts(first: 5, filter: { email: { eq: "traced@example.com" } }) { nodes { email tags { name } } } }`
    expect((await query(server.url, world, document)).body).toMatchObject({
      data: { contacts: { nodes: [{ email: 'traced@example.com' }] } },
    })
    expect(await collector.pathFrom('Contact.tags')).toEqual(['Contact.tags', 'query Traced', 'POST /graphql'])
    expect(await collector.pathFrom('Query.contacts')).toEqual(['Query.contacts', 'query Traced', 'POST /graphql'])
    const all = collector.spans()
    const parents = all.filter((span) => attribute(span, 'db.query.text')).map((span) => parentOf(span, all)?.name)
    expect(parents).toContain('ContactConnection.nodes')
    expect(parents).toContain('Contact.tags')
    const operation = all.find(({ name }) => name === 'query Traced')
    expect(attribute(operation, 'campanile.account_id')).toBe(world.accountId)
    const request = all.find(({ name }) => name === 'POST /graphql')
    expect(attribute(request, 'http.response.status_code')).toBe(200)

    expect(await send(server.url, 'GET', '/v1/contacts', { key: world.mainKey })).toMatchObject({ status: 200 })
    expect(await collector.pathFrom('query ContactList')).toEqual(['query ContactList', 'GET /v1/contacts'])
    const failing = `mutation Failing { tagCreate(input: { name: "${'typed '.repeat(100)}" }) { tag { id } } }`
    expect((await query(server.url, world, failing)).body.errors).toHaveLength(1)
    await collector.pathFrom('mutation Failing')
    const failed = collector.spans().find(({ name }) => name === 'Mutation.tagCreate')
    expect(failed?.status).toEqual({ code: 2, message: 'VALIDATION_ERROR' })
    expect(collector.text()).not.toContain('typed')
    // Statements are shown with placeholders, and documents are not shown.
    expect(collector.text()).not.toContain('traced@example.com')
  })

  it('show jobs, and the claim of each message', async () => {
    const world = await newWorld()
    await createSubscribers(world, 3)
    await sendCampaign(world)
    await until(() => collector.spans().filter(({ name }) => name === 'send message').length === 3)
    expect(await collector.pathFrom('send message')).toEqual(['send message', 'render messages'])
    await world.rows(`SELECT graphile_worker.add_job('partitions:keep', '{}')`)
    expect(await collector.pathFrom('job partitions:keep')).toEqual(['job partitions:keep'])
  })

  it('continue that of a proxy only if the proxy is trusted', async () => {
    const world = await newWorld()
    const traceId = '0af7651916cd43dd8448eb211c80319c'
    const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01` }
    const trusting = await tracedServer(world, collector.url, { TRUST_PROXY: '1' })
    await query(trusting.url, world, 'query Trusted { __typename }', headers)
    await until(() => collector.spans().some(({ name }) => name === 'query Trusted'))
    await query(server.url, world, 'query Other { __typename }', headers)
    await until(() => collector.spans().some(({ name }) => name === 'query Other'))
    const traceOf = (wanted: string) => collector.spans().find(({ name }) => name === wanted)?.traceId
    expect(traceOf('query Trusted')).toBe(traceId)
    expect(traceOf('query Other')).not.toBe(traceId)
  })

  it('that nobody receives delay neither requests nor the end', async () => {
    const world = await newWorld()
    const silent = await tracedServer(world, 'http://127.0.0.1:9')
    expect((await query(silent.url, world, '{ __typename }')).status).toBe(200)
    silent.signal('SIGTERM')
    expect(await silent.end).toMatchObject({ code: 0 })
  })
})
