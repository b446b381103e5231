import { simpleParser } from 'mailparser'
import { describe, expect, it } from 'vitest'
import { until } from '../runtime/process.ts'
import { newServer } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'
import { newMailWorld } from './reading.ts'
import { type Act, drop, type Manners, newRelay, silent, trickle } from './relay.ts'
import { createSubscribers, newSender, sendCampaign } from './sending.ts'
import { newSink } from './sink.ts'

const CampaignTest =
  'mutation ($input: CampaignTestInput!) { campaignTest(input: $input) { campaign { id status } answer } }'
const StageTest =
  'mutation ($input: SequenceStageTestInput!) { sequenceStageTest(input: $input) { stage { id } answer } }'
const Preview = `query ($id: ID!, $contactId: ID) {
  campaign(id: $id) { email { preview(contactId: $contactId) { subject html text } } } }`

async function campaignOf(world: World, html: string, subject = 'News for {{FIRST_NAME}}') {
  const campaign = await world.campaign({ subject, fromEmail: 'ada@example.com' })
  const set = 'mutation ($input: CampaignContentSetInput!) { campaignContentSet(input: $input) { campaign { id } } }'
  await world.run(set, { input: { id: campaign.id, html } })
  return campaign
}

const html = '<p>Hi {{FIRST_NAME:there}}, <a href="https://shop.example/?e={{EMAIL}}">shop</a></p>'

