import { describe, expect } from 'vitest'
import { check } from './check.ts'
import { newWorld, useServers, type World } from './support.ts'

const servers = useServers()

describe('contact events', () => {
  const announces = (type: string, act: (world: World) => Promise<unknown>) =>
    check(`EVENT/${type}`, 'is announced once', async () => {
      const world = await newWorld(servers, 'in-process')
      await act(world)
      expect((await world.announced()).filter((announced) => announced === type)).toHaveLength(1)
    })

  announces('contact.created', (world) => world.contact())
  announces('contact.updated', async (world) => {
    const { email } = await world.contact()
    const body = { email, first_name: 'Ada' }
    await world.call('PUT', '/v1/contact', { body })
    await world.call('PUT', '/v1/contact', { body })
  })
  announces('contact.deleted', async (world) => {
    const { email } = await world.contact()
    await world.call('DELETE', '/v1/contact', { body: { email } })
  })
  announces('contact.unsubscribed', async (world) => {
    const { email } = await world.contact({ email_marketing: true })
    await world.call('POST', '/v1/contact-unsubscribe', { body: { email } })
  })
  announces('contact.resubscribed', async (world) => {
    const { email } = await world.contact()
    await world.call('PUT', '/v1/contact', { body: { email, email_marketing: true } })
  })
  announces('contact.tag_added', async (world) => {
    const body = { email: (await world.contact()).email, tag_id: (await world.tag()).id }
    await world.call('POST', '/v1/contact-tag', { body })
    await world.call('POST', '/v1/contact-tag', { body })
  })
  announces('contact.tag_removed', async (world) => {
    const body = { email: (await world.contact()).email, tag_id: (await world.tag()).id }
    await world.call('POST', '/v1/contact-tag', { body })
    await world.call('DELETE', '/v1/contact-tag', { body })
    await world.call('DELETE', '/v1/contact-tag', { body })
  })
  announces('contact.field_updated', async (world) => {
    const [{ email }, field] = [await world.contact(), await world.customField('size')]
    const body = { email, custom_field_id: field.id, value: 'L' }
    await world.call('PUT', '/v1/contact-custom-field', { body })
    await world.call('PUT', '/v1/contact-custom-field', { body })
  })
  check('EVENT/quota.reached', 'is announced when the last place is taken', async () => {
    const world = await newWorld(servers, 'in-process', { limits: { contacts: 1 } })
    await world.contact()
    expect(await world.announced()).toContain('quota.reached')
  })
})
