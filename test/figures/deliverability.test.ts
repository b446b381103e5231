import { expect, it } from 'vitest'
import { newCtx } from '../../src/db/context.ts'
import { checkFigures } from '../../src/figures/check.ts'
import { settableClock } from '../../src/kernel/clock.ts'
import { tracking } from '../../src/mail/index.ts'
import { sendCampaign, waitForStatus } from '../mail/sending.ts'
import { start, until } from '../runtime/process.ts'
import { newServer } from '../support/server.ts'
import { countRows, markUncounted } from '../support/uncounted.ts'
import { type Named, newWorld, type World } from '../support/world.ts'

const person = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Thunderbird/140.0'
const source = 'latest_message'
const fields = 'sent uniqueOpens uniqueClicks unsubscribes'
const Periods = `{ today: deliverability(days: 1) { ${fields} } week: deliverability(days: 7) { ${fields} } year: deliverability(days: 365) { ${fields} } }`

/** Returns the statistics of three periods, which must be those of the messages. */
async function readPeriods(world: World) {
  const counted = await world.run(Periods)
  await markUncounted(world, source)
  expect(counted).toEqual(await world.run(Periods))
  await world.rows('DELETE FROM figure_fill WHERE account_id = $1 AND source = $2', [world.accountId, source])
  return Object.values(counted as Record<string, Record<string, number>>).map((period) => Object.values(period))
}

it('deliverability equals the messages after sends, reactions, merges, deletions and erasures', async () => {
  const clock = settableClock(new Date('2026-10-01T10:00:00Z'))
  const server = await newServer({ ROLES: 'api,worker' }, { clock })
  const world = await newWorld({ server })
  await world.rows("UPDATE account SET sender_email = 'ada@example.com' WHERE id = $1", [world.accountId])
  const ctx = newCtx({ ...server.system, clock }, { accountId: world.accountId })
  const contacts: Named[] = []
  for (let n = 0; n < 6; n += 1) contacts.push(await world.contact({ emailMarketing: true }))
  const contact = (n: number) => ({ contact: { id: contacts[n]?.id as string } })
  const run = (name: string, input: object, result: string) =>
    world.run(
      `mutation ($input: ${name.replace(/^./, (letter) => letter.toUpperCase())}Input!) { ${name}(input: $input) { ${result} } }`,
      { input },
    )
  const send = async () => waitForStatus(world, (await sendCampaign(world)).id, 'SENT')
  const messageTo = async (n: number) => {
    const [row] = await world.rows<{ id: string }>(
      'SELECT id FROM mail_recipient WHERE account_id = $1 AND contact_id = $2 ORDER BY id LIMIT 1',
      [world.accountId, contacts[n]?.databaseId],
    )
    return BigInt(row?.id ?? 0)
  }
  const open = async (n: number) => tracking.recordOpen(ctx, { recipientId: await messageTo(n), userAgent: person })
  const click = async (n: number) =>
    tracking.recordClick(ctx, { recipientId: await messageTo(n), userAgent: person, url: 'https://a.io' })

  await send()
  await open(0)
  await open(0)
  await click(1)
  expect(await readPeriods(world)).toEqual([6, 6, 6].map((sent) => [sent, 1, 1, 0]))
  clock.set(new Date('2026-10-05T10:00:00Z'))
  await run('contactUnsubscribe', contact(5), 'contact { id }')
  await send()
  // An open of the first message counts at the time at which the message was sent.
  await open(2)
  expect(await readPeriods(world)).toEqual([
    [5, 0, 0, 0],
    [6, 2, 1, 0],
    [6, 2, 1, 0],
  ])
  clock.set(new Date('2026-10-09T10:00:00Z'))
  expect(await readPeriods(world)).toEqual([
    [0, 0, 0, 0],
    [5, 0, 0, 0],
    [6, 2, 1, 0],
  ])
  await run('contactMerge', { ...contact(0), into: { id: contacts[1]?.id } }, 'contact { id }')
  await readPeriods(world)
  await run('contactMerge', { ...contact(5), into: { id: contacts[2]?.id } }, 'contact { id }')
  const merged = await readPeriods(world)
  await run('contactDelete', contact(3), 'deleted')
  await run('contactErase', contact(4), 'contactErasureDatabaseId')
  expect(await readPeriods(world)).toEqual(merged)
  expect(await checkFigures(server.system)).toEqual([])
  await world.rows('DELETE FROM latest_message WHERE account_id = $1', [world.accountId])
  expect((await checkFigures(server.system)).map(({ figure }) => figure)).toEqual([source])
  await countRows(world, [source])
  expect(await readPeriods(world)).toEqual(merged)
  // A contact without messages, whose id is higher than those of all contacts with messages.
  await world.rows('INSERT INTO latest_message (account_id, contact_id, sent_at) VALUES ($1, 1000000, now())', [
    world.accountId,
  ])
  expect((await checkFigures(server.system)).map(({ figure, figures }) => [figure, figures])).toEqual([[source, '1']])
})

it('deliverability counts each contact when the process that reads older messages is killed', async () => {
  const world = await newWorld()
  await world.rows(
    `INSERT INTO mail_recipient (account_id, contact_id, campaign_id, state, created_at, sent_at, opened_at)
     SELECT $1, 1 + i / 2, 1 + i % 2, 'SENT', now(), now() - interval '3 days', now() FROM generate_series(0, 99999) i`,
    [world.accountId],
  )
  await world.rows("INSERT INTO figure_fill SELECT $1, $2, '2026-01-01Z'", [world.accountId, source])
  const left = async () => (await world.rows('SELECT FROM figure_fill WHERE source = $1', [source])).length
  const running = start('test/figures/compact.ts', ['fill'], { DATABASE_URL: world.server.databaseUrl })
  const some = async () => (await world.rows('SELECT FROM latest_message LIMIT 1')).length > 0
  await until(some)
  running.signal('SIGKILL')
  await running.end
  expect(await left()).toBe(1)
  await countRows(world, [source])
  expect(await readPeriods(world)).toEqual([
    [0, 0, 0, 0],
    [50_000, 50_000, 0, 0],
    [50_000, 50_000, 0, 0],
  ])
  expect(await left()).toBe(0)
})
