import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import type { Route } from '../../rest-bridge/envelope/route.ts'
import { accounts, apiKeys } from '../../src/account/index.ts'
import { type App, startApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import type { System } from '../../src/db/context.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import type { Scope } from '../../src/kernel/scopes.ts'
import { newLog } from '../../src/kernel/telemetry/log.ts'
import { newCommandSystem } from '../../src/server/processes/command-system.ts'
import { newDatabase } from '../support/database.ts'
import { type Answer, type Sent, send } from './client.ts'

/** The gateways from REST to GraphQL: in one process, or through a separate bridge. */
export const gateways = ['in-process', 'remote'] as const
export type GatewayName = (typeof gateways)[number]

export interface Servers {
  app: App
  system: System
  urls: Record<GatewayName, string>
}

const log = newLog('silent')
const secret = 'a secret that only the tests know'

/** Resolves no names. The hosts of webhooks here do not exist, and DNS queries would be slow on some machines. */
const resolveNothing = async () => Promise.reject(new Error('no such host'))

/** Starts an API and a bridge before it for the calling test file. Without a rate limit unless `env` sets one. */
export function useServers(env: Record<string, string> = {}): Servers {
  const servers = {} as Servers
  const started: App[] = []
  let folder = ''
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'campanile-rest-'))
    const shared = {
      PORT: '0',
      DATA_DIR: folder,
      SECRET: secret,
      SENDERS: 'any',
      LOG_LEVEL: 'silent',
      RATE_LIMIT_PER_MINUTE: '1000000',
      ...env,
    }
    const config = readConfig({ ...shared, DATABASE_URL: await newDatabase() })
    const app = await startApp(config, log, { resolve: resolveNothing })
    started.push(app)
    const graph = `${app.address.url}/graphql`
    const bridge = await startApp(readConfig({ ...shared, ROLES: 'bridge', GRAPHQL_URL: graph }), log)
    started.push(bridge)
    Object.assign(servers, {
      app,
      system: newCommandSystem({ db: app.database.db, log, clock: systemClock }),
      urls: { 'in-process': app.address.url, remote: bridge.address.url },
    })
  })
  afterAll(async () => {
    for (const app of started.toReversed()) await app.close()
    await rm(folder, { recursive: true, force: true })
  })
  return servers
}

/** An account with a full-access key, and functions that use REST. */
export interface World {
  accountId: number
  server: { system: System }
  key: string
  call(method: string, path: string, sent?: Sent): Promise<Answer>
  keyWith(scopes: readonly Scope[]): Promise<string>
  disabledKey(): Promise<string>
  contact(fields?: Readonly<Record<string, unknown>>): Promise<{ id: number; email: string }>
  tag(name?: string): Promise<{ id: number; name: string }>
  sequence(name?: string): Promise<{ id: number; name: string }>
  stage(sequenceId: number, fields?: Readonly<Record<string, unknown>>): Promise<{ id: number }>
  /** Creates a draft that is complete except for its audience, or a scheduled campaign if `scheduled_for` is set. */
  campaign(fields?: Readonly<Record<string, unknown>>): Promise<{ id: number; name: string }>
  /** Sends a GraphQL document to create what REST cannot create, and returns its data. */
  // biome-ignore lint/suspicious/noExplicitAny: an answer's shape is what the tests are there to find out
  graph(document: string, variables?: object): Promise<any>
  /** Creates a waiting order of 12.00 EUR. */
  order(input?: Readonly<Record<string, unknown>>): Promise<{ id: number; id_order: string }>
  /** Creates an active subscription of 9.00 EUR per month. */
  subscription(input?: Readonly<Record<string, unknown>>): Promise<{ id: number }>
  /** Creates a published form with the question types of `input`. Defaults to one question of the type yes_no. */
  form(input?: Readonly<Record<string, unknown>>): Promise<{ id: number; questions: number[] }>
  /** Creates a funnel without steps. Sets the subdomain of the account if it has none. */
  funnel(): Promise<{ id: number }>
  submission(form: { id: number }, input?: Readonly<Record<string, unknown>>): Promise<{ id: number }>
  customField(name: string, type?: string, values?: readonly string[]): Promise<{ id: number }>
  rows<Row>(sql: string, values?: unknown[]): Promise<Row[]>
  /** Returns the emitted events, oldest first. */
  announced(): Promise<string[]>
}

const customer = { email: 'buyer@example.com', firstName: 'Grace', lastName: 'Hopper' }
const recordOrder = `mutation ($input: OrderRecordInput!) {
  orderRecord(input: $input) { order { databaseId idOrder } } }`
const recordSubscription = `mutation ($input: SubscriptionRecordInput!) {
  subscriptionRecord(input: $input) { subscription { databaseId } } }`

const createForm = `mutation ($input: FormCreateInput!) {
  formCreate(input: $input) { form { databaseId questions { databaseId } } } }`
const publishForm = 'mutation ($id: ID!) { formPublish(input: { id: $id }) { form { id } } }'
const saveSubmission = `mutation ($input: SubmissionSaveInput!) {
  submissionSave(input: $input) { submission { databaseId } } }`

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
  const graph: World['graph'] = async (query, variables = {}) => {
    const { body } = await send(urls['in-process'], 'POST', '/graphql', { key, body: { query, variables } })
    expect(body.errors, JSON.stringify(body)).toBeUndefined()
    return body.data
  }
  const created = async (path: string, body: unknown) => {
    const response = await call('POST', path, { body })
    expect(response.body).toMatchObject({ success: true })
    return response.body.data.id as number
  }

  return {
    accountId,
    server: { system },
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
    graph,
    order: async (input = {}) => {
      const usual = { idOrder: `order ${randomUUID()}`, customer, ...(!('lines' in input) && { amount: '12.00' }) }
      const { order } = (await graph(recordOrder, { input: { ...usual, ...input } })).orderRecord
      return { id: order.databaseId, id_order: order.idOrder }
    },
    subscription: async (input = {}) => {
      const usual = { idSubscription: `plan ${randomUUID()}`, name: 'Monthly', amount: '9.00', customer }
      const { subscription } = (await graph(recordSubscription, { input: { ...usual, ...input } })).subscriptionRecord
      return { id: subscription.databaseId }
    },
    form: async (input = {}) => {
      const usual = { name: `form ${randomUUID()}`, questions: [{ label: 'Yes or no?', type: 'YES_NO' }] }
      const { form } = (await graph(createForm, { input: { ...usual, ...input } })).formCreate
      await graph(publishForm, { id: form.databaseId })
      const questions = form.questions.map(({ databaseId }: { databaseId: number }) => databaseId)
      return { id: form.databaseId, questions }
    },
    funnel: async () => {
      await rows("UPDATE account SET subdomain = coalesce(subdomain, 'shop-' || id) WHERE id = $1", [accountId])
      return { id: await created('/v1/funnel', { name: `funnel ${randomUUID()}` }) }
    },
    submission: async ({ id }, input = {}) => {
      const { submission } = (await graph(saveSubmission, { input: { formId: id, ...input } })).submissionSave
      return { id: submission.databaseId }
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

/** Sends the fields of a route in its query string or body, and the key in the place that its API version expects. */
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
