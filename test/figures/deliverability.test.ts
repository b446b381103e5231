import { expect, it } from 'vitest'
import { newCtx } from '../../src/db/context.ts'
import { checkFigures } from '../../src/figures/check.ts'
import { type Clock, settableClock } from '../../src/kernel/clock.ts'
import { tracking } from '../../src/mail/index.ts'
import { sendCampaign, waitForStatus } from '../mail/sending.ts'
import { countRows } from '../support/count-rows.ts'
import { newServer } from '../support/server.ts'
import { type Named, newWorld, type World } from '../support/world.ts'

const person = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Thunderbird/140.0'
const source = 'latest_message'
const fields = 'reached openers clickers unsubscribers'
const Periods = `{ today: mailReach(days: 1) { ${fields} } week: mailReach(days: 7) { ${fields} } year: mailReach(days: 365) { ${fields} } }`

const OfMessages = `SELECT count(DISTINCT contact_id)::int AS reached, count(DISTINCT contact_id) FILTER (WHERE opened_at IS NOT NULL)::int AS openers,
    count(DISTINCT contact_id) FILTER (WHERE clicked_at IS NOT NULL)::int AS clickers,
    count(DISTINCT contact_id) FILTER (WHERE unsubscribed_at IS NOT NULL)::int AS unsubscribers
  FROM mail_recipient WHERE account_id = $1 AND sent_at >= $2`

/** Returns the statistics of three periods, which must be those of the messages. */
async function readPeriods(world: World, clock: Clock) {
  const counted: Record<string, Record<string, number>> = await world.run(Periods)
  const ofMessages = async (days: number) =>
    (await world.rows(OfMessages, [world.accountId, new Date(clock.now().getTime() - days * 86_400_000)]))[0]
  expect(counted).toEqual({ today: await ofMessages(1), week: await ofMessages(7), year: await ofMessages(365) })
  return Object.values(counted).map((period) => Object.values(period))
}

it('the reach equals the messages after sends, reactions, merges, deletions and erasures', async () => {
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
  expect(await readPeriods(world, clock)).toEqual([6, 6, 6].map((sent) => [sent, 1, 1, 0]))
  clock.set(new Date('2026-10-05T10:00:00Z'))
  await run('contactUnsubscribe', contact(5), 'contact { id }')
  await send()
  // An open of the first message counts at the time at which the message was sent.
  await open(2)
  expect(await readPeriods(world, clock)).toEqual([
    [5, 0, 0, 0],
    [6, 2, 1, 0],
    [6, 2, 1, 0],
  ])
  clock.set(new Date('2026-10-09T10:00:00Z'))
  expect(await readPeriods(world, clock)).toEqual([
    [0, 0, 0, 0],
    [5, 0, 0, 0],
    [6, 2, 1, 0],
  ])
  await run('contactMerge', { ...contact(0), into: { id: contacts[1]?.id } }, 'contact { id }')
  await readPeriods(world, clock)
  await run('contactMerge', { ...contact(5), into: { id: contacts[2]?.id } }, 'contact { id }')
  const merged = await readPeriods(world, clock)
  await run('contactDelete', contact(3), 'deleted')
  await run('contactErase', contact(4), 'contactErasureDatabaseId')
  expect(await readPeriods(world, clock)).toEqual(merged)
  expect(await checkFigures(server.system)).toEqual([])
  await world.rows('DELETE FROM latest_message WHERE account_id = $1', [world.accountId])
  expect((await checkFigures(server.system)).map(({ figure }) => figure)).toEqual([source])
  await countRows(world, [source])
  expect(await readPeriods(world, clock)).toEqual(merged)
  // A contact without messages, whose id is higher than those of all contacts with messages.
  await world.rows('INSERT INTO latest_message (account_id, contact_id, sent_at) VALUES ($1, 1000000, now())', [
    world.accountId,
  ])
  expect((await checkFigures(server.system)).map(({ figure, figures }) => [figure, figures])).toEqual([[source, '1']])
})
