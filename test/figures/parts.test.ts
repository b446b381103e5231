import { expect, it } from 'vitest'
import { newCtx } from '../../src/db/context.ts'
import { inTransaction } from '../../src/db/transaction.ts'
import { checkFigures } from '../../src/figures/check.ts'
import { compactFigures } from '../../src/figures/compaction.ts'
import { settableClock } from '../../src/kernel/clock.ts'
import { tracking } from '../../src/mail/index.ts'
import { advance, enrolments } from '../../src/sequences/index.ts'
import { message } from '../mail/support.ts'
import { stageCreate, stageDelete, stageUpdate, unsubscribe } from '../sequences/documents.ts'
import { countRows } from '../support/count-rows.ts'
import { newServer } from '../support/server.ts'
import { type Named, newWorld, type World } from '../support/world.ts'

const person = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Thunderbird/140.0'
const sources = ['submission_parts', 'mail_click_parts', 'enrolment_parts'] as const

const start = Date.parse('2026-10-01T00:00:00Z')
const hourMs = 3_600_000

/** Returns an account in Kolkata, five and a half hours from UTC, whose clock is `hours` after the start. */
async function newMonth() {
  const clock = settableClock(new Date(start))
  const world = await newWorld({ server: await newServer({}, { clock }), timezone: 'Asia/Kolkata' })
  return { world, clock, setHours: (hours: number) => clock.set(new Date(start + hours * hourMs)) }
}

/** Returns what a read returns before and after the rows were counted again. Both must be equal. */
async function readBoth<Result>(world: World, read: () => Promise<Result>): Promise<Result> {
  const counted = await read()
  await countRows(world, sources)
  expect(await read()).toEqual(counted)
  return counted
}

/** Reads before and after a compaction. */
async function readAlways<Result>(world: World, read: () => Promise<Result>): Promise<Result> {
  const first = await readBoth(world, read)
  await compactFigures(world.server.system)
  expect(await readBoth(world, read)).toEqual(first)
  return first
}

/** Returns what runs a mutation by its name. */
const mutationsOf = (world: World) => (name: string, input: object, result: string) =>
  world.run(
    `mutation ($input: ${name.replace(/^./, (letter) => letter.toUpperCase())}Input!) { ${name}(input: $input) { ${result} } }`,
    { input },
  )

const FormStats = `query ($id: ID!, $period: Period, $range: DateRangeInput) { form(id: $id) { stats(period: $period, range: $range) {
  starts completions questions { answered reached lastAnswered choices { answer count } numbers { min average max } } } } }`
const questions = [
  { label: 'Sell?', type: 'YES_NO' },
  { label: 'Tools', type: 'MULTIPLE_CHOICE', options: ['Mail', 'Ads: all', 'Web'] },
  { label: 'People', type: 'NUMBER' },
  { label: 'Rating', type: 'RATING' },
  { label: 'Remarks', type: 'LONG_TEXT' },
]
const valuesAt = (n: number) => [
  [n % 2 === 0 ? 'yes' : 'no'],
  ['Mail', 'Ads: all', 'Web'].slice(0, n % 4),
  n % 3 === 0 ? [] : [`${n}.5`],
  [`${1 + (n % 5)}`],
  n % 4 === 0 ? ['Fine.'] : [],
]

