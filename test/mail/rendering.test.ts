import { afterEach, describe, expect, it } from 'vitest'
import { threadLimits } from '../../src/kernel/work/thread-pool.ts'
import { until } from '../runtime/process.ts'
import { newWorld, type World } from '../support/world.ts'
import { countStates, hurry, readCampaign, sendCampaign, sharedSender, waitForStatus } from './sending.ts'

const usual = threadLimits.milliseconds
afterEach(() => {
  threadLimits.milliseconds = usual
})

const ContentSet = `mutation ($input: CampaignContentSetInput!) {
  campaignContentSet(input: $input) { campaign { id email { renderError } } } }`
const Send = 'mutation ($id: ID!) { campaignSend(input: { id: $id }) { campaign { status } } }'

/** Writes a body past all checks. */
async function store(world: World, campaign: { databaseId: number }, body: string | Buffer): Promise<void> {
  await world.rows(
    `UPDATE document d SET body = $3 FROM campaign c JOIN email e ON e.account_id = c.account_id AND e.id = c.email_id
     WHERE c.account_id = $1 AND c.id = $2 AND d.account_id = c.account_id AND d.id = e.html_document_id`,
    [world.accountId, campaign.databaseId, Buffer.from(body)],
  )
}

const renderError = async (world: World, id: string): Promise<string | null> =>
  (await world.run('query ($id: ID!) { campaign(id: $id) { email { renderError } } }', { id })).campaign.email
    .renderError

const failures = async (world: World): Promise<number[]> =>
  (
    await world.rows<{ n: number }>('SELECT render_failures AS n FROM email WHERE account_id = $1 ORDER BY id', [
      world.accountId,
    ])
  ).map(({ n }) => n)

async function sending() {
  const { sink, server } = await sharedSender()
  const world = await newWorld({ server })
  await world.contact({ email: 'reader@example.com', emailMarketing: true })
  return { sink, server, world }
}

/** Long enough for a thread, and for more than a millisecond in one that is warm. */
const long = `<p>Hello {{FIRST_NAME}}</p>${'<p>And so on.</p>'.repeat(20_000)}`

describe('content that was stored before there were limits', () => {
  it.each([
    [
      'lists in lists',
      '<ul><li>'.repeat(112_500),
      'The html of the e-mail must not have so many elements inside each other, at most 200.',
    ],
    [
      'too many merge fields',
      '{{EMAIL}}'.repeat(50_000),
      'The html of the e-mail must have at most 20000 merge fields.',
    ],
    ['a body that is too long', 'x'.repeat(1_000_001), 'The html of the e-mail must have at most 1000000 characters.'],
  ])('stops its campaign with the reason, and no other: %s', async (_name, body, reason) => {
    const { sink, server, world } = await sending()
    const other = await world.other()
    await other.contact({ email: 'other@example.com', emailMarketing: true })
    const campaign = await world.campaign()
    await store(world, campaign, body)
    await world.run(
      'mutation ($id: ID!) { campaignSend(input: { id: $id, audience: { sendToAll: true } }) { campaign { id } } }',
      campaign,
    )
    const { id } = await sendCampaign(other)
    await waitForStatus(other, id, 'SENT')
    expect(await waitForStatus(world, campaign.id, 'ERROR')).toMatchObject({ errorCode: 'TEMPLATE_ERROR', sentTo: 0 })
    expect(await renderError(world, campaign.id)).toBe(reason)
    expect(sink.taken.map(({ to }) => to)).toEqual(['other@example.com'])

    // It can be mended, and goes on with those who had waited.
    await world.run(ContentSet, { input: { id: campaign.id, html: '<p>Mended</p>' } })
    expect(await renderError(world, campaign.id)).toBeNull()
    await world.run(Send, { id: campaign.id })
    expect(await waitForStatus(world, campaign.id, 'SENT')).toMatchObject({ sentTo: 1 })
    expect(server.errors).toEqual([])
  })

  it('is sent with replacement characters if it is not valid UTF-8', async () => {
    const { sink, world } = await sending()
    const campaign = await world.campaign()
    await store(world, campaign, Buffer.from([0x3c, 0x70, 0x3e, 0xff, 0x00, 0x41]))
    await world.run(
      'mutation ($id: ID!) { campaignSend(input: { id: $id, audience: { sendToAll: true } }) { campaign { id } } }',
      campaign,
    )
    await waitForStatus(world, campaign.id, 'SENT')
    expect(sink.taken).toHaveLength(1)
  })
})

