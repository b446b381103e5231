import { afterAll, beforeAll, describe, expect } from 'vitest'
import { newCtx } from '../../src/db/context.ts'
import { tracking } from '../../src/mail/index.ts'
import { advance } from '../../src/sequences/index.ts'
import { type Sink, startSink } from '../mail/sink.ts'
import { until } from '../runtime/process.ts'
import { check } from './check.ts'
import { newWorld, useServers, type World } from './support.ts'

const reports = 'a-key-of-sixteen-characters'
const env: Record<string, string> = { BOUNCES_GENERIC_KEY: reports }
let sink: Sink
beforeAll(async () => {
  sink = await startSink({ onTo: (address) => (address.startsWith('nobody') ? '550 5.1.1 no such user' : undefined) })
  env['MAIL_URL'] = sink.url
})
afterAll(() => sink.close())
const servers = useServers(env)

describe('contact events', () => {
  const checkEvent = (type: string, act: (world: World) => Promise<unknown>) =>
    check(`EVENT/${type}`, 'is emitted once', async () => {
      const world = await newWorld(servers, 'in-process')
      await act(world)
      expect((await world.announced()).filter((announced) => announced === type)).toHaveLength(1)
    })

  checkEvent('contact.created', (world) => world.contact())
  checkEvent('contact.updated', async (world) => {
    const { email } = await world.contact()
    const body = { email, first_name: 'Ada' }
    await world.call('PUT', '/v1/contact', { body })
    await world.call('PUT', '/v1/contact', { body })
  })
  checkEvent('contact.deleted', async (world) => {
    const { email } = await world.contact()
    await world.call('DELETE', '/v1/contact', { body: { email } })
  })
  checkEvent('contact.unsubscribed', async (world) => {
    const { email } = await world.contact({ email_marketing: true })
    await world.call('POST', '/v1/contact-unsubscribe', { body: { email } })
  })
  checkEvent('contact.resubscribed', async (world) => {
    const { email } = await world.contact()
    await world.call('PUT', '/v1/contact', { body: { email, email_marketing: true } })
  })
  checkEvent('contact.tag_added', async (world) => {
    const body = { email: (await world.contact()).email, tag_id: (await world.tag()).id }
    await world.call('POST', '/v1/contact-tag', { body })
    await world.call('POST', '/v1/contact-tag', { body })
  })
  checkEvent('contact.tag_removed', async (world) => {
    const body = { email: (await world.contact()).email, tag_id: (await world.tag()).id }
    await world.call('POST', '/v1/contact-tag', { body })
    await world.call('DELETE', '/v1/contact-tag', { body })
    await world.call('DELETE', '/v1/contact-tag', { body })
  })
  checkEvent('contact.field_updated', async (world) => {
    const [{ email }, field] = [await world.contact(), await world.customField('size')]
    const body = { email, custom_field_id: field.id, value: 'L' }
    await world.call('PUT', '/v1/contact-custom-field', { body })
    await world.call('PUT', '/v1/contact-custom-field', { body })
  })
  check('EVENT/quota.reached', 'is emitted once when the quota is reached', async () => {
    const world = await newWorld(servers, 'in-process', { limits: { contacts: 1 } })
    await world.contact()
    expect(await world.announced()).toContain('quota.reached')
  })
})