it('the figures of a form equal its rows after changes of answers, questions and contacts', async () => {
  const { world, setHours } = await newMonth()
  const form = await world.form({ name: 'Survey', type: 'SURVEY', questions })
  const contacts = await Promise.all([1, 2, 3].map(() => world.contact()))
  for (let n = 0; n < 24; n += 1) {
    setHours(n * 5)
    const save = (values: string[][], more: object) =>
      world.submission(form, {
        answers: values.map((each, index) => ({ questionId: form.questions[index]?.databaseId, values: each })),
        clientSubmissionId: `visitor ${n}`,
        ...more,
      })
    const contact = contacts[n % 5]
    await save(valuesAt(n).slice(0, 1 + (n % 5)), { complete: false, ...(contact && { contact: { id: contact.id } }) })
    if (n % 3 === 0) continue
    if (n === 11) await compactFigures(world.server.system)
    setHours(n * 5 + 30)
    // The answers of the first save change, or are removed.
    await save(valuesAt(n + 1), { complete: n % 2 === 0 })
  }
  const read = async () => {
    const periods = [
      { period: 'ALL' },
      { period: 'TODAY' },
      { range: { from: '2026-10-02', to: '2026-10-02' } },
      { range: { from: '2026-10-02', to: '2026-10-04' } },
    ]
    return Promise.all(
      periods.map(async (period) => (await world.run(FormStats, { id: form.id, ...period })).form.stats),
    )
  }
  const [all, , one, three] = await readAlways(world, read)
  expect(all).toMatchObject({ starts: 24, completions: 8, questions: [{ answered: 24, reached: 24 }, {}, {}, {}, {}] })
  expect([one.starts, three.starts]).toEqual([5, 15])

  const [first, second, third] = contacts as unknown as [Named, Named, Named]
  const run = mutationsOf(world)
  await run('contactMerge', { contact: { id: first.id }, into: { id: second.id } }, 'contact { id }')
  expect((await readAlways(world, read))[0]).toEqual(all)
  await run('contactDelete', { contact: { id: third.id } }, 'deleted')
  const erased = (await readAlways(world, read))[0]
  expect(erased).toMatchObject({ starts: 24, completions: 8 })
  expect(erased.questions[2].numbers).not.toEqual(all.questions[2].numbers)
  // The last question becomes the first one, so all drop-offs move.
  await run('formQuestionMove', { id: form.questions[4]?.id, position: 1 }, 'question { id }')
  const moved = (await readAlways(world, read))[0]
  const dropOffs = (stats: typeof all) => stats.questions.map((each: { lastAnswered: number }) => each.lastAnswered)
  expect(dropOffs(moved)).not.toEqual(dropOffs(erased))
  setHours(24 * 8)
  expect(await checkFigures(world.server.system)).toEqual([])
  expect(
    await world.rows('SELECT FROM figure_part_total WHERE account_id = $1 AND value = 0', [world.accountId]),
  ).toEqual([])
})

it('the figures of links equal the clicks, however often a link is clicked', async () => {
  const { world, clock, setHours } = await newMonth()
  const ctx = newCtx({ ...world.server.system, clock }, { accountId: world.accountId })
  const [campaign, sequence] = [await world.campaign(), await world.sequence()]
  const stage = await world.stage(sequence)
  const messages = await Promise.all(
    [
      { campaignId: campaign.databaseId },
      { campaignId: campaign.databaseId },
      { sequenceId: sequence.databaseId, stageId: stage.databaseId },
    ].map(async (of) => message(world, await world.contact(), of)),
  )
  const click = (index: number, path: string, userAgent = person) =>
    tracking.recordClick(ctx, { recipientId: messages[index] as bigint, userAgent, url: `https://a.io/${path}` })
  for (let n = 0; n < 23; n += 1) {
    setHours(n)
    await click(0, 'often')
  }
  await compactFigures(world.server.system)
  await click(0, 'often')
  await click(1, 'often')
  await click(1, 'seldom')
  await click(1, 'scanned', 'Barracuda Sentinel (EE)')
  await click(2, 'stage')
  await click(2, 'stage')
  const Links = `query ($campaign: ID!, $sequence: ID!) { campaign(id: $campaign) { links { url clicks uniqueClicks } }
    sequence(id: $sequence) { stages { links { url clicks uniqueClicks } } } }`
  const read = () => world.run(Links, { campaign: campaign.id, sequence: sequence.id })
  expect(await readAlways(world, read)).toEqual({
    campaign: {
      links: [
        { url: 'https://a.io/often', clicks: 25, uniqueClicks: 2 },
        { url: 'https://a.io/seldom', clicks: 1, uniqueClicks: 1 },
      ],
    },
    sequence: { stages: [{ links: [{ url: 'https://a.io/stage', clicks: 2, uniqueClicks: 1 }] }] },
  })
  setHours(24 * 8)
  expect(await checkFigures(world.server.system)).toEqual([])
})

