import { describe, expect, it } from 'vitest'
import { newCtx } from '../../src/db/context.ts'
import { settableClock } from '../../src/kernel/clock.ts'
import { tracking } from '../../src/mail/index.ts'
import { isBot } from '../../src/mail/tracking/bots.ts'
import { newWorld } from '../support/world.ts'
import { message } from './support.ts'

const person = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Thunderbird/140.0'
const scanner = 'Barracuda Sentinel (EE)'

async function sent() {
  const world = await newWorld()
  const contact = await world.contact()
  const recipientId = await message(world, contact, { campaignId: 7 })
  const clock = settableClock(new Date('2026-03-01T10:00:00Z'))
  const ctx = newCtx({ ...world.server.system, clock }, { accountId: world.accountId })
  const row = async () =>
    (
      await world.rows('SELECT opened_at AS opened, clicked_at AS clicked FROM mail_recipient WHERE account_id = $1', [
        world.accountId,
      ])
    )[0]
  const raw = (table: string) =>
    world.rows(`SELECT is_bot AS bot FROM ${table} WHERE account_id = $1 ORDER BY id`, [world.accountId])
  return { world, contact, recipientId, clock, ctx, row, raw }
}

describe('an open', () => {
  it('counts once, and every one is stored', async () => {
    const { world, contact, recipientId, clock, ctx, row, raw } = await sent()
    for (const hour of ['11', '12', '13']) {
      clock.set(new Date(`2026-03-01T${hour}:00:00Z`))
      await tracking.recordOpen(ctx, { recipientId, userAgent: person })
    }
    expect(await row()).toEqual({ opened: new Date('2026-03-01T11:00:00Z'), clicked: null })
    expect(await raw('mail_open')).toEqual([{ bot: false }, { bot: false }, { bot: false }])
    expect(await world.announced('email.opened')).toEqual([
      { type: 'email.opened', data: { contactId: contact.databaseId, campaignId: 7, stageId: null } },
    ])
  })

  it('counts once if twenty arrive at the same time', async () => {
    const { world, recipientId, ctx, raw } = await sent()
    await Promise.all(Array.from({ length: 20 }, () => tracking.recordOpen(ctx, { recipientId, userAgent: person })))
    expect(await raw('mail_open')).toHaveLength(20)
    expect(await world.announced('email.opened')).toHaveLength(1)
  })

  it('has a limited number of rows; further opens are added to the last one', async () => {
    const { world, recipientId, ctx, raw } = await sent()
    for (let n = 0; n < 60; n += 1) {
      await Promise.all(
        [person, person, person, person, scanner].map((userAgent) =>
          tracking.recordOpen(ctx, { recipientId, userAgent }),
        ),
      )
    }
    expect((await raw('mail_open')).filter((row) => !(row as { bot: boolean }).bot)).toHaveLength(20)
    expect(await raw('mail_open')).toHaveLength(40)
    const times =
      'SELECT is_bot AS bot, sum(times)::int AS n FROM mail_open WHERE account_id = $1 GROUP BY 1 ORDER BY 1'
    expect(await world.rows(times, [world.accountId])).toEqual([
      { bot: false, n: 240 },
      { bot: true, n: 60 },
    ])
    expect(await world.announced('email.opened')).toHaveLength(1)
  })

  it('by a bot is stored and does not count', async () => {
    const { world, recipientId, ctx, row, raw } = await sent()
    await tracking.recordOpen(ctx, { recipientId, userAgent: scanner })
    expect(await row()).toEqual({ opened: null, clicked: null })
    expect(await raw('mail_open')).toEqual([{ bot: true }])
    expect(await world.announced('email.opened')).toEqual([])
  })

  it('returns NOT_FOUND for messages of other accounts', async () => {
    const { world, recipientId, ctx, raw } = await sent()
    const other = await world.other()
    const stranger = newCtx(world.server.system, { accountId: other.accountId })
    for (const [who, id] of [
      [stranger, recipientId],
      [ctx, recipientId + 1_000_000n],
      [ctx, -1n],
    ] as const) {
      await expect(tracking.recordOpen(who, { recipientId: id, userAgent: person })).rejects.toMatchObject({
        code: 'NOT_FOUND',
      })
    }
    expect(await raw('mail_open')).toEqual([])
  })
})

