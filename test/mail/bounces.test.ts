import { beforeAll, describe, expect, it } from 'vitest'
import { newServer, type Server } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'
import { aftermath, report, sentMessage, untouched } from './reporting.ts'

const key = 'a-key-of-sixteen-characters'
const proof = { authorization: `Bearer ${key}` }

let server: Server
beforeAll(async () => {
  server = await newServer({ BOUNCES_GENERIC_KEY: key })
})
const newAccount = (): Promise<World> => newWorld({ server })

describe('a hard bounce', () => {
  it('sets the message to BOUNCED, suppresses the address and emits one event, also when it is repeated', async () => {
    const sent = await sentMessage({ world: await newAccount(), email: 'Bob@example.com' })
    const bounce = {
      type: 'bounce',
      message_id: sent.messageId,
      email: 'bob@EXAMPLE.com',
      detail: '550 no\r\n such user\0',
    }
    const responses = await Promise.all(Array.from({ length: 5 }, () => report(sent.world, 'generic', bounce, proof)))
    expect(responses).toEqual(Array(5).fill({ status: 200, body: { received: 1, known: 1 } }))
    expect(await aftermath(sent)).toEqual({
      states: ['BOUNCED'],
      agreed: true,
      suppressed: [{ email: 'Bob@example.com', reason: 'BOUNCE', detail: '550 no such user' }],
      announced: ['email.bounced'],
    })
    expect(await sent.world.announced('email.bounced')).toMatchObject([
      { data: { contactId: sent.contact.databaseId, campaignId: 7, stageId: null, cause: 'ADDRESS_UNKNOWN' } },
    ])
    const answer = await sent.world.rows('SELECT answer FROM mail_recipient WHERE id = $1', [sent.recipientId])
    expect(answer).toEqual([{ answer: '550 no such user' }])
  })

  it('is assigned by address if only one account sent to it lately', async () => {
    const sent = await sentMessage({ world: await newAccount(), email: 'only@bounces.example' })
    await report(sent.world, 'generic', { type: 'bounce', email: 'ONLY@bounces.example' }, proof)
    expect((await aftermath(sent)).states).toEqual(['BOUNCED'])
  })

  it('is assigned by any spelling of the address, which is suppressed for the contact', async () => {
    const sent = await sentMessage({ world: await newAccount(), email: 'only@bücher.example' })
    const email = 'Only@xn--bcher-kva.example'
    await report(sent.world, 'generic', { type: 'bounce', email }, proof)
    expect(await aftermath(sent)).toMatchObject({
      states: ['BOUNCED'],
      suppressed: [{ email: 'only@bücher.example', reason: 'BOUNCE' }],
    })
    const suppression = await sent.world.fault(
      'mutation { suppressionRemove(input: { email: "nobody@bücher.example" }) { email } }',
    )
    expect(suppression.extensions.code).toBe('NOT_FOUND')
    await sent.world.run('mutation { suppressionRemove(input: { email: "only@bücher.example" }) { email } }')
    expect((await aftermath(sent)).suppressed).toEqual([])
  })

  it('is ignored if several accounts sent to the address, or none lately', async () => {
    const email = 'shared@bounces.example'
    const one = await sentMessage({ world: await newAccount(), email })
    const other = await sentMessage({ world: await newAccount(), email })
    const old = await sentMessage({ world: await newAccount(), email: 'old@bounces.example' })
    await old.world.rows("UPDATE mail_recipient SET sent_at = now() - interval '8 days' WHERE id = $1", [
      old.recipientId,
    ])
    const answer = await report(
      one.world,
      'generic',
      [email, 'old@bounces.example', 'nobody@bounces.example', '', 'no address'].map((each) => ({
        type: 'bounce',
        email: each,
      })),
      proof,
    )
    expect(answer).toEqual({ status: 200, body: { received: 5, known: 0 } })
    for (const each of [one, other, old]) expect(await aftermath(each)).toEqual(untouched)
  })

  it('with a message token does not affect other accounts', async () => {
    const email = 'both@bounces.example'
    const one = await sentMessage({ world: await newAccount(), email })
    const other = await sentMessage({ world: await newAccount(), email })
    await report(one.world, 'generic', { type: 'bounce', message_id: one.messageId, email }, proof)
    expect((await aftermath(one)).states).toEqual(['BOUNCED'])
    expect(await aftermath(other)).toEqual(untouched)
  })

  it('does not change the state of a message that a worker has claimed', async () => {
    const sent = await sentMessage({ world: await newAccount(), state: 'SENDING', sent: false })
    for (const _time of [1, 2])
      await report(sent.world, 'generic', { type: 'bounce', message_id: sent.messageId }, proof)
    expect(await aftermath(sent)).toMatchObject({
      states: ['SENDING'],
      suppressed: [{ email: sent.contact.email, reason: 'BOUNCE' }],
      announced: ['email.bounced'],
    })
  })

  it('suppresses the address of the message if it was forwarded to another', async () => {
    const sent = await sentMessage({ world: await newAccount(), email: 'alias@bounces.example' })
    const bounce = { type: 'bounce', message_id: sent.messageId, email: 'real@elsewhere.example' }
    await report(sent.world, 'generic', bounce, proof)
    expect((await aftermath(sent)).suppressed).toMatchObject([{ email: 'alias@bounces.example' }])
  })
})

