// @module-tag rows
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { newReceiver } from '../events/receiver.ts'
import { until } from '../runtime/process.ts'
import type { Server } from '../support/server.ts'
import { type Named, newWorld, type World } from '../support/world.ts'
import { newSender, sharedSender } from './sending.ts'
import { newSink, type Sink } from './sink.ts'

const now = { timeValue: 0 }

async function enrolmentOf(world: World, { id }: Named) {
  const document = `query ($id: ID!) { enrolment: node(id: $id) { ... on Enrolment { state failure dueAt
    lastStage { databaseId } nextStage { databaseId } } } }`
  return (await world.run(document, { id })).enrolment
}

const completes = (world: World, enrolment: Named) =>
  until(async () => (await enrolmentOf(world, enrolment)).state === 'COMPLETED')

async function sender(env?: Record<string, string>): Promise<{ sink: Sink; world: World; server: Server }> {
  const { sink, server } = env ? await ownSender(env) : await sharedSender()
  const world = await newWorld({ server })
  await world.rows("UPDATE account SET sender_email = 'ada@example.com' WHERE id = $1", [world.accountId])
  return { sink, server, world }
}

async function ownSender(env: Record<string, string>) {
  const sink = await newSink()
  return { sink, server: await newSender(env['MAIL_URL'] ?? sink.url, env) }
}

/** Makes what was due later due now. */
const hurry = (world: World) =>
  world.rows("UPDATE enrolment SET due_at = now() - interval '1 second' WHERE account_id = $1 AND due_at IS NOT NULL", [
    world.accountId,
  ])

