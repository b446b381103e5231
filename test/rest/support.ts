import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect } from 'vitest'
import type { Route } from '../../rest-bridge/route.ts'
import { accounts, apiKeys } from '../../src/account/index.ts'
import { type App, startApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import type { Scope, System } from '../../src/kernel/context.ts'
import { newLog } from '../../src/kernel/log.ts'
import { newDatabase } from '../support/database.ts'
import { type Answer, type Sent, send } from './client.ts'

/** The two ways from REST to the graph: in one process, or through a bridge that stands in front of it. */
export const gateways = ['in-process', 'remote'] as const
export type GatewayName = (typeof gateways)[number]

export interface Servers {
  app: App
  system: System
  urls: Record<GatewayName, string>
}

const log = newLog('silent')
const secret = 'a secret that only the tests know'

/**
 * Starts an API, and a bridge in front of it, for the test file that calls this. Nothing is rate-limited unless `env`
 * says so.
 */
export function useServers(env: Record<string, string> = {}): Servers {
  const servers = {} as Servers
  const started: App[] = []
  beforeAll(async () => {
    const shared = { PORT: '0', SECRET: secret, LOG_LEVEL: 'silent', RATE_LIMIT_PER_MINUTE: '1000000', ...env }
    const app = await startApp(readConfig({ ...shared, DATABASE_URL: await newDatabase() }), log)
    started.push(app)
    const graph = `${app.address.url}/graphql`
    const bridge = await startApp(readConfig({ ...shared, ROLES: 'bridge', GRAPHQL_URL: graph }), log)
    started.push(bridge)
    Object.assign(servers, {
      app,
      system: { db: app.database.db, log, clock: systemClock },
      urls: { 'in-process': app.address.url, remote: bridge.address.url },
    })
  })
  afterAll(async () => {
    for (const app of started.toReversed()) await app.close()
  })
  return servers
}

/** An account with a key of full access, as a REST client sees it. */
export interface World {
  accountId: number
  key: string
  call(method: string, path: string, sent?: Sent): Promise<Answer>
  keyWith(scopes: readonly Scope[]): Promise<string>
  disabledKey(): Promise<string>
  contact(fields?: Readonly<Record<string, unknown>>): Promise<{ id: number; email: string }>
  tag(name?: string): Promise<{ id: number; name: string }>
  sequence(name?: string): Promise<{ id: number; name: string }>
  stage(sequenceId: number, fields?: Readonly<Record<string, unknown>>): Promise<{ id: number }>
  /** A draft that lacks nothing but an audience; scheduled where it has a `scheduled_for`. */
  campaign(fields?: Readonly<Record<string, unknown>>): Promise<{ id: number; name: string }>
  customField(name: string, type?: string, values?: readonly string[]): Promise<{ id: number }>
  rows<Row>(sql: string, values?: unknown[]): Promise<Row[]>
  /** What was announced so far, the oldest first. */
  announced(): Promise<string[]>
}

type Limits = { contacts?: number; campaigns?: number; monthlyRecipients?: number }

export async function newWorld(
  { app, system, urls }: Servers,
  gateway: GatewayName,
  { limits = {} }: { limits?: Limits } = {},
): Promise<World> {
  const account = await accounts.create(system, { name: 'Ada', email: 'ada@example.com', limits })
  const accountId = account.id
  const { key } = await apiKeys.create(system, { accountId })

  const rows: World['rows'] = async (sql, values) => (await app.database.pool.query(sql, values)).rows
  const call: World['call'] = (method, path, sent = {}) => send(urls[gateway], method, path, { key, ...sent })
  const created = async (path: string, body: unknown) => {
    const answer = await call('POST', path, { body })
    expect(answer.body).toMatchObject({ success: true })
    return answer.body.data.id as number
  }

  return {
    accountId,
    key,
    call,
    rows,
    keyWith: async (scopes) => (await apiKeys.create(system, { accountId, scopes })).key,
    disabledKey: async () => {
      const made = await apiKeys.create(system, { accountId })
      await apiKeys.disableAny(system, { id: made.apiKey.id })
      return made.key
    },
    contact: async (fields = {}) => {
      const email = `${randomUUID()}@example.com`
      return { email, ...fields, id: await created('/v1/contact', { email, ...fields }) }
    },
    tag: async (name = `tag ${randomUUID()}`) => ({ name, id: await created('/v1/tag', { name }) }),
    sequence: async (name = `sequence ${randomUUID()}`) => ({ name, id: await created('/v1/sequence', { name }) }),
    stage: async (sequenceId, fields = {}) => ({
      id: await created('/v1/sequence-stage', { sequence_id: sequenceId, ...fields }),
    }),
    campaign: async ({ scheduled_for, ...fields } = {}) => {
      const name = `campaign ${randomUUID()}`
      const body = { name, subject: 'Hello', from_name: 'Ada', from_email: 'ada@example.com', ...fields }
      const id = await created('/v1/campaign', body)
      const done = [
        await call('PUT', '/v1/campaign-content', { body: { campaign_id: id, html: '<p>Hello</p>' } }),
        ...(scheduled_for
          ? [await call('POST', '/v1/campaign-schedule', { body: { campaign_id: id, scheduled_for } })]
          : []),
      ]
      for (const { body } of done) expect(body).toMatchObject({ success: true })
      return { name, id }
    },
    customField: async (name, type = 'TEXT', values = []) => {
      const [row] = await rows<{ id: number }>(
        `INSERT INTO custom_field (account_id, name, type, "values", created_at)
         VALUES ($1, $2, $3::custom_field_type, $4, now()) RETURNING id`,
        [accountId, name, type, values],
      )
      return { id: row?.id ?? 0 }
    },
    announced: async () => {
      const events = await rows<{ type: string }>('SELECT type FROM outbox_event WHERE account_id = $1 ORDER BY id', [
        accountId,
      ])
      return events.map(({ type }) => type)
    },
  }
}

/** Sends what a route takes, in its query or its body, with the key where its generation of the API wants it. */
export function ask(world: World, route: Route, input: Readonly<Record<string, unknown>>, sent: Sent = {}) {
  const { key = world.key, query = {}, ...rest } = sent
  const isLegacy = !route.path.startsWith('/v1/')
  const isRead = route.method === 'GET'
  return world.call(route.method, route.path, {
    ...(!isRead && { body: input }),
    ...rest,
    key: isLegacy ? null : key,
    query: { ...(isRead && (input as Sent['query'])), ...(isLegacy && key !== null && { api_key: key }), ...query },
  })
}
