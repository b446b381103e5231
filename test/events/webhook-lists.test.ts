import { describe, expect, it } from 'vitest'
import { objectsOf } from '../account/exporting.ts'
import { newWorld } from '../support/world.ts'
import { Create, newWebhook, Update } from './webhook-world.ts'

const Webhooks = `query ($filter: WebhookFilterInput) {
  webhooks(filter: $filter, orderBy: { direction: ASC }) { totalCount nodes { url } }
  account { webhooks(filter: $filter, orderBy: { direction: ASC }) { totalCount nodes { url } } } }`
const Deliveries = `query ($id: ID!, $after: String, $orderBy: WebhookDeliveryOrderInput, $filter: WebhookDeliveryFilterInput) {
  webhook(id: $id) { deliveries(first: 3, after: $after, orderBy: $orderBy, filter: $filter) {
    totalCount nodes { messageId } pageInfo { endCursor } } } }`

/** Webhooks with different events. The key of `part` reads contacts only; `off` is disabled. */
async function newWebhookWorld() {
  const world = await newWorld()
  const asking = { all: ['*'], contacts: ['contact.*'], made: ['contact.created'], orders: ['order.*'], off: ['*'] }
  for (const [name, events] of Object.entries(asking)) {
    const { id } = await newWebhook(world, `https://${name}.hook.invalid/a_b`, { events })
    if (name === 'off') await world.run(Update, { input: { id, active: false } })
  }
  const key = await world.key({ scopes: ['events:read', 'events:write', 'contacts:read'] })
  await world.run(Create, { input: { url: 'https://part.hook.invalid/100%25', events: ['*'] } }, { key })
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
    expect(await found({ event: 'CONTACT_CREATED' })).toEqual(['all', 'contacts', 'made', 'off', 'part'])
    expect(await found({ event: 'CONTACT_DELETED' })).toEqual(['all', 'contacts', 'off', 'part'])
    expect(await found({ event: 'ORDER_CREATED' })).toEqual(['all', 'orders', 'off'])
    expect(await found({ event: 'ORDER_CREATED', active: true })).toEqual(['all', 'orders'])
  })

  it('are filtered by a literal part of their URL, case-insensitively', async () => {
    const { world, found } = await newWebhookWorld()
    expect(await found({ search: 'MADE.hook' })).toEqual(['made'])
    expect(await found({ search: '_' })).toEqual(['all', 'contacts', 'made', 'orders', 'off'])
    expect(await found({ search: '%' })).toEqual(['part'])
    expect(await found({ search: 'other' })).toEqual([])
    const { body } = await world.ask('{ webhooks(filter: { search: "\\u0000" }) { totalCount } }')
    expect(body.errors).toMatchObject([
      { extensions: { code: 'VALIDATION_ERROR', details: { 'filter.search': [expect.stringContaining('stored')] } } },
    ])
  })

  it('can be removed with the same filter', async () => {
    const { world } = await newWebhookWorld()
    const rows = await objectsOf(world, 'WEBHOOKS', { webhooks: { event: 'ORDER_CREATED', active: true } })
    expect(rows.map(({ url }) => url)).toEqual(['https://all.hook.invalid/a_b', 'https://orders.hook.invalid/a_b'])
  })
})

describe('deliveries of a webhook', () => {
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
    expect(await walked({ orderBy: { direction: 'ASC' }, filter: { statuses: ['DELIVERED'] } })).toEqual([
      5, 4, 3, 2, 1,
    ])
  })
})
