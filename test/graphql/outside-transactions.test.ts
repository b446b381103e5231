// @module-tag rows
import { beforeAll, describe, expect, it } from 'vitest'
import { page } from '../funnels/documents.ts'
import { documentOf } from '../mail/content.ts'
import { newTemplate } from '../mail/templates.ts'
import { newServer } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'

/** Mutations that wait for other servers or threads before their transaction, and their input. */
const mutations: Record<string, { fields: string; input: (world: World) => Promise<object>; asksDns?: boolean }> = {
  webhookCreate: {
    fields: 'webhook { id url }',
    input: async () => ({ url: 'https://hooks.example/' }),
    asksDns: true,
  },
  webhookUpdate: {
    fields: 'webhook { id url }',
    input: async (world) => ({ id: (await world.webhook()).id, url: 'https://new.example/' }),
    asksDns: true,
  },
  sequenceStageCreate: {
    fields: 'stage { id step }',
    input: async (world) => ({
      sequenceId: (await world.sequence()).id,
      stageType: 'ACTION',
      action: { webhookUrl: 'https://hooks.example/' },
    }),
    asksDns: true,
  },
  sequenceStageUpdate: {
    fields: 'stage { id }',
    input: async (world) => ({
      id: (await world.stage(await world.sequence(), { stageType: 'ACTION' })).id,
      action: { webhookUrl: 'https://hooks.example/' },
    }),
    asksDns: true,
  },
  senderDomainVerify: {
    fields: 'senderDomain { domain checkedAt }',
    input: async (world) => {
      await world.run('mutation { senderDomainAdd(input: { domain: "example.com" }) { senderDomain { domain } } }')
      return { domain: 'example.com' }
    },
    asksDns: true,
  },
  campaignCreate: {
    fields: 'campaign { id }',
    input: async () => ({ name: 'Monthly', html: '<p>Hello</p>' }),
  },
  campaignContentSet: {
    fields: 'campaign { id }',
    input: async (world) => ({ id: (await world.campaign()).id, html: '<p>Hello</p>' }),
  },
  emailTemplateCreate: {
    fields: 'emailTemplate { id }',
    input: async () => ({ name: 'Monthly', content: documentOf({ type: 'divider' }) }),
  },
  emailTemplateUpdate: {
    fields: 'emailTemplate { id }',
    input: async (world) => ({ id: (await newTemplate(world)).id, content: documentOf({ type: 'divider' }) }),
  },
  campaignSend: {
    fields: 'campaign { id }',
    input: async (world) => {
      await world.contact({ emailMarketing: true })
      return { id: (await world.campaign({ audience: { sendToAll: true } })).id }
    },
  },
  sequenceStageContentSet: {
    fields: 'stage { id }',
    input: async (world) => ({ id: (await world.stage(await world.sequence())).id, html: '<p>Hello</p>' }),
  },
  formConfirmationContentSet: {
    fields: 'form { id }',
    input: async (world) => ({ id: (await world.form()).id, html: '<p>Hello</p>' }),
  },
  funnelConfirmationContentSet: {
    fields: 'funnel { id }',
    input: async (world) => ({ id: (await world.funnel()).id, html: '<p>Hello</p>' }),
  },
  funnelStepContentSet: {
    fields: 'version',
    input: async (world) => ({
      id: (await world.step(await world.funnel())).id,
      content: page({ type: 'title', text: 'Hello' }),
    }),
  },
}

describe('a mutation that waits for others before its transaction', () => {
  let world: World
  /** Number of DNS lookups, and the open transactions that each of them found. */
  const lookups: unknown[][] = []
  const lookUp = async () => {
    lookups.push(
      await world.rows(
        "SELECT query FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'",
      ),
    )
  }
  const entriesOf = async (action: string) =>
    (await world.rows('SELECT FROM audit_entry WHERE account_id = $1 AND action = $2', [world.accountId, action]))
      .length
  beforeAll(async () => {
    const resolve = async () => {
      await lookUp()
      return [{ address: '93.184.215.14', family: 4 }]
    }
    const txtRecords = async () => {
      await lookUp()
      return []
    }
    world = await newWorld({ server: await newServer({}, { resolve, txtRecords }) })
  })

  it.each(Object.entries(mutations))('%s runs once per idempotency key', async (name, { fields, input, asksDns }) => {
    const document = `mutation ($input: ${name[0]?.toUpperCase()}${name.slice(1)}Input!) { ${name}(input: $input) { ${fields} } }`
    const given = await input(world)
    lookups.length = 0
    const entries = await entriesOf(name)
    const keyed = { input: { ...given, idempotencyKey: name } }
    const first = await world.run(document, keyed)
    const events = (await world.announced('*')).length
    expect(await world.run(document, keyed)).toEqual(first)
    expect((await world.announced('*')).length).toBe(events)
    // The repeat asks nothing, and no transaction waits for an answer.
    expect(lookups).toEqual(asksDns ? [[]] : [])
    const keys = await world.rows('SELECT field FROM idempotency_key WHERE account_id = $1 AND key = $2', [
      world.accountId,
      name,
    ])
    expect(keys).toEqual([{ field: name }])
    expect(await entriesOf(name)).toBe(entries + 1)
  })

  it('has one effect if requests with one idempotency key are concurrent', async () => {
    const document = 'mutation ($input: WebhookCreateInput!) { webhookCreate(input: $input) { webhook { id } } }'
    const input = { url: 'https://concurrent.example/', idempotencyKey: 'concurrent' }
    const replies = await Promise.all(Array.from({ length: 10 }, () => world.ask(document, { input })))
    const results = replies.filter(({ body }) => !body.errors).map(({ body }) => JSON.stringify(body.data))
    const waiting = replies.filter(({ body }) => body.errors?.[0].extensions.code === 'IDEMPOTENCY_CONFLICT')
    expect(results.length).toBeGreaterThan(0)
    expect(results.length + waiting.length).toBe(replies.length)
    expect(new Set([...results, JSON.stringify(await world.run(document, { input }))]).size).toBe(1)
    expect((await world.fault(document, { input: { ...input, url: 'https://other.example/' } })).extensions.code).toBe(
      'VALIDATION_ERROR',
    )
  })
})
