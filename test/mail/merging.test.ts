// @module-tag rows
import { expect, it } from 'vitest'
import { until } from '../runtime/process.ts'
import { type Named, newWorld, type World } from '../support/world.ts'
import { newGate } from './gate.ts'
import { newSender, sendCampaign, waitForStatus } from './sending.ts'
import { newSink, type SinkMessage } from './sink.ts'

const pairs = 8
/** Number of connections to the mail server. */
const connections = 5

type Person = Named & { email: string }
type Counts = Record<'campaign' | 'stage', number>

const merge = (world: World, contact: Person, into: Person) =>
  world.run('mutation ($input: ContactMergeInput!) { contactMerge(input: $input) { contact { id } } }', {
    input: { contact: { id: contact.id }, into: { id: into.id } },
  })

const History = `query ($id: ID!) { contact(ref: { id: $id }) {
  messages(first: 20) { nodes { state campaign { id } stage { id } } }
  enrolments(first: 20) { nodes { state sequence { id } } } } }`

/** Returns the number of messages to two people that were sent or are being sent. */
async function countReached(world: World, people: readonly Person[]): Promise<Counts> {
  const [row] = await world.rows<Counts>(
    `SELECT count(campaign_id)::int AS campaign, count(stage_id)::int AS stage FROM mail_recipient
     WHERE account_id = $1 AND contact_id = ANY($2) AND state IN ('SENDING', 'SENT')`,
    [world.accountId, people.map(({ databaseId }) => databaseId)],
  )
  return row as Counts
}

/** Returns the number of messages and enrolments that are not over. */
async function countOpen(world: World): Promise<number> {
  const [row] = await world.rows<{ open: number }>(
    `SELECT (SELECT count(*) FROM mail_recipient WHERE account_id = $1 AND state IN ('QUEUED', 'CLAIMED', 'SENDING'))::int
       + (SELECT count(*) FROM enrolment WHERE account_id = $1 AND state = 'ACTIVE')::int AS open`,
    [world.accountId],
  )
  return row?.open ?? 0
}

const subjectOf = ({ raw }: SinkMessage) => /^Subject: (.*)$/m.exec(raw)?.[1]?.trim()

it('contacts that are merged while a worker sends to both get nothing twice, lose nothing and keep their history', async () => {
  const gate = newGate()
  const sink = await newSink(gate)
  const world = await newWorld({ server: await newSender(sink.url) })
  await world.rows("UPDATE account SET sender_email = 'ada@example.com' WHERE id = $1", [world.accountId])
  const people = (): Promise<Person[]> =>
    Promise.all(Array.from({ length: pairs }, () => world.contact({ emailMarketing: true })))
  const [sources, targets] = [await people(), await people()]
  const sequence = await world.sequence()
  const stage = await world.stage(sequence, { active: true, timeValue: 0 })
  for (const person of [...sources, ...targets]) await world.subscribe(person, sequence)
  const campaign = await sendCampaign(world, { subject: 'Campaign' })

  // Pairs are merged while all connections are in use, so that no further attempt starts until the merge is done.
  const reached: Counts[] = []
  for (const [index, source] of sources.entries()) {
    const target = targets[index] as Person
    await until(() => gate.held() === connections)
    reached.push(await countReached(world, [source, target]))
    await merge(world, source, target)
    gate.release(1)
  }
  gate.release(1_000)
  const { sentTo } = await waitForStatus(world, campaign.id, 'SENT')
  await until(async () => (await countOpen(world)) === 0)

  const deliveries = sink.taken.map((letter) => `${letter.to} ${subjectOf(letter)}`)
  expect(new Set(deliveries).size).toBe(deliveries.length)
  expect(sentTo).toBe(sink.taken.filter((letter) => subjectOf(letter) === 'Campaign').length)
  for (const [index, target] of targets.entries()) {
    const { email } = sources[index] as Person
    const got = sink.taken.filter(({ to }) => to === email || to === target.email).map(subjectOf)
    // Both got an e-mail only if both were sent before they were one person.
    const before = reached[index] as Counts
    expect(got.filter((subject) => subject === 'Campaign')).toHaveLength(Math.max(1, before.campaign))
    expect(got.filter((subject) => subject === 'Hello')).toHaveLength(Math.max(1, before.stage))
    const { messages, enrolments } = (await world.run(History, { id: target.id })).contact
    const sent = messages.nodes.filter(({ state }: { state: string }) => state === 'SENT')
    expect(sent.filter((each: { campaign: unknown }) => each.campaign)).toEqual([
      { state: 'SENT', campaign: { id: campaign.id }, stage: null },
    ])
    expect(sent.filter((each: { stage: unknown }) => each.stage)).toEqual(
      Array.from({ length: Math.max(1, before.stage) }, () => ({
        state: 'SENT',
        campaign: null,
        stage: { id: stage.id },
      })),
    )
    expect(enrolments.nodes).toHaveLength(2)
    expect(enrolments.nodes).toContainEqual({ state: 'COMPLETED', sequence: { id: sequence.id } })
  }
  expect(world.server.errors).toEqual([])
})
