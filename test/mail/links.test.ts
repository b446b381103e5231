import { describe, expect, it } from 'vitest'
import { countRows } from '../support/count-rows.ts'
import { type Named, newWorld, type World } from '../support/world.ts'
import { message } from './support.ts'

const Links = 'query ($id: ID!) { campaign(id: $id) { links { url clicks uniqueClicks } } }'
const Clicks = `query ($id: ID!, $filter: ClickFilterInput) { node(id: $id) { ... on Recipient {
  clicks(filter: $filter) { totalCount nodes { url createdAt times } pageInfo { endCursor } } } } }`
const recipientId = (id: bigint) => Buffer.from(`Recipient:${id}`).toString('base64url')

interface ClickRow {
  readonly url?: string
  readonly times?: number
  readonly isBot?: boolean
  readonly at?: string
}

async function click(world: World, message: bigint, { url = 'https://a.io', ...more }: ClickRow = {}) {
  await world.rows(
    `INSERT INTO mail_click (account_id, created_at, recipient_id, url, is_bot, times)
     VALUES ($1, coalesce($2::timestamptz, now()), $3, $4, $5, $6)`,
    [world.accountId, more.at ?? null, String(message), url, more.isBot ?? false, more.times ?? 1],
  )
  await countRows(world, ['mail_click_parts'])
}

const linksOf = async (world: World, { id }: Pick<Named, 'id'>) => (await world.run(Links, { id })).campaign.links

describe('Campaign.links', () => {
  it('counts clicks and messages per link, most clicked first, without scanners and other campaigns', async () => {
    const world = await newWorld()
    const [campaign, other, untouched] = [await world.campaign(), await world.campaign(), await world.campaign()]
    const [ada, bob] = [await world.contact(), await world.contact()]
    const to = (contact: Named, { databaseId }: Named, more = {}) =>
      message(world, contact, { campaignId: databaseId, clicked: true, ...more })
    const [one, two, elsewhere] = [await to(ada, campaign), await to(bob, campaign), await to(ada, other)]
    for (const each of [one, one, two]) await click(world, each)
    await click(world, two, { url: 'https://b.io', times: 7 })
    await click(world, one, { url: 'https://c.io', isBot: true })
    await click(world, elsewhere, { url: 'https://d.io' })
    // It is not known whether this message was sent, but a person clicked on its link.
    const unconfirmed = await to(await world.contact(), campaign, { sent: false })
    await click(world, unconfirmed, { url: 'https://e.io' })

    const links = [
      { url: 'https://b.io', clicks: 7, uniqueClicks: 1 },
      { url: 'https://a.io', clicks: 3, uniqueClicks: 2 },
      { url: 'https://e.io', clicks: 1, uniqueClicks: 1 },
    ]
    expect(await linksOf(world, campaign)).toEqual(links)
    expect(await linksOf(world, untouched)).toEqual([])
    await world.run('mutation ($id: ID!) { contactDelete(input: { contact: { id: $id } }) { deleted } }', bob)
    expect(await linksOf(world, campaign)).toEqual(links)
    const stranger = await world.other()
    expect((await stranger.run(Links, { id: campaign.databaseId })).campaign).toBeNull()
  })

  it('returns the 100 most clicked links', async () => {
    const world = await newWorld()
    const campaign = await world.campaign()
    const sent = await message(world, await world.contact(), { campaignId: campaign.databaseId, clicked: true })
    await world.rows(
      `INSERT INTO mail_click (account_id, created_at, recipient_id, url, is_bot, times)
       SELECT $1, now(), $2, 'https://a.io/' || n, false, n FROM generate_series(1, 120) n`,
      [world.accountId, String(sent)],
    )
    await countRows(world, ['mail_click_parts'])
    const links = await linksOf(world, campaign)
    expect([links.length, links[0].clicks, links.at(-1).clicks]).toEqual([100, 120, 21])
  })
})

