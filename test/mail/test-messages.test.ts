import { simpleParser } from 'mailparser'
import { describe, expect, it } from 'vitest'
import { until } from '../runtime/process.ts'
import { newServer } from '../support/server.ts'
import { newWorld } from '../support/world.ts'
import { newMailWorld } from './reading.ts'
import { drop, type Manners, newRelay, silent } from './relay.ts'
import { newSender } from './sending.ts'
import { newSink } from './sink.ts'
import { CampaignTest, campaignOf, greeting } from './test-message.ts'

const StageTest =
  'mutation ($input: SequenceStageTestInput!) { sequenceStageTest(input: $input) { stage { id } results { email } } }'

describe('a test message', () => {
  it('is sent immediately, without tracking', async () => {
    const { world, sink } = await newMailWorld()
    const campaign = await campaignOf(world, greeting)
    const { campaignTest } = await world.run(CampaignTest, { input: { id: campaign.id, emails: ['me@example.com'] } })
    expect(campaignTest).toMatchObject({
      campaign: { id: campaign.id, status: 'DRAFT' },
      results: [{ email: 'me@example.com', state: 'SENT', answer: expect.stringMatching(/^250/), error: null }],
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
    const campaign = await campaignOf(world, greeting)
    await world.run(CampaignTest, { input: { id: campaign.id, emails: ['me@example.com'], contactId: bob.id } })
    expect(sink.taken[0]?.to).toBe('me@example.com')
    const mail = await simpleParser(sink.taken[0]?.raw ?? '')
    expect(mail.html).toContain('Hi Bob, <a href="https://shop.example/?e=bob%40example.com">')
    const key = await world.key({ scopes: ['campaigns:write'] })
    const input = { id: campaign.id, emails: ['me@example.com'], contactId: bob.id }
    expect((await world.fault(CampaignTest, { input }, { key })).extensions.code).toBe('FORBIDDEN')
  })

  it('of a stage is sent in the same way', async () => {
    const { world, sink } = await newMailWorld()
    await world.run('mutation { accountUpdate(input: { senderEmail: "ada@example.com" }) { account { id } } }')
    const sequence = await world.sequence()
    const stage = await world.stage(sequence, { active: true })
    await world.run(StageTest, { input: { id: stage.id, emails: ['me@example.com'] } })
    expect(sink.taken.map(({ to }) => to)).toEqual(['me@example.com'])
    const action = await world.stage(sequence, { stageType: 'ACTION' })
    const fault = await world.fault(StageTest, { input: { id: action.id, emails: ['me@example.com'] } })
    expect(fault.extensions.code).toBe('STAGE_NOT_EMAIL')
  })

  it('is sent once per idempotency key', async () => {
    const { world, sink } = await newMailWorld()
    const { id } = await campaignOf(world, greeting)
    const input = { id, emails: ['me@example.com'], idempotencyKey: 'one' }
    const first = await world.run(CampaignTest, { input })
    expect(await world.run(CampaignTest, { input })).toEqual(first)
    expect(sink.taken).toHaveLength(1)
  })

  it('is refused if the e-mail is not complete or belongs to another account', async () => {
    const { world, sink } = await newMailWorld()
    const { id } = await campaignOf(world, greeting)
    const empty = (await world.run('mutation { campaignCreate(input: { name: "x" }) { campaign { id } } }'))
      .campaignCreate.campaign
    const lacking = await world.fault(CampaignTest, { input: { id: empty.id, emails: ['me@example.com'] } })
    expect(lacking.extensions).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { 'input.id': ['subject', 'fromEmail', 'html'].map((field) => `${field} is not set yet`) },
    })
    await world.run('mutation { suppressionAdd(input: { email: "out@example.com" }) { suppression { id } } }')
    for (const email of ['', 'me', 'me@example.com\0', 'a@b.example, c@d.example', 'OUT@example.com']) {
      expect((await world.fault(CampaignTest, { input: { id, emails: [email] } })).extensions.code).toBe(
        'VALIDATION_ERROR',
      )
    }
    const other = await world.other()
    const foreign = [
      [other, { id, emails: ['me@example.com'] }],
      [world, { id, emails: ['me@example.com'], contactId: (await other.contact()).id }],
      [world, { id: 0, emails: ['me@example.com'] }],
    ] as const
    for (const [who, input] of foreign)
      expect((await who.fault(CampaignTest, { input })).extensions.code).toBe('NOT_FOUND')
    expect(sink.taken).toEqual([])
  })

  it('returns the reason if the mail server refuses it', async () => {
    const sink = await newSink({ onTo: (to) => (to.startsWith('no') ? '550 5.1.1 no such user' : undefined) })
    const world = await newWorld({ server: await newSender(sink.url) })
    const { id } = await campaignOf(world, greeting)
    const refused = await world.fault(CampaignTest, { input: { id, emails: ['no@example.com'] } })
    expect(refused.extensions.code).toBe('VALIDATION_ERROR')
    expect(refused.extensions.details?.['input.emails.0']?.[0]).toContain('no such user')
    expect(await world.run('{ suppressions { totalCount } }')).toEqual({ suppressions: { totalCount: 0 } })
    const away = await newWorld({ server: await newSender('smtp://127.0.0.1:9') })
    const campaign = await campaignOf(away, greeting)
    const fault = await away.fault(CampaignTest, { input: { id: campaign.id, emails: ['me@example.com'] } })
    expect(fault.extensions.code).toBe('SERVER_ERROR')
  })

  it('is limited to 100 per day', async () => {
    const { world, sink } = await newMailWorld()
    const { id } = await campaignOf(world, greeting)
    const day = new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/Paris' }).format(new Date())
    await world.rows(
      "INSERT INTO quota_usage (account_id, slot, period, used) VALUES ($1, 'test_messages', $2, 98), ($1, 'test_messages', '2020-01-01', 100)",
      [world.accountId, day],
    )
    const responses = await Promise.all(
      Array.from({ length: 4 }, () => world.ask(CampaignTest, { input: { id, emails: ['me@example.com'] } })),
    )
    const codes = responses.map(({ body }) => body.errors?.[0]?.extensions.code ?? 'sent').sort()
    expect(codes).toEqual(['QUOTA_EXCEEDED', 'QUOTA_EXCEEDED', 'sent', 'sent'])
    expect(sink.taken).toHaveLength(2)
  })
})

