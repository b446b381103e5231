import { describe, expect, it } from 'vitest'
import { gateways, newWorld, useServers } from './support.ts'

const servers = useServers()

describe.each(gateways)('a key with write scopes only, %s', (gateway) => {
  it('gets the response of the specification for what it has written', async () => {
    const world = await newWorld(servers, gateway)
    const contacts = await world.keyWith(['contacts:write'])
    const created = await world.call('POST', '/v1/contact', { body: { email: 'ada@example.com' }, key: contacts })
    expect(created).toMatchObject({ status: 201, body: { data: { id: expect.any(Number) } } })
    const tag = await world.call('POST', '/v1/tag', { body: { name: 'vip' }, key: contacts })
    expect(tag).toMatchObject({ status: 201, body: { data: { id: expect.any(Number), name: 'vip' } } })
    const pair = { contact_id: created.body.data.id, tag_id: tag.body.data.id }
    expect(await world.call('POST', '/v1/contact-tag', { body: pair, key: contacts })).toMatchObject({
      body: { data: pair },
    })
    const campaigns = await world.keyWith(['campaigns:write'])
    const campaign = await world.call('POST', '/v1/campaign', { body: { name: 'News' }, key: campaigns })
    expect(campaign).toMatchObject({ status: 201, body: { data: { name: 'News', status: 'draft' } } })
  })

  it('reads nothing, and writes in no other module', async () => {
    const world = await newWorld(servers, gateway)
    const { id } = await world.sequence()
    const key = await world.keyWith(['contacts:write'])
    expect(await world.call('GET', '/v1/contacts', { key })).toMatchObject({ status: 403 })
    const body = { email: 'ada@example.com', sequence_ids: String(id) }
    expect(await world.call('POST', '/v1/contact', { body, key })).toMatchObject({
      status: 403,
      body: { error: { code: 'FORBIDDEN', message: 'This key lacks the scope sequences:write.' } },
    })
    expect(await world.call('GET', '/v1/contacts')).toMatchObject({ body: { data: [] } })
  })

  it('names a missing scope as REST spells it, also if the graph finds it', async () => {
    const world = await newWorld(servers, gateway)
    const hook = { url: 'https://hook.invalid/', events: ['contact.created'] }
    const { id } = (await world.call('POST', '/v1/webhook', { body: hook })).body.data
    const key = await world.keyWith(['events:write'])
    expect(
      await world.call('PUT', '/v1/webhook', { body: { webhook_id: id, rotate_secret: true }, key }),
    ).toMatchObject({
      status: 403,
      body: { error: { code: 'FORBIDDEN', message: 'This key lacks the scope contacts:read.' } },
    })
  })
})