it('the counts of enrolments equal the rows after changes of enrolments, stages and contacts', async () => {
  const { world, clock, setHours } = await newMonth()
  const run = mutationsOf(world)
  const ctx = newCtx({ ...world.server.system, clock }, { accountId: world.accountId })
  const sequences = [await world.sequence(), await world.sequence()] as [Named, Named]
  const [one, two] = sequences
  const newStage = (sequence: Named) => world.stage(sequence, { active: true })
  const stages = [await newStage(one), await newStage(one), await newStage(one)] as [Named, Named, Named]
  await newStage(two)
  const contacts: Named[] = []
  for (let n = 0; n < 10; n += 1) contacts.push(await world.contact({ emailMarketing: true }))
  const ids = contacts.map(({ databaseId }) => databaseId)
  const contact = (n: number) => ({ id: contacts[n]?.id as string })
  const enrolled: { databaseId: number }[] = []
  for (let n = 0; n < 6; n += 1) enrolled.push(await world.subscribe(contact(n), one))
  const Counts = `query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Sequence { activeContacts
    enrolmentCounts { active completed removed unsubscribed contactDeleted merged } stages { waiting } } } }`
  const read = async () => (await world.run(Counts, { ids: sequences.map(({ id }) => id) })).nodes
  const active = async () =>
    (await readBoth(world, read)).map((each: { activeContacts: number } | null) => each?.activeContacts)
  const done = (n: number, stage: Named) =>
    advance(ctx, { enrolmentId: enrolled[n]?.databaseId as number, stageId: stage.databaseId })

  await inTransaction(ctx, async (tx) => enrolments.enrolAll(tx, ids, [one.databaseId, two.databaseId]))
  expect(await active()).toEqual([10, 10])
  await done(0, stages[0])
  await done(1, stages[0])
  await compactFigures(world.server.system)
  await done(1, stages[1])
  for (const stage of stages) await done(2, stage)
  const advanced = await readAlways(world, read)
  expect(advanced[0]).toMatchObject({ activeContacts: 9, stages: [{ waiting: 7 }, { waiting: 1 }, { waiting: 1 }] })
  await world.run(stageUpdate, { input: { id: stages[2].id, step: 1 } })
  await world.run(stageCreate, { input: { sequenceId: one.id, stageType: 'ACTION' } })
  await world.run(stageDelete, { id: stages[1].id })
  expect((await active())[0]).toBeLessThan(9)
  await run('sequenceUpdate', { id: one.id, type: 'INVERTED' }, 'sequence { id }')
  await run('sequenceUpdate', { id: one.id, type: 'NORMAL' }, 'sequence { id }')
  await world.run(unsubscribe, { contact: contact(3), sequenceId: one.id })
  await run('contactUnsubscribe', { contact: contact(4) }, 'contact { id }')
  await run('contactMerge', { contact: contact(5), into: contact(0) }, 'contact { id }')
  await run('contactMerge', { contact: contact(3), into: contact(6) }, 'contact { id }')
  await run('contactDelete', { contact: contact(7) }, 'deleted')
  await run('contactErase', { contact: contact(2) }, 'contactErasureDatabaseId')
  await world.subscribe(contact(4), one)
  const [first] = await readAlways(world, read)
  expect(first.enrolmentCounts).toMatchObject({ removed: 1, unsubscribed: 1, merged: 1 })
  await run('sequenceArchive', { id: two.id, endEnrolments: true }, 'sequence { id }')
  expect((await active())[1]).toBe(0)
  setHours(24 * 8)
  expect(await checkFigures(world.server.system)).toEqual([])
  await world.rows("UPDATE enrolment SET state = 'COMPLETED' WHERE account_id = $1 AND state = 'ACTIVE'", [
    world.accountId,
  ])
  expect((await checkFigures(world.server.system)).map(({ figure }) => figure)).toContain('ENROLMENTS')
  await countRows(world, sources)
  await run('sequenceDelete', { id: one.id }, 'deletedSequenceDatabaseId')
  expect(await active()).toEqual([undefined, 0])
  expect(await checkFigures(world.server.system)).toEqual([])
})
