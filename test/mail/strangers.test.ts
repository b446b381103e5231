import { describe, expect, it } from 'vitest'
import { recordedPerMinute } from '../../src/mail/tracking/reaction-queue.ts'
import { until } from '../runtime/process.ts'
import { newBlocker } from '../support/blocker.ts'
import { createSubscriber, newMailWorld, oneClickUrl, ownUrls, type Received } from './reading.ts'

const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Thunderbird/140.0' }
const get = (url: string) => fetch(url, { redirect: 'manual', headers })

/** Sends a message with two links, and returns its URLs. */
async function delivered() {
  const { world, send } = await newMailWorld({ DATABASE_POOL_SIZE: '5' })
  await createSubscriber(world)
  const links = [1, 2].map((n) => `<a href="https://shop.example/${n}">Shop</a>`).join('')
  const [letter] = (await send({ html: `<p>Hello ${links}</p>` })) as [Received]
  const [pixel = ''] = ownUrls(letter, '/t/o/')
  const [one = '', other = ''] = ownUrls(letter, '/t/c/')
  return { world, pixel, one, other, letter }
}

describe('a stranger with one message', () => {
  it('holds up no tenant: only one request at a time waits for the message', async () => {
    const { world, pixel, one } = await delivered()
    const blocker = await newBlocker(world)
    await blocker.query('SELECT FROM mail_recipient WHERE account_id = $1 FOR UPDATE', [world.accountId])
    const opens = Array.from({ length: 40 }, () => get(pixel))
    await blocker.waited()
    for (let turn = 0; turn < 5; turn += 1) expect((await world.ask('{ tags { totalCount } }')).status).toBe(200)
    const blocked = 'SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = $1'
    expect((await world.rows(blocked, ['Lock'])).length).toBeLessThanOrEqual(1)
    // They are answered before the message is free.
    for (const response of await Promise.all([...opens, get(pixel)])) expect(response.status).toBe(200)
    expect((await get(one)).status).toBe(302)
    await blocker.query('ROLLBACK')
    await until(async () => (await world.announced('email.opened')).length === 1)
    await until(async () => (await world.announced('email.clicked')).length === 1)
  })

  it('is recorded a limited number of times a minute, and always redirected', async () => {
    const { world, pixel, one, other } = await delivered()
    const timesOf = async (table: string) =>
      (
        await world.rows<{ n: number }>(
          `SELECT coalesce(sum(times), 0)::int AS n FROM ${table} WHERE account_id = $1`,
          [world.accountId],
        )
      )[0]?.n
    for (let turn = 0; turn < 10; turn += 1) {
      const responses = await Promise.all(Array.from({ length: 20 }, () => get(pixel)))
      expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
      const clicks = await Promise.all(Array.from({ length: 20 }, () => get(one)))
      expect(new Set(clicks.map(({ headers: answer }) => answer.get('location')))).toEqual(
        new Set(['https://shop.example/1']),
      )
    }
    await until(async () => (await timesOf('mail_open')) === recordedPerMinute)
    await until(async () => (await timesOf('mail_click')) === recordedPerMinute)
    const before = world.server.app.database.statements()
    await Promise.all(Array.from({ length: 50 }, () => get(one)))
    // The worker and the event log read meanwhile.
    expect(world.server.app.database.statements() - before).toBeLessThan(25)
    // The first click on another link counts.
    expect((await get(other)).status).toBe(302)
    await until(async () => (await world.announced('email.clicked')).length === 2)
  })

  it('unsubscribes once, before the answer, and costs a read each further time', async () => {
    const { world, letter } = await delivered()
    const post = () =>
      fetch(oneClickUrl(letter), { method: 'POST', body: new URLSearchParams('List-Unsubscribe=One-Click') })
    expect((await post()).status).toBe(200)
    expect(await world.announced('contact.unsubscribed')).toHaveLength(1)
    const consents = async () =>
      (await world.rows('SELECT FROM contact_consent WHERE account_id = $1', [world.accountId])).length
    const [before, count] = [world.server.app.database.statements(), await consents()]
    for (let turn = 0; turn < 20; turn += 1) expect((await post()).status).toBe(200)
    expect(world.server.app.database.statements() - before).toBeLessThan(20 * 2 + 15)
    expect(await consents()).toBe(count)
    expect(await world.announced('contact.unsubscribed')).toHaveLength(1)
  })
})
