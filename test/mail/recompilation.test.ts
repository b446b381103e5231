// @module-tag rows
import { describe, expect, it } from 'vitest'
import { start, until } from '../runtime/process.ts'
import { newBlocker } from '../support/blocker.ts'
import { ageHeartbeats } from '../support/dead-worker.ts'
import { newServer, type Server } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'
import { documentOf, paragraph } from './content.ts'

const SetContent = `mutation ($id: ID!, $content: JSON) {
  campaignContentSet(input: { id: $id, content: $content }) { campaign { id } } }`
const Address = 'mutation ($address: String!) { brandUpdate(input: { address: $address }) { brand { address } } }'
const Send = 'mutation ($id: ID!) { campaignSend(input: { id: $id }) { campaign { status } } }'
const Duplicate = 'mutation ($id: ID!) { campaignDuplicate(input: { id: $id }) { campaign { id } } }'
const document = documentOf({ type: 'text', content: paragraph('Hello') }, { type: 'footer' })

const htmlOf = async (world: World, { id }: { id: string }): Promise<string> =>
  (await world.run('query ($id: ID!) { campaign(id: $id) { email { html } } }', { id })).campaign.email.html

const htmlOfStage = async (world: World, { id }: { id: string }): Promise<string> =>
  (await world.run('query ($id: ID!) { node(id: $id) { ... on SequenceStage { email { html } } } }', { id })).node.email
    .html

/** Creates a draft with an address in its footer, and contacts to which it can be sent. */
async function newDraft(world: World) {
  const campaign = await world.campaign({ audience: { sendToAll: true } })
  await world.run(SetContent, { id: campaign.id, content: document })
  return campaign
}

let server: Promise<Server> | undefined
/** A server that runs jobs. */
const withJobs = () => {
  server ??= newServer({ ROLES: 'api,worker' })
  return server
}

const isStale = async (world: World) =>
  (await world.rows('SELECT FROM email WHERE account_id = $1 AND is_stale', [world.accountId])).length > 0

describe('a change of the brand', () => {
  it('reaches drafts, scheduled campaigns and stages, and no message that was sent', async () => {
    const world = await newWorld({ server: await withJobs() })
    await world.contact({ emailMarketing: true })
    await world.run(Address, { address: 'Mill Lane' })
    const [draft, scheduled, sent] = [await newDraft(world), await newDraft(world), await newDraft(world)]
    const stage = await world.stage(await world.sequence())
    const SetStage = `mutation ($id: ID!, $content: JSON) {
      sequenceStageContentSet(input: { id: $id, content: $content }) { stage { id } } }`
    await world.run(SetStage, { id: stage.id, content: document })
    const later = '2099-01-01 10:00'
    const Schedule = `mutation ($id: ID!, $at: String!) {
      campaignSchedule(input: { id: $id, scheduledFor: $at }) { campaign { status } } }`
    await world.run(Schedule, { id: scheduled.id, at: later })
    await world.run(Send, { id: sent.id })
    const before = (await world.announced('campaign.updated')).length
    await world.run(Address, { address: 'Bell Street' })
    for (const campaign of [draft, scheduled]) {
      await until(async () => (await htmlOf(world, campaign)).includes('Bell Street'))
    }
    await until(async () => (await htmlOfStage(world, stage)).includes('Bell Street'))
    expect(await htmlOf(world, sent)).toContain('Mill Lane')
    const events = (await world.announced('campaign.updated')).slice(before).map(({ data }) => data['campaignId'])
    expect(events).toEqual([draft.databaseId, scheduled.databaseId])
    expect((await world.announced('sequence_stage.updated')).at(-1)?.data).toMatchObject({ stageId: stage.databaseId })
    expect(await isStale(world)).toBe(false)
  })

  it('leaves a text as it is that was set by itself, until the content is set again', async () => {
    const world = await newWorld({ server: await withJobs() })
    const stage = await world.stage(await world.sequence())
    const set = (input: object) =>
      world.run(
        `mutation ($id: ID!, $content: JSON, $text: String) {
          sequenceStageContentSet(input: { id: $id, content: $content, text: $text }) { stage { id } } }`,
        { id: stage.id, ...input },
      )
    const Read = 'query ($id: ID!) { node(id: $id) { ... on SequenceStage { email { html text } } } }'
    const textAfter = async (address: string) => {
      await world.run(Address, { address })
      await until(async () => (await htmlOfStage(world, stage)).includes(address))
      return (await world.run(Read, { id: stage.id })).node.email.text
    }
    await set({ content: document })
    await set({ text: 'Our own words' })
    expect(await textAfter('Bell Street')).toBe('Our own words')
    expect(await textAfter('Mill Lane')).toBe('Our own words')
    await set({ content: document })
    expect(await textAfter('Bridge Road')).toContain('Bridge Road')
  })

  it('reaches the copy of a message that was sent', async () => {
    const world = await newWorld({ server: await withJobs() })
    await world.contact({ emailMarketing: true })
    await world.run(Address, { address: 'Mill Lane' })
    const sent = await newDraft(world)
    await world.run(Send, { id: sent.id })
    await world.run(Address, { address: 'Bell Street' })
    const { campaignDuplicate } = await world.run(Duplicate, { id: sent.id })
    await until(async () => (await htmlOf(world, campaignDuplicate.campaign)).includes('Bell Street'))
    expect(await htmlOf(world, sent)).toContain('Mill Lane')
  })

  it('is in the message of a campaign that starts before the job ran', async () => {
    const world = await newWorld()
    await world.contact({ emailMarketing: true })
    const draft = await newDraft(world)
    await world.run(Address, { address: 'Bell Street' })
    expect(await htmlOf(world, draft)).not.toContain('Bell Street')
    await world.run(Send, { id: draft.id })
    expect(await htmlOf(world, draft)).toContain('Bell Street')
    expect(await isStale(world)).toBe(false)
  })

  it('leaves a message as it was that cannot be made again, and says why', async () => {
    const world = await newWorld()
    await world.contact({ emailMarketing: true })
    const draft = await newDraft(world)
    const before = await htmlOf(world, draft)
    // The rules of blocks have changed since.
    await world.rows(
      `UPDATE document SET body = convert_to(replace(convert_from(body, 'UTF8'), '"footer"', '"gone"'), 'UTF8')
       WHERE account_id = $1 AND content_type = 'application/json'`,
      [world.accountId],
    )
    await world.run(Address, { address: 'Bell Street' })
    await world.run(Send, { id: draft.id })
    const read = 'query ($id: ID!) { campaign(id: $id) { status email { html compileError } } }'
    const { campaign } = await world.run(read, { id: draft.id })
    expect(campaign).toEqual({
      status: 'SENDING',
      email: {
        html: before,
        compileError: expect.stringContaining('sections.0.columns.0.blocks.1.type must be one of'),
      },
    })
  })
})