describe('a test message', () => {
  it('is sent immediately, without tracking', async () => {
    const { world, sink } = await newMailWorld()
    const campaign = await campaignOf(world, html)
    const { campaignTest } = await world.run(CampaignTest, { input: { id: campaign.id, email: 'me@example.com' } })
    expect(campaignTest).toMatchObject({
      campaign: { id: campaign.id, status: 'DRAFT' },
      answer: expect.stringMatching(/^250/),
    })
    const mail = await simpleParser(sink.taken[0]?.raw ?? '', { skipTextToHtml: true })
    expect(mail.subject).toBe('[Test] News for Ada')
    expect(mail.html).toContain('Hi Ada, <a href="https://shop.example/?e=me%40example.com">')
    expect(mail.html).not.toContain('/t/')
    const unsubscribe = /<(http[^>]+)>/.exec(sink.taken[0]?.raw.match(/^List-Unsubscribe: .*$/m)?.[0] ?? '')?.[1] ?? ''
    expect((await fetch(unsubscribe, { method: 'POST', body: 'List-Unsubscribe=One-Click' })).status).toBe(200)
    const { campaigns } = await world.run('{ campaigns { nodes { sentTo stats { sent } } } }')
    expect(campaigns.nodes).toEqual([{ sentTo: 0, stats: { sent: 0 } }])
    expect(await world.announced('contact.unsubscribed')).toEqual([])
  })

  it('is rendered for the given contact', async () => {
    const { world, sink } = await newMailWorld()
    const bob = await world.contact({ firstName: 'Bob', email: 'bob@example.com' })
    const campaign = await campaignOf(world, html)
    await world.run(CampaignTest, { input: { id: campaign.id, email: 'me@example.com', contactId: bob.id } })
    expect(sink.taken[0]?.to).toBe('me@example.com')
    const mail = await simpleParser(sink.taken[0]?.raw ?? '')
    expect(mail.html).toContain('Hi Bob, <a href="https://shop.example/?e=bob%40example.com">')
    const key = await world.key({ scopes: ['campaigns:write'] })
    const input = { id: campaign.id, email: 'me@example.com', contactId: bob.id }
    expect((await world.fault(CampaignTest, { input }, { key })).extensions.code).toBe('FORBIDDEN')
  })

  it('of a stage is sent in the same way', async () => {
    const { world, sink } = await newMailWorld()
    await world.run('mutation { accountUpdate(input: { senderEmail: "ada@example.com" }) { account { id } } }')
    const sequence = await world.sequence()
    const stage = await world.stage(sequence, { active: true })
    await world.run(StageTest, { input: { id: stage.id, email: 'me@example.com' } })
    expect(sink.taken.map(({ to }) => to)).toEqual(['me@example.com'])
    const action = await world.stage(sequence, { stageType: 'ACTION' })
    const fault = await world.fault(StageTest, { input: { id: action.id, email: 'me@example.com' } })
    expect(fault.extensions.code).toBe('STAGE_NOT_EMAIL')
  })

  it('is sent once per idempotency key', async () => {
    const { world, sink } = await newMailWorld()
    const { id } = await campaignOf(world, html)
    const input = { id, email: 'me@example.com', idempotencyKey: 'one' }
    const first = await world.run(CampaignTest, { input })
    expect(await world.run(CampaignTest, { input })).toEqual(first)
    expect(sink.taken).toHaveLength(1)
  })

  it('is refused if the e-mail is not complete or belongs to another account', async () => {
    const { world, sink } = await newMailWorld()
    const { id } = await campaignOf(world, html)
    const empty = (await world.run('mutation { campaignCreate(input: { name: "x" }) { campaign { id } } }'))
      .campaignCreate.campaign
    const lacking = await world.fault(CampaignTest, { input: { id: empty.id, email: 'me@example.com' } })
    expect(lacking.extensions).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { 'input.id': ['subject', 'fromEmail', 'html'].map((field) => `${field} is not set yet`) },
    })
    await world.run('mutation { suppressionAdd(input: { email: "out@example.com" }) { suppression { id } } }')
    for (const email of ['', 'me', 'me@example.com\0', 'a@b.example, c@d.example', 'OUT@example.com']) {
      expect((await world.fault(CampaignTest, { input: { id, email } })).extensions.code).toBe('VALIDATION_ERROR')
    }
    const other = await world.other()
    const foreign = [
      [other, { id, email: 'me@example.com' }],
      [world, { id, email: 'me@example.com', contactId: (await other.contact()).id }],
      [world, { id: 0, email: 'me@example.com' }],
    ] as const
    for (const [who, input] of foreign)
      expect((await who.fault(CampaignTest, { input })).extensions.code).toBe('NOT_FOUND')
    expect(sink.taken).toEqual([])
  })

  it('returns the reason if the mail server refuses it', async () => {
    const sink = await newSink({ onTo: (to) => (to.startsWith('no') ? '550 5.1.1 no such user' : undefined) })
    const world = await newWorld({ server: await newSender(sink.url) })
    const { id } = await campaignOf(world, html)
    const refused = await world.fault(CampaignTest, { input: { id, email: 'no@example.com' } })
    expect(refused.extensions.code).toBe('VALIDATION_ERROR')
    expect(refused.extensions.details?.['input.email']?.[0]).toContain('no such user')
    expect(await world.run('{ suppressions { totalCount } }')).toEqual({ suppressions: { totalCount: 0 } })
    const away = await newWorld({ server: await newSender('smtp://127.0.0.1:9') })
    const campaign = await campaignOf(away, html)
    const fault = await away.fault(CampaignTest, { input: { id: campaign.id, email: 'me@example.com' } })
    expect(fault.extensions.code).toBe('SERVER_ERROR')
  })

  it('is limited to 100 per day', async () => {
    const { world, sink } = await newMailWorld()
    const { id } = await campaignOf(world, html)
    const day = new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/Paris' }).format(new Date())
    await world.rows(
      "INSERT INTO quota_usage (account_id, slot, period, used) VALUES ($1, 'test_messages', $2, 98), ($1, 'test_messages', '2020-01-01', 100)",
      [world.accountId, day],
    )
    const responses = await Promise.all(
      Array.from({ length: 4 }, () => world.ask(CampaignTest, { input: { id, email: 'me@example.com' } })),
    )
    const codes = responses.map(({ body }) => body.errors?.[0]?.extensions.code ?? 'sent').sort()
    expect(codes).toEqual(['QUOTA_EXCEEDED', 'QUOTA_EXCEEDED', 'sent', 'sent'])
    expect(sink.taken).toHaveLength(2)
  })
})

