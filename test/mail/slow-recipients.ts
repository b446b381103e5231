import { expect } from 'vitest'
import { until } from '../runtime/process.ts'
import { newWorld, type World } from '../support/world.ts'
import { newRelay, silent } from './relay.ts'
import { countStates, createSubscribers, newSender, sendCampaign, waitForStatus } from './sending.ts'

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

/** Sends to `bad` recipients whose RCPT TO gets no reply, in this domain or each in its own, and to others of two accounts. */
export async function delayOnlyBriefly({
  bad,
  others,
  domain,
}: {
  bad: number
  others: number
  domain?: string | undefined
}): Promise<void> {
  const relay = await newRelay({ rcpt: (address) => (isBad(address) ? silent : undefined) })
  const world = await newWorld({ server: await newSender(relay.url) })
  const other = await world.other()
  await badOnes(world, bad, domain)
  await createSubscribers(world, others)
  await createSubscribers(other, others)
  const { databaseId } = await sendCampaign(world)
  const failures = firstFailures(world, bad)
  // Without any limit it is more than six minutes, which is longer than the test may take.
  const theirs = await sendCampaign(other)
  await waitForStatus(other, theirs.id, 'SENT')
  await until(async () => (await countStates(world, databaseId))['SENT'] === others)
  for (const { state, answer, seconds } of await failures) {
    expect(state).toBe('QUEUED')
    expect(answer).toMatch(/^no answer within 3 s \(RCPT TO, DATA\)$|^suspended: .* slow\.example$/)
    expect(seconds).toBeGreaterThan(0)
  }
  expect(relay.taken).toHaveLength(2 * others)
  expect(relay.most()).toBeLessThanOrEqual(5)
}