describe('a message of a sequence', () => {
  it('has a stage and its e-mail, and the stage has its links', async () => {
    const world = await newWorld()
    const sequence = await world.sequence()
    const [first, second] = [await world.stage(sequence), await world.stage(sequence)]
    const ada = await world.contact()
    const of = { sequenceId: sequence.databaseId, enrolmentId: 1, clicked: true }
    const sent = await message(world, ada, { ...of, stageId: first.databaseId })
    await click(world, sent)
    await world.rows(
      'UPDATE mail_recipient r SET email_id = g.email_id FROM sequence_stage g WHERE r.account_id = $1 AND g.id = r.stage_id',
      [world.accountId],
    )
    const document = `query ($id: ID!, $message: ID!) {
      sequence(id: $id) { stages { databaseId links { url clicks uniqueClicks } } }
      node(id: $message) { ... on Recipient { stage { databaseId } email { subject } campaign { id } } } }`
    const read = () => world.run(document, { id: sequence.id, message: recipientId(sent) })
    expect(await read()).toEqual({
      sequence: {
        stages: [
          { databaseId: first.databaseId, links: [{ url: 'https://a.io', clicks: 1, uniqueClicks: 1 }] },
          { databaseId: second.databaseId, links: [] },
        ],
      },
      node: { stage: { databaseId: first.databaseId }, email: { subject: expect.any(String) }, campaign: null },
    })
    const key = await world.key({ scopes: ['mail:read'] })
    const node =
      'query ($message: ID!) { node(id: $message) { ... on Recipient { stage { name } email { subject } } } }'
    const { body } = await world.ask(node, { message: recipientId(sent) }, { key })
    expect(body.data.node).toEqual({ stage: null, email: { subject: expect.any(String) } })
    expect(body.errors?.map(({ extensions }: { extensions: object }) => extensions)).toMatchObject([
      { code: 'FORBIDDEN', scope: 'SEQUENCES_READ' },
    ])
    await world.run('mutation ($id: ID!) { sequenceStageDelete(input: { id: $id }) { deletedSequenceStageId } }', first)
    expect((await read()).node).toEqual({ stage: null, email: null, campaign: null })
  })
})

describe('Recipient.clicks', () => {
  it('lists the clicks of people, latest first, by URL and time', async () => {
    const world = await newWorld()
    const campaign = await world.campaign()
    const [ada, bob] = [await world.contact(), await world.contact()]
    const [sent, other] = [
      await message(world, ada, { campaignId: campaign.databaseId, clicked: true }),
      await message(world, bob, { campaignId: campaign.databaseId }),
    ]
    await click(world, sent, { at: '2026-02-01T10:00:00Z' })
    await click(world, sent, { url: 'https://b.io', at: '2026-02-02T10:00:00Z', times: 3 })
    await click(world, sent, { at: '2026-02-03T10:00:00Z', isBot: true })
    await click(world, other, { at: '2026-02-04T10:00:00Z' })
    const read = async (id: bigint, filter = {}) =>
      (await world.run(Clicks, { id: recipientId(id), filter })).node.clicks
    const [first, latest] = [
      { url: 'https://a.io', createdAt: '2026-02-01T10:00:00.000Z', times: 1 },
      { url: 'https://b.io', createdAt: '2026-02-02T10:00:00.000Z', times: 3 },
    ]
    expect(await read(sent)).toMatchObject({ totalCount: 2, nodes: [latest, first] })
    expect((await read(sent, { url: { eq: 'HTTPS://A.io' } })).nodes).toEqual([first])
    expect((await read(sent, { createdAt: { gte: '2026-02-02T00:00:00Z' } })).nodes).toEqual([latest])
    const page = `query ($id: ID!, $after: String) { node(id: $id) { ... on Recipient {
      clicks(first: 1, after: $after) { nodes { url } pageInfo { endCursor hasNextPage } } } } }`
    const id = recipientId(sent)
    const { endCursor } = (await world.run(page, { id })).node.clicks.pageInfo
    expect((await world.run(page, { id, after: endCursor })).node.clicks).toMatchObject({
      nodes: [{ url: 'https://a.io' }],
      pageInfo: { hasNextPage: false },
    })
    expect((await (await world.other()).run(Clicks, { id })).node).toBeNull()
  })

  it('reads the clicks of messages whose ids exceed 32 bits', async () => {
    const world = await newWorld()
    const campaign = await world.campaign()
    const sent = await message(world, await world.contact(), { campaignId: campaign.databaseId })
    const large = 2n ** 40n + sent
    await world.rows('UPDATE mail_recipient SET id = $2 WHERE account_id = $1', [world.accountId, String(large)])
    await click(world, large)
    const document = 'query ($id: ID!) { campaign(id: $id) { recipients { nodes { clicks { nodes { url } } } } } }'
    expect((await world.run(document, campaign)).campaign.recipients.nodes).toEqual([
      { clicks: { nodes: [{ url: 'https://a.io' }] } },
    ])
  })
})
