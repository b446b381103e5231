import { beforeAll, describe, expect, it } from 'vitest'
import { newServer, type Server } from '../support/server.ts'
import { newWorld } from '../support/world.ts'
import { report, type Sent, sentMessage } from './reporting.ts'
import { message } from './support.ts'

const key = 'a-key-of-sixteen-characters'
const proof = { authorization: `Bearer ${key}` }

let server: Server
beforeAll(async () => {
  server = await newServer({ BOUNCES_GENERIC_KEY: key })
})

/** Reports a soft bounce of the last message to the contact, and dates it and those before `days` days back. */
async function soften({ world, contact }: Sent, { days = 0, detail = '452 4.2.2 mailbox full' } = {}): Promise<void> {
  await report(world, 'generic', { type: 'soft_bounce', email: contact.email, detail }, proof)
  await world.rows(
    'UPDATE failing_address SET first_failed_at = first_failed_at - make_interval(days => $2::int) WHERE account_id = $1',
    [world.accountId, days],
  )
}

const next = ({ world, contact }: Sent) => message(world, contact, {})
const suppressed = async ({ world }: Sent) =>
  (await world.run('{ suppressions { nodes { email reason cause detail } } }', {})).suppressions.nodes
const start = async () => {
  const world = await newWorld({ server })
  return sentMessage({ world, email: `soft-${world.accountId}@bounces.example` })
}

describe('soft bounces in a row', () => {
  it('suppress the address when 5 failed over 14 days, and a report counts once', async () => {
    const sent = await start()
    await soften(sent)
    for (const days of [0, 0, 15]) {
      await next(sent)
      await soften(sent, { days })
      await soften(sent)
    }
    expect(await suppressed(sent)).toEqual([])
    await next(sent)
    await soften(sent)
    const detail = '5 failures in a row: 452 4.2.2 mailbox full'
    expect(await suppressed(sent)).toEqual([
      { email: sent.contact.email, reason: 'BOUNCE', cause: 'MAILBOX_FULL', detail },
    ])
    expect((await sent.world.announced('email.bounced')).length).toBe(1)
  })

  it('do not suppress within 14 days, nor with a delivery or an open in between', async () => {
    const soon = await start()
    for (const _each of Array(7)) {
      await soften(soon)
      await next(soon)
    }
    expect(await suppressed(soon)).toEqual([])
    const delivered = await start()
    for (const index of Array(7).keys()) {
      await soften(delivered, { days: 10 })
      await next(delivered)
      if (index === 3) await next(delivered)
    }
    expect(await suppressed(delivered)).toEqual([])
    const opened = await start()
    for (const index of Array(7).keys()) {
      await soften(opened, { days: 10 })
      if (index === 3)
        await opened.world.rows(
          "UPDATE mail_recipient SET opened_at = now() + interval '1 second' WHERE account_id = $1",
          [opened.world.accountId],
        )
      await next(opened)
    }
    expect(await suppressed(opened)).toEqual([])
  })

  it('follow the numbers of the account, and 0 never suppresses', async () => {
    const update = (sent: Sent, limit: number) =>
      sent.world.run(
        'mutation ($n: Int!) { accountUpdate(input: { softBounceLimit: $n, softBounceDays: 0 }) { account { softBounceLimit softBounceDays } } }',
        { n: limit },
      )
    const strict = await start()
    expect((await update(strict, 2)).accountUpdate.account).toEqual({ softBounceLimit: 2, softBounceDays: 0 })
    const never = await start()
    await update(never, 0)
    for (const sent of [strict, never])
      for (const _each of Array(3)) {
        await soften(sent)
        await next(sent)
      }
    expect((await suppressed(strict)).length).toBe(1)
    expect(await suppressed(never)).toEqual([])
    const refusal = await strict.world.fault(
      'mutation { accountUpdate(input: { softBounceLimit: 101 }) { account { id } } }',
      {},
    )
    expect(JSON.stringify(refusal)).toContain('must be from 0 to 100')
  })

  it('do not count a fault of the sender, and suppressionRemove begins anew', async () => {
    const sent = await start()
    await sent.world.run(
      'mutation { accountUpdate(input: { softBounceLimit: 2, softBounceDays: 0 }) { account { id } } }',
      {},
    )
    for (const _each of Array(4)) {
      await soften(sent, { detail: '554 blocked using bl.example' })
      await next(sent)
    }
    expect(await suppressed(sent)).toEqual([])
    for (const _each of Array(2)) {
      await soften(sent)
      await next(sent)
    }
    expect((await suppressed(sent)).length).toBe(1)
    await sent.world.run('mutation ($email: String!) { suppressionRemove(input: { email: $email }) { email } }', {
      email: sent.contact.email,
    })
    await soften(sent)
    expect(await suppressed(sent)).toEqual([])
  })
})
