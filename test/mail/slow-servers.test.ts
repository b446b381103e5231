import { describe, expect, it, onTestFinished } from 'vitest'
import type { Clock } from '../../src/kernel/clock.ts'
import { newSigner } from '../../src/kernel/signer.ts'
import { newMailServers, smtpTransport, startDelivery } from '../../src/mail/index.ts'
import { until } from '../runtime/process.ts'
import { newServer } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'
import { drop, type Manners, newRelay, silent } from './relay.ts'
import { countStates, createSubscribers, newSender, readCampaign, sendCampaign, waitForStatus } from './sending.ts'

const isBad = (address: string) => address.startsWith('bad')

/** Creates contacts whose RCPT TO gets no reply: `bad1@<domain>`, or each with a domain of its own. */
async function badOnes(world: World, n: number, domain?: string): Promise<void> {
  await world.rows(
    `INSERT INTO contact (account_id, email, email_marketing, created_at, updated_at)
     SELECT $1, 'bad' || i || '@' || coalesce($3, 'd' || i || '.example'), true, now(), now() FROM generate_series(1, $2::int) AS i`,
    [world.accountId, n, domain ?? null],
  )
}

/** Returns the n messages to these contacts, each as it is after its first attempt. The second follows a minute later. */
async function firstFailures(world: World, n: number) {
  const failures = new Map<number, { state: string; answer: string; seconds: number }>()
  await until(async () => {
    const rows = await world.rows<{ id: number; state: string; answer: string; seconds: number }>(
      `SELECT c.id, r.state::text, r.answer, extract(epoch FROM r.due_at - now())::float AS seconds
       FROM mail_recipient r JOIN contact c ON c.account_id = r.account_id AND c.id = r.contact_id
       WHERE r.account_id = $1 AND c.email LIKE 'bad%' AND r.attempts = 1`,
      [world.accountId],
    )
    for (const { id, ...row } of rows) if (!failures.has(id)) failures.set(id, row)
    return failures.size === n
  })
  return failures.values()
}

describe('recipients whose RCPT TO gets no reply', () => {
  it.each([
    ['in the domain of all others', 'example.com'],
    ['in one domain of their own', 'slow.example'],
    ['in a domain each', undefined],
  ])('%s delay other recipients only by seconds, and are retried', { timeout: 150_000 }, async (_, domain) => {
    const relay = await newRelay({ rcpt: (address) => (isBad(address) ? silent : undefined) })
    const world = await newWorld({ server: await newSender(relay.url) })
    const other = await world.other()
    await badOnes(world, 20, domain)
    await createSubscribers(world, 500)
    await createSubscribers(other, 500)
    const { databaseId } = await sendCampaign(world)
    const startedAt = performance.now()
    const failures = firstFailures(world, 20)
    const theirs = await sendCampaign(other)
    await waitForStatus(other, theirs.id, 'SENT')
    const otherTook = performance.now() - startedAt
    await until(async () => (await countStates(world, databaseId))['SENT'] === 500)
    const took = performance.now() - startedAt
    for (const { state, answer, seconds } of await failures) {
      expect(state).toBe('QUEUED')
      expect(answer).toMatch(/^no answer within 3 s \(RCPT TO, DATA\)$|^suspended: .* slow\.example$/)
      expect(seconds).toBeGreaterThan(0)
    }
    expect(relay.taken).toHaveLength(1_000)
    expect(relay.most()).toBeLessThanOrEqual(5)
    // Without any limit it is more than six minutes.
    expect(Math.max(otherTook, took)).toBeLessThan(60_000)
  })
})

describe('a relay that fails before MAIL FROM is accepted', () => {
  /** One way to fail after another. */
  const failures: Manners[] = [
    { greeting: () => drop },
    { greeting: () => '421 4.3.2 not now' },
    { greeting: () => silent },
    { ehlo: () => drop },
    { ehlo: () => silent },
    { starttls: () => '454 4.7.0 no TLS' },
    { starttls: () => drop },
    { mail: () => drop },
    { mail: () => '451 4.3.0 later' },
    { mail: () => '421 4.3.2 closing' },
    { mail: () => silent },
  ]

  it('for a day costs no attempt, and everything is sent when it is back', { timeout: 120_000 }, async () => {
    const world = await newWorld({ server: await newServer() })
    await createSubscribers(world, 12)
    const { id, databaseId } = await sendCampaign(world)
    const manners: Manners = {}
    const relay = await newRelay(manners)
    const { system } = world.server
    let time = Date.now()
    const clock: Clock = { now: () => new Date(time) }
    const created = {
      ...system,
      clock,
      signer: newSigner('a secret that only tests know'),
      baseUrl: () => world.server.url,
    }
    const transport = smtpTransport(`${relay.url}?socketTimeout=200&greetingTimeout=200`, 3)
    const servers = newMailServers([transport], 3, system.log, { firstMs: 5, maxMs: 20 })
    let tried = 0
    const counted = {
      ...servers,
      send: (...args: Parameters<typeof servers.send>) =>
        servers.send(...args).finally(() => {
          tried += 1
        }),
    }
    const delivery = await startDelivery({ system: created, db: created.db, servers: counted, rates: {} })
    onTestFinished(() => delivery.stop())

    for (let hour = 0; hour < 23; hour += 1) {
      for (const step of ['greeting', 'ehlo', 'starttls', 'mail'] as const) delete manners[step]
      Object.assign(manners, failures[hour % failures.length])
      const before = tried
      await until(() => {
        time += 6_000
        delivery.wake()
        return tried >= before + 4
      })
      time += 3_600_000 - 60_000
    }
    expect(relay.asked).toEqual([])
    expect(await readCampaign(world, id)).toMatchObject({ status: 'SENDING', sentTo: 0 })
    const rows = await world.rows<{ attempts: number }>('SELECT attempts FROM mail_recipient WHERE campaign_id = $1', [
      databaseId,
    ])
    expect(rows.map(({ attempts }) => attempts)).toEqual(Array(12).fill(0))

    for (const step of ['greeting', 'ehlo', 'starttls', 'mail'] as const) delete manners[step]
    await until(async () => {
      time += 6_000
      delivery.wake()
      return (await readCampaign(world, id)).status === 'SENT'
    })
    expect(await countStates(world, databaseId)).toEqual({ SENT: 12 })
  })
})

describe('a relay that breaks the connection', () => {
  it('within the content is not ambiguous: everything is retried and sent once', async () => {
    let isIll = true
    const relay = await newRelay({ content: () => (isIll ? drop : undefined) })
    const world = await newWorld({ server: await newSender(relay.url) })
    await createSubscribers(world, 15)
    const { id, databaseId } = await sendCampaign(world)
    await until(async () => {
      const rows = await world.rows<{ attempts: number }>(
        'SELECT attempts FROM mail_recipient WHERE campaign_id = $1',
        [databaseId],
      )
      return rows.every(({ attempts }) => attempts >= 1)
    })
    expect(await countStates(world, databaseId)).toEqual({ QUEUED: 15 })
    isIll = false
    await world.rows('UPDATE mail_recipient SET due_at = now() WHERE campaign_id = $1', [databaseId])
    await world.rows('UPDATE mail_source SET due_at = now() WHERE account_id = $1', [world.accountId])
    expect(await waitForStatus(world, id, 'SENT')).toMatchObject({ sentTo: 15 })
    expect(relay.taken).toHaveLength(15)
  })
})