describe('a soft bounce', () => {
  it('is stored with its message and changes nothing else', async () => {
    const sent = await sentMessage({ world: await newAccount() })
    const soft = { type: 'soft_bounce', message_id: sent.messageId, detail: 'mailbox full' }
    await report(sent.world, 'generic', soft, proof)
    expect(await aftermath(sent)).toEqual(untouched)
    expect(await sent.world.rows('SELECT answer FROM mail_recipient WHERE id = $1', [sent.recipientId])).toEqual([
      { answer: 'mailbox full' },
    ])
  })
})

describe('a complaint', () => {
  it('suppresses the address, unsubscribes the contact and emits one event', async () => {
    const sent = await sentMessage({ world: await newAccount() })
    const complaint = { type: 'complaint', message_id: sent.messageId, detail: 'abuse' }
    await report(sent.world, 'generic', { ...complaint, type: 'bounce' }, proof)
    await Promise.all([1, 2, 3].map(() => report(sent.world, 'generic', complaint, proof)))
    expect(await aftermath(sent)).toEqual({
      states: ['BOUNCED'],
      agreed: false,
      suppressed: [{ email: sent.contact.email, reason: 'COMPLAINT', detail: 'abuse' }],
      announced: ['email.bounced', 'contact.unsubscribed', 'email.complained'],
    })
    const consents = await sent.world.rows(
      'SELECT source, text FROM contact_consent WHERE account_id = $1 AND NOT granted',
      [sent.world.accountId],
    )
    expect(consents).toEqual([{ source: 'complaint', text: 'abuse' }])
  })
})

describe('POST /hooks/bounces/<provider>', () => {
  it('returns 401 without valid credentials and 404 for providers that are not configured', async () => {
    const sent = await sentMessage({ world: await newAccount() })
    const bounce = { type: 'bounce', message_id: sent.messageId }
    for (const headers of [
      {},
      { authorization: key },
      { authorization: 'Bearer ' },
      { authorization: `Bearer ${key}x` },
    ]) {
      expect((await report(sent.world, 'generic', bounce, headers as never)).status).toBe(401)
    }
    for (const provider of ['postmark', 'ses', 'dsn', 'constructor', 'x'.repeat(500)]) {
      expect((await report(sent.world, provider, bounce, proof)).status).toBe(404)
    }
    expect(await aftermath(sent)).toEqual(untouched)
  })

  it('returns 400, 405 or 413 for requests that cannot be read, and never 500', async () => {
    const world = await newAccount()
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
    for (const body of [
      '',
      '{',
      'null',
      '7',
      '"x"',
      '[7]',
      '{"type":"bounced"}',
      deep,
      '{"type":"bounce","type":1}',
      '\0',
    ]) {
      expect((await report(world, 'generic', body, proof)).status, body.slice(0, 20)).toBe(400)
    }
    expect((await report(world, 'generic', 'x'.repeat(2_100_000), proof)).status).toBe(413)
    const odd = { type: 'bounce', email: { a: 1 }, message_id: 7, detail: ['\ud800'] }
    expect((await report(world, 'generic', odd, proof)).body).toEqual({ received: 1, known: 0 })
    expect((await fetch(`${world.server.url}/hooks/bounces/generic`)).status).toBe(405)
    expect(server.errors).toEqual([])
  })

  it('ignores message tokens without a valid signature', async () => {
    const sent = await sentMessage({ world: await newAccount() })
    const { messageId } = sent
    for (const forged of [
      messageId.replace(/[0-9a-f]{4}@/, '0000@'),
      messageId.replace(/^<[0-9a-z]+/, '<1'),
      '<1.1@x>',
    ]) {
      if (forged === messageId) continue
      const answer = await report(sent.world, 'generic', { type: 'bounce', message_id: forged }, proof)
      expect(answer.body).toEqual({ received: 1, known: 0 })
    }
    expect(await aftermath(sent)).toEqual(untouched)
  })
})
