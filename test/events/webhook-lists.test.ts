import { describe, expect, it } from 'vitest'
import { objectsOf } from '../account/exporting.ts'
import { newWorld } from '../support/world.ts'
import { Create, newWebhook, Update } from './webhook-world.ts'

const Webhooks = `query ($filter: WebhookFilterInput) {
  webhooks(filter: $filter, orderBy: { direction: ASC }) { totalCount nodes { url } }
  account { webhooks(filter: $filter, orderBy: { direction: ASC }) { totalCount nodes { url } } } }`
const Deliveries = `query ($id: ID!, $after: String, $orderBy: [WebhookDeliveryOrderInput!], $filter: WebhookDeliveryFilterInput) {
  webhook(id: $id) { deliveries(first: 3, after: $after, orderBy: $orderBy, filter: $filter) {
    totalCount nodes { messageId } pageInfo { endCursor } } } }`

/** Webhooks with different events. The key of `part` reads contacts only; `off` is disabled. */
async function newWebhookWorld() {
  const world = await newWorld()
  const asking = { all: ['*'], contacts: ['contact.*'], made: ['contact.created'], orders: ['order.*'], off: ['*'] }
  for (const [name, eventPatterns] of Object.entries(asking)) {
    const description = `Receives ${name}`
    const { id } = await newWebhook(world, `https://${name}.hook.invalid/a_b`, { eventPatterns, description })
    if (name === 'off') await world.run(Update, { input: { id, active: false } })
  }
  const key = await world.key({ scopes: ['events:read', 'events:write', 'contacts:read'] })
  await world.run(Create, { input: { url: 'https://part.hook.invalid/100%25', eventPatterns: ['*'] } }, { key })
  await newWebhook(await world.other(), 'https://other.hook.invalid/')
  const found = async (filter: object) => {
    const { webhooks, account } = await world.run(Webhooks, { filter })
    expect(account.webhooks).toEqual(webhooks)
    expect(webhooks.nodes).toHaveLength(webhooks.totalCount)
    return webhooks.nodes.map(({ url }: { url: string }) => /[a-z]+(?=\.hook)/.exec(url)?.[0])
  }
  return { world, found }
}

describe('webhooks', () => {
  it('are filtered by isActive', async () => {
    const { found } = await newWebhookWorld()
    expect(await found({})).toEqual(['all', 'contacts', 'made', 'orders', 'off', 'part'])
    expect(await found({ active: true })).toEqual(['all', 'contacts', 'made', 'orders', 'part'])
    expect(await found({ active: false })).toEqual(['off'])
  })

  it('are filtered by an event that they receive, however it was selected', async () => {
    const { found } = await newWebhookWorld()
    expect(await found({ events: 'CONTACT_CREATED' })).toEqual(['all', 'contacts', 'made', 'off', 'part'])
    expect(await found({ events: ['CONTACT_DELETED'] })).toEqual(['all', 'contacts', 'off', 'part'])
    expect(await found({ events: 'ORDER_CREATED' })).toEqual(['all', 'orders', 'off'])
    expect(await found({ events: 'ORDER_CREATED', active: true })).toEqual(['all', 'orders'])
    expect(await found({ events: ['ORDER_CREATED', 'CONTACT_CREATED'], active: true })).toEqual([
      ...['all', 'contacts', 'made', 'orders', 'part'],
    ])
    expect(await found({ not: { events: ['CONTACT_CREATED'] } })).toEqual(['orders'])
    expect(await found({ events: [] })).toEqual([])
  })

  it('are filtered by their other columns', async () => {
    const { world, found } = await newWebhookWorld()
    await world.rows(
      `UPDATE webhook SET disabled_reason = 'GONE', disabled_at = now(), failing_since = now(), last_success_at = now()
       WHERE account_id = $1 AND url LIKE '%off.%'`,
      [world.accountId],
    )
    const { webhooks } = await world.run('{ webhooks(first: 1) { nodes { id } } }')
    const since = { gte: '2000-01-01T00:00:00Z' }
    expect(await found({ id: { in: [webhooks.nodes[0].id] } })).toEqual(['part'])
    expect(await found({ url: { contains: '/A_b' }, description: { contains: 'orders' } })).toEqual(['orders'])
    expect(await found({ description: { exists: false } })).toEqual(['part'])
    expect(await found({ disabledReason: ['GONE', 'FAILING'] })).toEqual(['off'])
    expect(await found({ disabledAt: since, failingSince: since, lastSuccessAt: since })).toEqual(['off'])
    expect(await found({ createdAt: { period: 'YESTERDAY' } })).toEqual([])
    expect(await found({ updatedAt: { period: 'TODAY' }, active: false })).toEqual(['off'])
  })

  it('are sorted by URL, time of update and relevance', async () => {
    const { world } = await newWebhookWorld()
    const urls = async (args: string) => {
      const { nodes } = (await world.run(`{ webhooks(${args}) { nodes { url } } }`)).webhooks
      return nodes.map(({ url }: { url: string }) => /[a-z]+(?=\.hook)/.exec(url)?.[0])
    }
    const byUrl = ['all', 'contacts', 'made', 'off', 'orders', 'part']
    expect(await urls('orderBy: { field: URL, direction: ASC }')).toEqual(byUrl)
    expect((await urls('orderBy: { field: UPDATED_AT }'))[0]).toBe('part')
    expect(await urls('filter: { search: "receives ma" }, orderBy: { field: RELEVANCE }')).toEqual(['made'])
  })

  it('are searched by words of their URL and description, case-insensitively', async () => {
    const { world, found } = await newWebhookWorld()
    expect(await found({ search: 'MADE.hook' })).toEqual(['made'])
    expect(await found({ search: 'RECEIVES a_b o' })).toEqual(['orders', 'off'])
    expect(await found({ search: '00%' })).toEqual(['part'])
    expect(await found({ search: 'other' })).toEqual([])
    const { body } = await world.ask('{ webhooks(filter: { search: "\\u0000" }) { totalCount } }')
    expect(body.errors).toMatchObject([{ extensions: { code: 'VALIDATION_ERROR' } }])
  })

  it('can be removed with the same filter', async () => {
    const { world } = await newWebhookWorld()
    const rows = await objectsOf(world, 'WEBHOOKS', { webhooks: { events: 'ORDER_CREATED', active: true } })
    expect(rows.map(({ url }) => url)).toEqual(['https://all.hook.invalid/a_b', 'https://orders.hook.invalid/a_b'])
  })
})