describe('a click', () => {
  const url = 'https://example.com/shop?a=1'

  it('counts once per message, and emits one event per link', async () => {
    const { world, contact, recipientId, clock, ctx, row, raw } = await sent()
    for (const each of [url, url, 'https://example.com/other']) {
      await tracking.recordClick(ctx, { recipientId, userAgent: person, url: each })
      clock.set(new Date('2026-03-02T00:00:00Z'))
    }
    expect(await row()).toEqual({ opened: null, clicked: new Date('2026-03-01T10:00:00Z') })
    expect(await raw('mail_click')).toHaveLength(3)
    const data = { contactId: contact.databaseId, campaignId: 7, stageId: null }
    expect(await world.announced('email.clicked')).toEqual([
      { type: 'email.clicked', data: { ...data, url } },
      { type: 'email.clicked', data: { ...data, url: 'https://example.com/other' } },
    ])
  })

  it('has a limited number of rows per link; further clicks are added to the last one', async () => {
    const { world, recipientId, ctx, raw } = await sent()
    for (let n = 0; n < 30; n += 1) await tracking.recordClick(ctx, { recipientId, userAgent: person, url })
    await tracking.recordClick(ctx, { recipientId, userAgent: person, url: 'https://example.com/other' })
    expect(await raw('mail_click')).toHaveLength(21)
    const times = 'SELECT url, sum(times)::int AS n FROM mail_click WHERE account_id = $1 GROUP BY 1 ORDER BY 2'
    expect(await world.rows(times, [world.accountId])).toEqual([
      { url: 'https://example.com/other', n: 1 },
      { url, n: 30 },
    ])
    expect(await world.announced('email.clicked')).toHaveLength(2)
  })

  it('by a bot does not hide a later one by a person', async () => {
    const { world, recipientId, ctx, row, raw } = await sent()
    await tracking.recordClick(ctx, { recipientId, userAgent: scanner, url })
    expect(await row()).toEqual({ opened: null, clicked: null })
    await tracking.recordClick(ctx, { recipientId, userAgent: person, url })
    expect(await row()).toMatchObject({ clicked: expect.any(Date) })
    expect(await raw('mail_click')).toEqual([{ bot: true }, { bot: false }])
    expect(await world.announced('email.clicked')).toHaveLength(1)
  })

  it('without a URL returns VALIDATION_ERROR', async () => {
    const { recipientId, ctx, raw } = await sent()
    for (const wrong of ['', 'x\0', `https://example.com/${'x'.repeat(4_000)}`]) {
      await expect(tracking.recordClick(ctx, { recipientId, userAgent: person, url: wrong })).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
      })
    }
    expect(await raw('mail_click')).toEqual([])
  })
})

describe('isBot', () => {
  it.each([
    'Mozilla/5.0',
    'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
    'Mozilla/5.0 (compatible; bingbot/2.0)',
    'ProofPoint URL Defense',
    'Mimecast/1.0',
    'Microsoft Office Existence Discovery',
    'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
    'facebookexternalhit/1.1',
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 HeadlessChrome/120.0.0.0 Safari/537.36',
  ])('is told by its name: %s', (userAgent) => expect(isBot(userAgent)).toBe(true))

  it.each([
    person,
    '',
    'curl/8.5.0',
    'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148',
    'Mozilla/5.0 (Linux; Android 9; CUBOT X19) AppleWebKit/537.36 Chrome/120.0 Mobile Safari/537.36',
    'YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html',
  ])('is not what reads for a person: %s', (userAgent) => expect(isBot(userAgent)).toBe(false))
})