describe('a worker that is killed while it compiles', () => {
  it('is followed by another one, which compiles the rest', async () => {
    const world = await newWorld()
    const first = await newDraft(world)
    const more = Array.from({ length: 24 }, () =>
      world.run(Duplicate, { id: first.id }).then(({ campaignDuplicate }) => campaignDuplicate.campaign),
    )
    const drafts = [first, ...(await Promise.all(more))]
    await world.run(Address, { address: 'Bell Street' })
    const stale = async () =>
      (await world.rows('SELECT FROM email WHERE account_id = $1 AND is_stale', [world.accountId])).length
    expect(await stale()).toBe(25)
    const env = { DATABASE_URL: world.server.databaseUrl, SECRET: 'a secret that only tests know', ROLES: 'worker' }
    const blocker = await newBlocker(world)
    await blocker.query(
      'SELECT FROM email WHERE account_id = $1 AND id = (SELECT max(id) FROM email WHERE account_id = $1) FOR UPDATE',
      [world.accountId],
    )
    const killed = start('main', [], { ...env, PORT: '0' })
    await blocker.waited()
    killed.signal('SIGKILL')
    await killed.end
    await blocker.query('ROLLBACK')
    const left = await stale()
    expect([left > 0, left < 25]).toEqual([true, true])
    await ageHeartbeats(world)
    const heir = start('main', [], { ...env, PORT: '0' })
    await until(async () => (await stale()) === 0)
    for (const draft of drafts) expect(await htmlOf(world, draft)).toContain('Bell Street')
    heir.signal('SIGTERM')
    expect(await heir.end).toMatchObject({ code: 0 })
  })
})

describe('the content of a message that is set while the brand changes', () => {
  it('has the brand of after the change', async () => {
    const world = await newWorld({ server: await withJobs() })
    const draft = await newDraft(world)
    const addresses = Array.from({ length: 6 }, (_, n) => `${n} Bell Street`)
    for (const address of addresses) {
      await Promise.all([
        world.run(SetContent, { id: draft.id, content: document }),
        world.run(Address, { address }),
        world.run(SetContent, { id: draft.id, content: document }),
      ])
      await until(async () => (await htmlOf(world, draft)).includes(address))
    }
  })
})
