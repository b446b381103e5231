import { describe, expect, it, onTestFinished } from 'vitest'
import type { Clock } from '../../src/kernel/clock.ts'
import { newSigner } from '../../src/kernel/web/signer.ts'
import { newMailServers, smtpTransport, startDelivery } from '../../src/mail/index.ts'
import { until } from '../runtime/process.ts'
import { newServer } from '../support/server.ts'
import { newWorld } from '../support/world.ts'
import { drop, type Manners, newRelay, silent } from './relay.ts'
import { countStates, createSubscribers, newSender, readCampaign, sendCampaign, waitForStatus } from './sending.ts'
import { delayOnlyBriefly } from './slow-recipients.ts'

describe('recipients whose RCPT TO gets no reply', () => {
  it('in a domain of their own delay other recipients only by seconds, and are retried', () =>
    delayOnlyBriefly({ bad: 6, others: 60, domain: 'slow.example' }))
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