describe('a test to several addresses', () => {
  const used = "SELECT used FROM quota_usage WHERE account_id = $1 AND slot = 'test_messages'"

  it('is a message to each, with the data of one contact, or with the address of each', async () => {
    const { world, sink } = await newMailWorld()
    const { id } = await campaignOf(world, greeting)
    const emails = ['me@example.com', 'you@example.com']
    const { campaignTest } = await world.run(CampaignTest, { input: { id, emails: [' me@example.com ', emails[1]] } })
    expect(campaignTest.results).toEqual(
      emails.map((email) => ({ email, state: 'SENT', answer: expect.stringMatching(/^250/), error: null })),
    )
    const shown = async () => {
      const messages = sink.taken.splice(0).map(async ({ to, raw }) => {
        const mail = await simpleParser(raw)
        return [to, [mail.to].flat().map((each) => each?.text), /\?e=([^"]+)/.exec(String(mail.html))?.[1]]
      })
      return (await Promise.all(messages)).sort()
    }
    expect(await shown()).toEqual(emails.map((email) => [email, [email], email.replace('@', '%40')]))
    const bob = await world.contact({ firstName: 'Bob', email: 'bob@example.com' })
    await world.run(CampaignTest, { input: { id, emails, contactId: bob.id } })
    expect(await shown()).toEqual(emails.map((email) => [email, [email], 'bob%40example.com']))
    expect(await world.rows(used, [world.accountId])).toEqual([{ used: 4 }])
  })

  it('is sent to none if one of them cannot get it', async () => {
    const { world, sink } = await newMailWorld()
    const { id } = await campaignOf(world, greeting)
    for (const email of ['out@example.com', 'off@example.com'])
      await world.run(
        'mutation ($email: String!) { suppressionAdd(input: { email: $email }) { suppression { id } } }',
        { email },
      )
    const many = Array.from({ length: 6 }, (_, n) => `a${n}@example.com`)
    const repeated = ['must not be the same address as another one']
    const refused: [string[], Record<string, string[]>][] = [
      [[], { 'input.emails': ['must contain at least one address'] }],
      [many, { 'input.emails': ['must contain at most 5 addresses'] }],
      [
        ['me@example.com', 'you', ''],
        { 'input.emails.1': [expect.any(String)], 'input.emails.2': [expect.any(String)] },
      ],
      [['me@example.com', 'you@example.com', 'ME@Example.com '], { 'input.emails.2': repeated }],
      [['me@bücher.example', 'me@xn--bcher-kva.example'], { 'input.emails.1': repeated }],
      [
        ['OUT@example.com', 'me@example.com', 'off@example.com'],
        { 'input.emails.0': ['is suppressed'], 'input.emails.2': ['is suppressed'] },
      ],
    ]
    for (const [emails, details] of refused)
      expect((await world.fault(CampaignTest, { input: { id, emails } })).extensions).toMatchObject({
        code: 'VALIDATION_ERROR',
        details,
      })
    expect(await world.rows(used, [world.accountId])).toEqual([])
    await world.run(CampaignTest, { input: { id, emails: ['me@example.com'] } })
    await world.rows("UPDATE quota_usage SET used = 96 WHERE account_id = $1 AND slot = 'test_messages'", [
      world.accountId,
    ])
    const exceeded = await world.fault(CampaignTest, { input: { id, emails: many.slice(1) } })
    expect(exceeded.extensions.code).toBe('QUOTA_EXCEEDED')
    expect(sink.taken).toHaveLength(1)
    await world.run(CampaignTest, { input: { id, emails: many.slice(2) } })
    expect(await world.rows(used, [world.accountId])).toEqual([{ used: 100 }])
  })

  it('returns what became of each, and is not sent again with the key', async () => {
    const manners: Manners = {
      rcpt: (to) => ({ n: '550 5.1.1 no such user', l: '450 4.2.0 later' })[to[0] as string],
      end: (to) => (to.startsWith('d') ? drop : undefined),
    }
    const relay = await newRelay(manners)
    const world = await newWorld({ server: await newSender(relay.url) })
    const { id } = await campaignOf(world, greeting)
    const emails = ['no@example.com', 'me@example.com', 'later@example.com', 'doubt@example.com']
    const variables = { input: { id, emails, idempotencyKey: 'one' } }
    const { campaignTest } = await world.run(CampaignTest, variables)
    const nothing = { answer: null }
    expect(campaignTest.results).toEqual([
      {
        ...{ email: emails[0], state: 'REFUSED', ...nothing },
        error: 'The mail server refused the message: 550 5.1.1 no such user',
      },
      { email: emails[1], state: 'SENT', answer: '250 accepted', error: null },
      {
        ...{ email: emails[2], state: 'FAILED', ...nothing },
        error: 'The mail server did not accept the message: 450 4.2.0 later',
      },
      {
        ...{ email: emails[3], state: 'UNKNOWN', ...nothing },
        error: expect.stringMatching(/^The mail server did not confirm the message, which may have been delivered: /),
      },
    ])
    const asked = relay.asked.length
    manners.rcpt = () => undefined
    expect((await world.run(CampaignTest, variables)).campaignTest).toEqual(campaignTest)
    expect(relay.asked).toHaveLength(asked)
    expect(relay.taken).toEqual([emails[1]])
  })

  it('fails if the mail server accepts none of the messages', async () => {
    const manners: Manners = {}
    const relay = await newRelay(manners)
    const world = await newWorld({ server: await newSender(relay.url) })
    const { id } = await campaignOf(world, greeting)
    const input = { id, emails: ['me@example.com', 'you@example.com'], idempotencyKey: 'one' }
    manners.rcpt = () => '550 5.1.1 no such user'
    expect((await world.fault(CampaignTest, { input })).extensions).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: {
        'input.emails.0': ['was refused: 550 5.1.1 no such user'],
        'input.emails.1': ['was refused: 550 5.1.1 no such user'],
      },
    })
    manners.rcpt = () => '450 4.2.0 later'
    expect(await world.fault(CampaignTest, { input })).toMatchObject({
      message: 'The mail server did not accept the message: 450 4.2.0 later',
      extensions: { code: 'SERVER_ERROR' },
    })
    manners.rcpt = (to) => (to.startsWith('me') ? '550 5.1.1 no such user' : undefined)
    manners.end = () => drop
    const uncertain = await world.fault(CampaignTest, { input })
    expect(uncertain).toMatchObject({ extensions: { code: 'SERVER_ERROR' } })
    expect(uncertain.message).toMatch(
      /^me@example.com: The mail server refused the message: .*; you@example.com: The mail server did not confirm/,
    )
    // A message may have been delivered, so nothing is sent again with the key.
    manners.rcpt = manners.end = () => undefined
    expect(await world.fault(CampaignTest, { input })).toMatchObject({ message: uncertain.message })
    expect(relay.taken).toEqual([])
    await world.run(CampaignTest, { input: { ...input, idempotencyKey: 'two' } })
    expect(relay.taken.toSorted()).toEqual(input.emails)
  })

  it('waits for several replies at the same time', async () => {
    const relay = await newRelay({ rcpt: () => silent })
    const world = await newWorld({ server: await newServer({ MAIL_URL: relay.url }, { directMailTimeoutMs: 300_000 }) })
    const { id } = await campaignOf(world, greeting)
    const emails = Array.from({ length: 5 }, (_, n) => `a${n}@example.com`)
    const sending = world.fault(CampaignTest, { input: { id, emails } })
    // No reply comes before all five are asked for.
    await until(() => relay.asked.length === 5)
    relay.endAll()
    expect((await sending).extensions.code).toBe('SERVER_ERROR')
  })
})