describe('deliveries of a webhook', () => {
  it('are filtered by their columns', async () => {
    const world = await newWorld()
    const { id, databaseId } = await world.webhook()
    await world.rows(
      `INSERT INTO webhook_delivery (account_id, webhook_id, event_id, message_id, type, data, occurred_at, due_at, state,
         created_at, attempts, attempted_at, response_status, error, milliseconds, delivered_at)
       VALUES ($1, $2, 1, 'msg_1', 'contact.created', '{}', now(), now(), 'DELIVERED', now(), 1, now(), 204, NULL, 5, now()),
         ($1, $2, 2, 'msg_2', 'order.created', '{}', now(), now(), 'FAILED', now(), 9, now(), NULL, 'Timeout', 900, NULL),
         ($1, $2, 3, 'msg_3', 'webhook.test', '{}', now(), now(), 'PENDING', now(), 0, NULL, NULL, NULL, NULL, NULL)`,
      [world.accountId, databaseId],
    )
    const since = { gte: '2000-01-01T00:00:00Z' }
    for (const [filter, expected] of [
      [{ status: ['FAILED', 'PENDING'] }, [2, 3]],
      [{ type: ['CONTACT_CREATED', 'WEBHOOK_TEST'] }, [1, 3]],
      [{ messageId: { eq: 'msg_2' } }, [2]],
      [{ attempts: { gte: 1, lte: 8 } }, [1]],
      [{ responseStatus: { gte: 200, lte: 299 } }, [1]],
      [{ not: { responseStatus: { gte: 200, lte: 299 } } }, [2, 3]],
      [{ error: { contains: 'TIME' } }, [2]],
      [{ milliseconds: { gte: 500 } }, [2]],
      [{ lastAttemptAt: since, occurredAt: since, createdAt: since }, [1, 2]],
      [{ deliveredAt: since }, [1]],
      [{ or: [{ status: 'PENDING' }, { deliveredAt: since }] }, [1, 3]],
      [{ status: [] }, []],
    ] as const) {
      const { totalCount, nodes } = (await world.run(Deliveries, { id, filter })).webhook.deliveries
      const found = nodes.map(({ messageId }: { messageId: string }) => Number(messageId.slice('msg_'.length)))
      expect(found.sort(), JSON.stringify(filter)).toEqual(expected)
      expect(totalCount).toBe(expected.length)
    }
  })

  it('are paginated newest first or oldest first', async () => {
    const world = await newWorld()
    const { id, databaseId } = await world.webhook()
    // The first ID has the latest time, so that an order by ID would be noticed.
    await world.rows(
      `INSERT INTO webhook_delivery
         (account_id, webhook_id, event_id, message_id, type, data, occurred_at, due_at, state, created_at)
       SELECT $1, $2, n, 'msg_' || n, 'contact.created', '{}', now(), now(), 'DELIVERED', now() - n * interval '1 hour'
       FROM generate_series(1, 5) n`,
      [world.accountId, databaseId],
    )
    const walked = async (variables: object) => {
      const first = (await world.run(Deliveries, { id, ...variables })).webhook.deliveries
      expect(first.totalCount).toBe(5)
      const after = first.pageInfo.endCursor
      const second = (await world.run(Deliveries, { id, after, ...variables })).webhook.deliveries
      return [...first.nodes, ...second.nodes].map(({ messageId }) => Number(messageId.slice('msg_'.length)))
    }
    expect(await walked({})).toEqual([1, 2, 3, 4, 5])
    expect(await walked({ orderBy: { direction: 'DESC' } })).toEqual([1, 2, 3, 4, 5])
    expect(await walked({ orderBy: { direction: 'ASC' } })).toEqual([5, 4, 3, 2, 1])
    expect(await walked({ orderBy: { direction: 'ASC' }, filter: { status: 'DELIVERED' } })).toEqual([5, 4, 3, 2, 1])
  })
})