describe('a sequence', () => {
  it('sends its e-mails in order, each once, and each after the previous one was accepted', async () => {
    const { sink, world } = await sender()
    const ada = await world.contact({ emailMarketing: true })
    const sequence = await world.sequence()
    const [first, second] = [
      await world.stage(sequence, { active: true, ...now }),
      await world.stage(sequence, { active: true }),
    ]
    const enrolment = await world.subscribe(ada, sequence)
    await until(() => sink.taken.length === 1)
    await until(async () => (await enrolmentOf(world, enrolment)).nextStage?.databaseId === second.databaseId)
    expect(await enrolmentOf(world, enrolment)).toMatchObject({
      state: 'ACTIVE',
      lastStage: { databaseId: first.databaseId },
      dueAt: expect.any(String),
    })
    await hurry(world)
    await completes(world, enrolment)
    expect(sink.taken.map(({ to }) => to)).toEqual([ada.email, ada.email])
    expect(await world.announced('email.sent')).toHaveLength(2)
    expect(await world.announced('sequence.completed')).toHaveLength(1)
    expect(world.server.errors).toEqual([])
  })

  it('retries a message that the server deferred', async () => {
    let isBusy = true
    const sink = await newSink({ onTo: () => (isBusy ? '451 4.3.0 later' : undefined) })
    const { world } = await sender({ MAIL_URL: sink.url })
    const sequence = await world.sequence()
    await world.stage(sequence, { active: true, ...now })
    const enrolment = await world.subscribe(await world.contact({ emailMarketing: true }), sequence)
    // The source is looked at when the message is due, not before and not later.
    await until(async () => {
      const rows = await world.rows<{ is_same: boolean }>(
        `SELECT s.due_at = r.due_at AS is_same FROM mail_recipient r JOIN mail_source s ON s.account_id = r.account_id
         WHERE r.account_id = $1 AND r.attempts = 1 AND r.state = 'QUEUED'`,
        [world.accountId],
      )
      return rows[0]?.is_same ?? false
    })
    isBusy = false
    await world.rows('UPDATE mail_recipient SET due_at = now() WHERE account_id = $1', [world.accountId])
    await world.rows('UPDATE mail_source SET due_at = now() WHERE account_id = $1', [world.accountId])
    await completes(world, enrolment)
    expect(sink.taken).toHaveLength(1)
  })

  it('skips e-mails to contacts without consent, and continues', async () => {
    const { sink, world } = await sender()
    const ada = await world.contact()
    const sequence = await world.sequence()
    await world.stage(sequence, { active: true, ...now })
    const enrolment = await world.subscribe(ada, sequence)
    await completes(world, enrolment)
    expect(sink.taken).toEqual([])
    expect(await world.rows('SELECT state FROM mail_recipient WHERE account_id = $1', [world.accountId])).toEqual([
      { state: 'SKIPPED' },
    ])
  })

  it('runs its actions in order', async () => {
    const receiver = await newReceiver()
    const { world } = await sender({ WEBHOOK_ALLOW_PRIVATE: 'on' })
    const ada = await world.contact({ emailMarketing: true })
    const [vip, old] = [await world.tag(), await world.tag()]
    await world.run('mutation ($i: ContactTagAddInput!) { contactTagAdd(input: $i) { contact { id } } }', {
      i: { contact: { id: ada.id }, tagId: old.id },
    })
    const [next, sequence] = [await world.sequence(), await world.sequence()]
    await world.stage(next, { active: true })
    for (const action of [
      { addTagId: vip.id },
      { removeTagId: old.id },
      { addSequenceId: next.id },
      { removeSequenceId: next.id },
      { webhookUrl: receiver.url },
      { unsubscribe: true },
    ]) {
      await world.stage(sequence, { stageType: 'ACTION', action, active: true, ...now })
    }
    const enrolment = await world.subscribe(ada, sequence)
    await until(async () => (await enrolmentOf(world, enrolment)).state === 'ENDED')
    expect(receiver.calls.map(({ body }) => body)).toEqual([
      {
        contact_id: ada.databaseId,
        sequence_id: sequence.databaseId,
        stage_id: expect.any(Number),
        enrolment_id: enrolment.databaseId,
      },
    ])
    const { contact } = await world.run(
      'query ($id: ID!) { contact(ref: { id: $id }) { emailMarketing tags { databaseId } sequences { databaseId } } }',
      { id: ada.id },
    )
    expect(contact).toEqual({ emailMarketing: false, tags: [{ databaseId: vip.databaseId }], sequences: [] })
    expect((await world.announced()).map(({ type }) => type).slice(-7)).toEqual([
      'contact.tag_added',
      'contact.tag_removed',
      'sequence.subscribed',
      'sequence.unsubscribed',
      'sequence.unsubscribed',
      'contact.updated',
      'contact.unsubscribed',
    ])
  })

  it('shows failed actions, and continues', async () => {
    const { world } = await sender()
    const ada = await world.contact({ emailMarketing: true, phone: '+33600000000' })
    const sequence = await world.sequence()
    await world.stage(sequence, { stageType: 'SEND_SMS', smsText: 'Hello', active: true, ...now })
    await world.stage(sequence, { active: true })
    const enrolment = await world.subscribe(ada, sequence)
    await until(async () => (await enrolmentOf(world, enrolment)).failure !== null)
    expect(await enrolmentOf(world, enrolment)).toMatchObject({
      state: 'ACTIVE',
      failure: 'No SMS gateway is configured.',
    })
    const { contact } = await world.run(
      'query ($id: ID!) { contact(ref: { id: $id }) { messages { nodes { state answer sentAt } } } }',
      { id: ada.id },
    )
    expect(contact.messages.nodes).toEqual([{ state: 'FAILED', answer: 'No SMS gateway is configured.', sentAt: null }])
  })

  it('sends an SMS with merge fields through the gateway', async () => {
    const received: { url: string | undefined; body: unknown }[] = []
    const gateway = createServer(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      received.push({ url: request.url, body: JSON.parse(body) })
      response.writeHead(202).end()
    }).listen(0, '127.0.0.1')
    await once(gateway, 'listening')
    onTestFinished(() => void gateway.close())
    const { world } = await sender({
      SMS_GATEWAY_URL: `http://127.0.0.1:${(gateway.address() as AddressInfo).port}/sms`,
    })
    const ada = await world.contact({ emailMarketing: true, firstName: 'Ada', phone: '+33600000000' })
    const sequence = await world.sequence()
    const stage = await world.stage(sequence, {
      stageType: 'SEND_SMS',
      smsText: 'Hello {{FIRST_NAME:you}}',
      active: true,
      ...now,
    })
    const enrolment = await world.subscribe(ada, sequence)
    await completes(world, enrolment)
    const id = `${world.accountId}-${enrolment.databaseId}-${stage.databaseId}`
    expect(received).toEqual([{ url: '/sms', body: { id, to: '+33600000000', text: 'Hello Ada' } }])
    expect(await enrolmentOf(world, enrolment)).toMatchObject({ failure: null })
  })

  it('ends all enrolments when the contact unsubscribes', async () => {
    const { sink, world } = await sender()
    const ada = await world.contact({ emailMarketing: true })
    const sequence = await world.sequence()
    await world.stage(sequence, { active: true })
    const enrolment = await world.subscribe(ada, sequence)
    await world.run(
      'mutation ($input: ContactUnsubscribeInput!) { contactUnsubscribe(input: $input) { contact { id } } }',
      { input: { contact: { id: ada.id } } },
    )
    await hurry(world)
    expect(await enrolmentOf(world, enrolment)).toMatchObject({ state: 'ENDED', nextStage: null })
    expect(sink.taken).toEqual([])
  })

  it('sends one message to each due enrolment with two workers and a clock that goes back', async () => {
    const { sink, world, server } = await sender()
    const second = await newSender(sink.url, { DATABASE_URL: server.databaseUrl })
    await world.rows(
      `INSERT INTO contact (account_id, email, email_marketing, created_at, updated_at)
       SELECT $1, 'c' || i || '@example.com', true, now(), now() FROM generate_series(1, 600) AS i`,
      [world.accountId],
    )
    const sequence = await world.sequence()
    const stage = await world.stage(sequence, { active: true })
    await world.rows(
      `INSERT INTO enrolment (account_id, contact_id, sequence_id, enrolled_at, done_stage_ids, next_stage_id, due_at)
       SELECT account_id, id, $2, now(), '{}', $3, now() FROM contact WHERE account_id = $1`,
      [world.accountId, sequence.databaseId, stage.databaseId],
    )
    const live = async () =>
      (
        await world.rows<{ n: number }>(
          "SELECT count(*)::int AS n FROM enrolment WHERE account_id = $1 AND state = 'ACTIVE'",
          [world.accountId],
        )
      )[0]?.n
    await until(async () => (await live()) === 0)
    // As if the time of all this came once more.
    await world.rows(
      `UPDATE enrolment SET state = 'ACTIVE', ended_at = NULL, done_stage_ids = '{}', position = 0, next_stage_id = $2, due_at = now()
       WHERE account_id = $1`,
      [world.accountId, stage.databaseId],
    )
    await until(async () => (await live()) === 0)
    expect(sink.taken).toHaveLength(600)
    expect(new Set(sink.taken.map(({ to }) => to)).size).toBe(600)
    expect([...server.errors, ...second.errors]).toEqual([])
  })
})