describe('a test message to a mail server that hangs', () => {
  it('fails in time at each step, and is sent if the request is repeated', async () => {
    const manners: Manners = {}
    const relay = await newRelay(manners)
    const world = await newWorld({ server: await newServer({ MAIL_URL: relay.url }, { directMailTimeoutMs: 500 }) })
    const { id } = await campaignOf(world, html)
    const steps: [keyof Manners, Act, string][] = [
      ['greeting', silent, 'connection, greeting, login, MAIL FROM'],
      ['mail', trickle, 'connection, greeting, login, MAIL FROM'],
      ['rcpt', silent, 'RCPT TO, DATA'],
      ['data', trickle, 'RCPT TO, DATA'],
    ]
    for (const [place, [step, act, name]] of steps.entries()) {
      manners[step] = () => act
      const input = { id, email: `${step}@example.com` }
      for (const idempotencyKey of [null, step]) {
        const { message, extensions } = await world.fault(CampaignTest, { input: { ...input, idempotencyKey } })
        expect(extensions.code).toBe('SERVER_ERROR')
        expect(message).toBe(`The mail server did not accept the message: no answer within 0.5 s (${name})`)
      }
      await until(() => relay.open() === 0)
      expect(relay.taken).toHaveLength(place)

      delete manners[step]
      const repeated = { input: { ...input, idempotencyKey: step } }
      const { campaignTest } = await world.run(CampaignTest, repeated)
      expect(campaignTest.answer).toBe('250 accepted')
      expect((await world.run(CampaignTest, repeated)).campaignTest.answer).toBe('250 accepted')
      expect(relay.taken.slice(place)).toEqual([input.email])
      // Each attempt counts, also a failure.
      const today = "SELECT used FROM quota_usage WHERE account_id = $1 AND slot = 'test_messages'"
      expect(await world.rows(today, [world.accountId])).toEqual([{ used: 3 * (place + 1) }])
    }
  })

  it.each<[string, Act, string]>([
    ['sends no reply', silent, 'no answer within 0.5 s (after the end of the message)'],
    ['drops the connection', drop, 'Connection closed unexpectedly'],
  ])(
    'is reported as uncertain if it %s after the final dot, and is not sent again with the key',
    async (_, act, reason) => {
      const manners: Manners = { end: () => act }
      const relay = await newRelay(manners)
      const world = await newWorld({ server: await newServer({ MAIL_URL: relay.url }, { directMailTimeoutMs: 500 }) })
      const { id } = await campaignOf(world, html)
      const input = { id, email: 'me@example.com' }
      const keyed = { input: { ...input, idempotencyKey: 'one' } }
      const expected = {
        message: `The mail server did not confirm the message, which may have been delivered: ${reason}`,
        extensions: { code: 'SERVER_ERROR' },
      }
      expect(await world.fault(CampaignTest, { input })).toMatchObject(expected)
      expect(await world.fault(CampaignTest, keyed)).toMatchObject(expected)
      delete manners.end
      expect(await world.fault(CampaignTest, keyed)).toMatchObject(expected)
      expect(relay.asked).toHaveLength(2)
      await world.run(CampaignTest, { input: { ...input, idempotencyKey: 'two' } })
      expect(relay.taken).toEqual([input.email])
    },
  )

  it('does not delay other accounts, whatever number of requests with idempotency keys waits for it', async () => {
    const relay = await newRelay({ greeting: () => silent })
    const requests = 10
    const env = { MAIL_URL: relay.url, MAIL_POOL: String(requests), DATABASE_POOL_SIZE: String(requests) }
    const world = await newWorld({ server: await newServer(env) })
    const other = await world.other()
    const { id } = await campaignOf(world, html)
    const waiting = Array.from({ length: requests }, (_, n) =>
      world.ask(CampaignTest, { input: { id, email: 'me@example.com', idempotencyKey: `key-${n}` } }),
    )
    await until(() => relay.open() === requests)
    // A connection to the database is waited for up to five seconds.
    await other.contact()
    expect(await other.run('{ contacts { totalCount } }')).toEqual({ contacts: { totalCount: 1 } })
    expect(relay.open()).toBe(requests)
    relay.endAll()
    for (const { body } of await Promise.all(waiting)) expect(body.errors[0].extensions.code).toBe('SERVER_ERROR')
  })

  it('is sent once, whatever other processes get a request with the key, also after its process was stopped', async () => {
    let answer: Act = silent
    const slow = await newRelay({ rcpt: () => answer })
    const quick = await newRelay()
    const world = await newWorld({ server: await newSender(slow.url) })
    const second = await newServer({ DATABASE_URL: world.server.databaseUrl, MAIL_URL: quick.url })
    const { id } = await campaignOf(world, html)
    const variables = { input: { id, email: 'me@example.com', idempotencyKey: 'one' } }
    const first = world.ask(CampaignTest, variables)
    await until(() => slow.asked.length === 1)
    const running = await world.fault(CampaignTest, variables, { server: second })
    expect(running.extensions.code).toBe('IDEMPOTENCY_CONFLICT')

    await world.rows(
      "UPDATE idempotency_key SET created_at = created_at - interval '3 minutes' WHERE account_id = $1",
      [world.accountId],
    )
    const interrupted = await world.fault(CampaignTest, variables, { server: second })
    expect(interrupted.extensions).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { 'input.idempotencyKey': [expect.stringContaining('interrupted')] },
    })
    expect(quick.asked).toEqual([])

    answer = undefined
    slow.endAll('421 4.3.2 closing')
    await first
    await world.run(CampaignTest, variables, { server: second })
    expect([...slow.taken, ...quick.taken]).toEqual(['me@example.com'])
  })

  it('is not sent later if no connection was free', async () => {
    let hangs = true
    const relay = await newRelay({ rcpt: (to) => (hangs && to === 'c1@example.com' ? silent : undefined) })
    const env = { ROLES: 'api,worker', MAIL_URL: relay.url, MAIL_POOL: '1' }
    const world = await newWorld({ server: await newServer(env, { directMailTimeoutMs: 500 }) })
    await createSubscribers(world, 1)
    await sendCampaign(world)
    await until(() => relay.asked.length === 1)

    const { id } = await campaignOf(world, html)
    const { message } = await world.fault(CampaignTest, { input: { id, email: 'me@example.com' } })
    expect(message).toBe('The mail server did not accept the message: no connection was free within 0.5 s')
    hangs = false
    await until(() => relay.open() === 0)
    await world.run(CampaignTest, { input: { id, email: 'you@example.com' } })
    expect(relay.asked).toEqual(['c1@example.com', 'you@example.com'])
    expect(relay.taken).toEqual(['you@example.com'])
  })
})