describe('sequence and e-mail events', () => {
  const person = 'Mozilla/5.0 (X11; Linux x86_64) Thunderbird/140.0'

  /** Creates a contact in a sequence with one stage, and a message of it. */
  async function createEnrolment(world: World) {
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

  const checkEvent = (
    type: string,
    act: (world: World, created: Awaited<ReturnType<typeof createEnrolment>>) => Promise<unknown>,
  ) =>
    check(`EVENT/${type}`, 'is emitted once', async () => {
      const world = await newWorld(servers, 'in-process')
      const made = await createEnrolment(world)
      for (let times = 0; times < 2; times += 1) await act(world, made)
      expect((await world.announced()).filter((announced) => announced === type)).toHaveLength(1)
    })

  checkEvent('sequence.subscribed', (world, { body }) => world.call('POST', '/v1/contact-sequence', { body }))
  checkEvent('sequence.unsubscribed', (world, { body }) => world.call('DELETE', '/v1/contact-sequence', { body }))
  checkEvent('sequence.completed', (_world, { ctx, enrolmentId, stageId }) => advance(ctx, { enrolmentId, stageId }))
  checkEvent('email.opened', (_world, { ctx, recipientId }) =>
    tracking.recordOpen(ctx, { recipientId, userAgent: person }),
  )
  checkEvent('email.clicked', (_world, { ctx, recipientId }) =>
    tracking.recordClick(ctx, { recipientId, userAgent: person, url: 'https://example.com' }),
  )
})

describe('form and funnel events', () => {
  const checkEvent = (
    type: string,
    act: (world: World, form: { id: number; questions: number[] }) => Promise<unknown>,
  ) =>
    check(`EVENT/${type}`, 'is emitted once', async () => {
      const world = await newWorld(servers, 'in-process')
      const form = await world.form()
      for (let times = 0; times < 2; times += 1) await act(world, form)
      expect((await world.announced()).filter((announced) => announced === type)).toHaveLength(1)
    })
  const answers = ({ questions: [questionId] }: { questions: number[] }) => [{ questionId, value: 'yes' }]

  checkEvent('form_submission.started', (world, form) => world.submission(form, { clientSubmissionId: 'one' }))
  checkEvent('form_submission.updated', async (world, form) => {
    await world.submission(form, { clientSubmissionId: 'one' })
    await world.submission(form, { clientSubmissionId: 'one', answers: answers(form) })
  })
  checkEvent('form_submission.completed', (world, form) =>
    world.submission(form, { clientSubmissionId: 'one', answers: answers(form), complete: true }),
  )
  check('EVENT/funnel.opt_in', 'is emitted once', async () => {
    const world = await newWorld(servers, 'in-process')
    const { id: funnel_id } = await world.funnel()
    const step = await world.call('POST', '/v1/funnel-step', { body: { funnel_id, name: 'Welcome' } })
    const { form } = (
      await world.graph(
        'query ($id: ID!) { funnelStep(id: $id) { form { databaseId questions { databaseId type } } } }',
        { id: step.body.data.id },
      )
    ).funnelStep
    const email = form.questions.find(({ type }: { type: string }) => type === 'EMAIL').databaseId
    const answers = [{ questionId: email, value: 'ada@example.com' }]
    for (let times = 0; times < 2; times += 1) {
      await world.submission({ id: form.databaseId }, { clientSubmissionId: 'one', answers, complete: true })
    }
    expect((await world.announced()).filter((type) => type === 'funnel.opt_in')).toHaveLength(1)
  })
})

describe('message events', () => {
  /** Sends a campaign to one contact, and waits until all its events are emitted. */
  async function sent(email: string) {
    const world = await newWorld(servers, 'in-process')
    await world.contact({ email, email_marketing: true })
    const { id } = await world.campaign()
    const response = await world.call('POST', '/v1/campaign-send', { body: { campaign_id: id, send_to_all: true } })
    expect(response.body).toMatchObject({ success: true, data: { status: 'sending' } })
    await until(async () => (await world.announced()).includes('campaign.sent'))
    return world
  }
  const times = async (world: World, type: string) => (await world.announced()).filter((each) => each === type).length

  check('EVENT/campaign.sent', 'is emitted once', async () => {
    expect(await times(await sent('ada@sent.example'), 'campaign.sent')).toBe(1)
  })

  check('EVENT/email.sent', 'is emitted once, when the mail server has accepted the message', async () => {
    expect(await times(await sent('ada@sent.example'), 'email.sent')).toBe(1)
    expect(await times(await sent('nobody@sent.example'), 'email.sent')).toBe(0)
  })

  check('EVENT/email.bounced', 'is emitted once, when the mail server rejects the address', async () => {
    expect(await times(await sent('nobody@bounced.example'), 'email.bounced')).toBe(1)
  })

  check('EVENT/email.complained', 'is emitted once, even if the complaint is repeated', async () => {
    const world = await sent('ada@complained.example')
    const raw = sink.taken.find(({ to }) => to === 'ada@complained.example')?.raw ?? ''
    const [, message_id] = /^message-id: (\S+)/im.exec(raw) ?? []
    for (let turn = 0; turn < 2; turn += 1) {
      const answer = await fetch(`${servers.urls['in-process']}/hooks/bounces/generic`, {
        method: 'POST',
        headers: { authorization: `Bearer ${reports}`, 'content-type': 'application/json' },
        body: JSON.stringify({ type: 'complaint', message_id }),
      })
      expect(await answer.json()).toEqual({ received: 1, known: 1 })
    }
    expect(await times(world, 'email.complained')).toBe(1)
  })
})