describe('content that takes too long to render', () => {
  it('stops its campaign after three attempts, and is rendered again when the campaign is resumed', async () => {
    const { sink, server, world } = await sending()
    const other = await world.other()
    await other.contact({ email: 'other@example.com', emailMarketing: true })
    const campaign = await world.campaign()
    await world.run(ContentSet, { input: { id: campaign.id, html: long } })
    threadLimits.milliseconds = 1
    await world.run(
      'mutation ($id: ID!) { campaignSend(input: { id: $id, audience: { sendToAll: true } }) { campaign { id } } }',
      campaign,
    )
    await until(async () => (await failures(world))[0] === 1)
    expect(await readCampaign(world, campaign.id)).toMatchObject({ status: 'SENDING', errorCode: null })
    await waitForStatus(other, (await sendCampaign(other)).id, 'SENT')
    await until(async () => {
      await hurry(world)
      return (await readCampaign(world, campaign.id)).status === 'ERROR'
    })
    expect(await readCampaign(world, campaign.id)).toMatchObject({ errorCode: 'TEMPLATE_ERROR' })
    expect(await failures(world)).toEqual([3])
    expect(await renderError(world, campaign.id)).toMatch(/^It took more than 0.001 seconds/)
    expect(await countStates(world, campaign.databaseId)).toEqual({ QUEUED: 1 })

    threadLimits.milliseconds = usual
    await world.run(Send, { id: campaign.id })
    expect(await waitForStatus(world, campaign.id, 'SENT')).toMatchObject({ sentTo: 1 })
    expect(await failures(world)).toEqual([0])
    expect(sink.taken.map(({ to }) => to).toSorted()).toEqual(['other@example.com', 'reader@example.com'])
    expect(server.errors).toEqual([])
  })

  it('sets messages of a sequence to FAILED, and the sequence continues', async () => {
    const { server, world } = await sending()
    const sequence = await world.sequence()
    const stage = await world.stage(sequence, { active: true, timeValue: 0 })
    await world.run(
      'mutation ($id: ID!, $html: String!) { sequenceStageContentSet(input: { id: $id, html: $html, fromEmail: "ada@example.com" }) { stage { id } } }',
      { id: stage.id, html: long },
    )
    threadLimits.milliseconds = 1
    const contact = await world.contact({ emailMarketing: true })
    await world.subscribe(contact, sequence)
    await until(async () => {
      await hurry(world)
      const [row] = await world.rows<{ state: string; answer: string }>(
        'SELECT state, answer FROM mail_recipient WHERE account_id = $1 AND stage_id = $2',
        [world.accountId, stage.databaseId],
      )
      return row?.state === 'FAILED' && /^It took more than/.test(row.answer)
    })
    await until(async () => {
      const [row] = await world.rows<{ state: string }>('SELECT state FROM enrolment WHERE account_id = $1', [
        world.accountId,
      ])
      return row?.state === 'COMPLETED'
    })
    expect(server.errors).toEqual([])
  })
})

describe('campaignContentSet', () => {
  it.each([
    ['elements inside each other', '<ul><li>'.repeat(112_500), 'at most 200'],
    ['elements', '<br>'.repeat(50_001), 'at most 50000'],
    ['attributes', `<p ${'a=1 '.repeat(251)}>`, 'at most 250'],
    ['merge fields', '{{EMAIL}}'.repeat(20_001), 'at most 20000'],
    ['links', '<a href="http://a.eu">x</a>'.repeat(20_001), 'at most 20000'],
    [
      'addresses',
      Array.from({ length: 5_001 }, (_, at) => `<a href="http://a.eu/${at}">x</a>`).join(''),
      'at most 5000',
    ],
    ['characters as text', '<hr>'.repeat(40_000), '1000000 characters'],
  ])('refuses too many %s, and says how many there may be', async (_name, html, words) => {
    const world = await newWorld()
    const { extensions } = await world.fault(ContentSet, { input: { id: (await world.campaign()).id, html } })
    expect(extensions).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { 'input.html': [expect.stringContaining(words)] },
    })
  })

  it('accepts a newsletter of 500 kB', async () => {
    const world = await newWorld()
    const block = `<table width="100%" cellpadding="0"><tr><td style="padding:10px"><p>Hello {{FIRST_NAME}}, there is more
      <a href="https://example.com/?a=b&amp;c=d">here</a>.</p><img src="https://example.com/x.png" alt="A bowl"></td></tr></table>`
    const html = `<html><head><style>p{color:red}</style></head><body>${block.repeat(Math.floor(500_000 / block.length))}</body></html>`
    await world.run(ContentSet, { input: { id: (await world.campaign()).id, html } })
  })
})