describe('a preview', () => {
  it('renders the e-mail for a contact, or for an example contact', async () => {
    const world = await newWorld()
    const bob = await world.contact({ firstName: 'Bob' })
    const { id } = await campaignOf(world, `${html}<script>alert(1)</script>`)
    const { email } = (await world.run(Preview, { id, contactId: bob.id })).campaign
    expect(email.preview.subject).toBe('News for Bob')
    expect(email.preview.html).toContain('<p>Hi Bob, <a href="https://shop.example/?e=')
    expect(email.preview.html).not.toContain('/t/')
    expect(email.preview.text).toContain('Hi Bob, shop [https://shop.example/?e=')
    expect((await world.run(Preview, { id })).campaign.email.preview.subject).toBe('News for Ada')
    expect(await world.rows('SELECT FROM mail_link WHERE account_id = $1', [world.accountId])).toEqual([])
  })

  it('is null for contacts of other accounts, and needs contacts:read', async () => {
    const world = await newWorld()
    const { id } = await campaignOf(world, html)
    const stranger = await (await world.other()).contact()
    for (const contactId of [stranger.id, stranger.databaseId, 0]) {
      expect((await world.run(Preview, { id, contactId })).campaign.email.preview).toBeNull()
    }
    const own = await world.contact()
    const key = await world.key({ scopes: ['campaigns:read', 'mail:read'] })
    expect((await world.run(Preview, { id }, { key })).campaign.email.preview.subject).toBe('News for Ada')
    const { body } = await world.ask(Preview, { id, contactId: own.id }, { key })
    expect(body.errors[0].extensions.code).toBe('FORBIDDEN')
  })

  it('renders an e-mail that is not complete', async () => {
    const world = await newWorld()
    const { id } = (await world.run('mutation { campaignCreate(input: { name: "x" }) { campaign { id } } }'))
      .campaignCreate.campaign
    expect((await world.run(Preview, { id })).campaign.email.preview.subject).toBe('')
  })
})
