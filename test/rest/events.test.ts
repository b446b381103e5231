import { describe, expect } from 'vitest'
import { newCtx } from '../../src/kernel/context.ts'
import { tracking } from '../../src/mail/index.ts'
import { advance } from '../../src/sequences/index.ts'
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

describe('sequence and e-mail events', () => {
  const person = 'Mozilla/5.0 (X11; Linux x86_64) Thunderbird/140.0'

  /** A contact in a sequence of one stage, and a message from it. */
  async function enrolled(world: World) {
    const [contact, sequence] = [await world.contact(), await world.sequence()]
    const stage = await world.stage(sequence.id)
    const body = { contact_id: contact.id, sequence_id: sequence.id }
    await world.call('POST', '/v1/contact-sequence', { body })
    const [enrolment] = await world.rows<{ id: number }>('SELECT id FROM enrolment WHERE contact_id = $1', [contact.id])
    const [message] = await world.rows<{ id: string }>(
      `INSERT INTO mail_recipient (account_id, contact_id, sequence_id, stage_id, enrolment_id, state, created_at, sent_at)
       VALUES ($1, $2, $3, $4, $5, 'SENT', now(), now()) RETURNING id`,
      [world.accountId, contact.id, sequence.id, stage.id, enrolment?.id],
    )
    const ctx = newCtx(servers.system, { accountId: world.accountId })
    return { body, ctx, recipientId: BigInt(message?.id ?? 0), enrolmentId: enrolment?.id ?? 0, stageId: stage.id }
  }

  const announces = (
    type: string,
    act: (world: World, made: Awaited<ReturnType<typeof enrolled>>) => Promise<unknown>,
  ) =>
    check(`EVENT/${type}`, 'is announced once', async () => {
      const world = await newWorld(servers, 'in-process')
      const made = await enrolled(world)
      for (let times = 0; times < 2; times += 1) await act(world, made)
      expect((await world.announced()).filter((announced) => announced === type)).toHaveLength(1)
    })

  announces('sequence.subscribed', (world, { body }) => world.call('POST', '/v1/contact-sequence', { body }))
  announces('sequence.unsubscribed', (world, { body }) => world.call('DELETE', '/v1/contact-sequence', { body }))
  announces('sequence.completed', (_world, { ctx, enrolmentId, stageId }) => advance(ctx, { enrolmentId, stageId }))
  announces('email.opened', (_world, { ctx, recipientId }) =>
    tracking.recordOpen(ctx, { recipientId, userAgent: person }),
  )
  announces('email.clicked', (_world, { ctx, recipientId }) =>
    tracking.recordClick(ctx, { recipientId, userAgent: person, url: 'https://example.com' }),
  )
})
