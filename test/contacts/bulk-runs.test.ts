// @module-tag rows
import { describe, expect, it } from 'vitest'
import { processNext } from '../../src/contacts/index.ts'
import { type Ctx, newCtx } from '../../src/db/context.ts'
import { newPacing, type PacedWork } from '../../src/kernel/work/pacing.ts'
import { newServer } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'
import { addContacts, Cancel, jobOf, startBulk, waitForBulk } from './bulk.ts'
import { finishBesideLargeJobs, resumeAfterKill } from './bulk-scale.ts'

/** Processes the parts of a bulk job in this process, up to a number of them. */
async function process(world: World, id: number, parts: number, work?: PacedWork): Promise<void> {
  const ctx: Ctx = { ...newCtx(world.server.system, { accountId: world.accountId }), ...(work && { work }) }
  for (let done = 0; done < parts; done += 1) if (await processNext(ctx, id)) return
}

describe('a part of a bulk job', () => {
  it('has 500 contacts, and 100 while requests are served', async () => {
    const world = await newWorld()
    await addContacts(world, 700)
    const { id, databaseId } = await startBulk(world, { all: true }, { addTagIds: [(await world.tag()).id] })
    await process(world, databaseId, 2)
    expect((await jobOf(world, id)).done).toBe(500)
    const pacing = newPacing({ share: 0.1 })
    pacing.noteBusy()
    await process(world, databaseId, 1, pacing.start())
    expect((await jobOf(world, id)).done).toBe(600)
  })
})

describe('bulk jobs whose worker is killed', { timeout: 300_000 }, () => {
  // Two parts of each job.
  it('are resumed by another worker and process each contact exactly once', () => resumeAfterKill(600))
})

describe('bulk jobs without a worker', { timeout: 120_000 }, () => {
  it('are processed once by two processes', async () => {
    const world = await newWorld()
    const server = await newServer({ DATABASE_URL: world.server.databaseUrl })
    await addContacts(world, 1_200)
    const tag = await world.tag()
    const job = await startBulk(world, { all: true }, { addTagIds: [tag.id] })
    const twin = { ...world, server }
    await Promise.all([process(world, job.databaseId, 20), process(twin, job.databaseId, 20)])
    expect(await jobOf(world, job.id)).toMatchObject({ status: 'COMPLETED', done: 1_200, changed: 1_200 })
    expect(await world.announced('contact.tag_added')).toHaveLength(1_200)
  })

  it('stop when they are cancelled', async () => {
    const world = await newWorld()
    await addContacts(world, 400)
    const job = await startBulk(world, { all: true }, { delete: true })
    await process(world, job.databaseId, 3)
    const { bulkJob } = (await world.run(Cancel, { id: job.id })).bulkJobCancel
    expect(bulkJob).toMatchObject({ status: 'CANCELLED', finishedAt: expect.any(String) })
    await process(world, job.databaseId, 20)
    const { done } = await jobOf(world, job.id)
    expect(done).toBe(200)
    expect((await world.run('{ contacts { totalCount } }')).contacts.totalCount).toBe(400 - done)
    expect((await world.fault(Cancel, { id: job.id })).extensions.code).toBe('INVALID_STATE')
  })

  it('take no more statements for a batch than for one contact', async () => {
    const world = await newWorld()
    const server = await newServer({ DATABASE_URL: world.server.databaseUrl })
    const twin = { ...world, server }
    const sequence = await world.sequence()
    await world.stage(sequence, { active: true })
    const [tag, field] = [await world.tag(), await world.customField()]
    const actions = [
      { addTagIds: [tag.id] },
      { removeTagIds: [tag.id] },
      { addSequenceIds: [sequence.id] },
      { removeSequenceIds: [sequence.id] },
      { update: { city: 'Nice', customFields: [{ customFieldId: field.id, value: 'x' }] } },
      { unsubscribe: {} },
      { delete: true },
    ]
    for (const action of actions) {
      const statements = async (count: number) => {
        await world.rows('DELETE FROM contact WHERE account_id = $1', [world.accountId])
        await addContacts(world, count)
        if ('removeTagIds' in action || 'removeSequenceIds' in action) {
          const before = 'removeTagIds' in action ? { addTagIds: [tag.id] } : { addSequenceIds: [sequence.id] }
          const { databaseId } = await startBulk(world, { all: true }, before)
          await process(world, databaseId, 5)
        }
        const { databaseId } = await startBulk(world, { all: true }, action)
        await process(twin, databaseId, 1)
        const before = server.app.database.statements()
        await process(twin, databaseId, 1)
        return server.app.database.statements() - before
      }
      await statements(1)
      const [few, many] = [await statements(1), await statements(100)]
      // The process also reads the event log meanwhile, which takes a few statements.
      expect(many, JSON.stringify(action)).toBeLessThanOrEqual(few + 3)
    }
  })

  it('cannot be more than 50 at a time', async () => {
    const world = await newWorld()
    const create = () => startBulk(world, { all: true }, { unsubscribe: {} })
    const results = await Promise.allSettled(Array.from({ length: 55 }, create))
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(50)
    await expect(create()).rejects.toThrow('QUOTA_EXCEEDED')
  })
})

describe('bulk jobs of a worker', { timeout: 120_000 }, () => {
  it('do not delay the job of another account', () => finishBesideLargeJobs(4_000))

  it('send their progress to subscribers until they end', async () => {
    const server = await newServer({ ROLES: 'api,worker' })
    const world = await newWorld({ server })
    await addContacts(world, 1_200)
    const { eventCursor } = await world.run('{ eventCursor }')
    const job = await startBulk(world, { all: true }, { addTagIds: [(await world.tag()).id] })
    const document = `subscription ($id: ID!, $after: String) {
      bulkJobProgress(bulkJobId: $id, after: $after) { cursor status done bulkJob { total } } }`
    const last = await world.socket().ask(document, { id: job.id, after: eventCursor })
    expect(last.data).toEqual({
      bulkJobProgress: { cursor: expect.any(String), status: 'COMPLETED', done: 1_200, bulkJob: { total: 1_200 } },
    })
    await waitForBulk(world, job.id)
    const query = new URLSearchParams({ query: document, variables: JSON.stringify({ id: job.id }) })
    const response = await fetch(`${server.url}/graphql?${query}`, {
      headers: { accept: 'text/event-stream', authorization: `Bearer ${world.mainKey}` },
    })
    const text = await response.text()
    expect(text.match(/event: next/g)).toHaveLength(1)
    expect(text).toContain('"status":"COMPLETED"')
    expect(text.trimEnd().endsWith('event: complete\ndata:')).toBe(true)
    const foreign = await newWorld({ server })
    const refused = await foreign.socket().ask(document, { id: job.id })
    expect(refused.errors?.[0]?.extensions?.['code']).toBe('NOT_FOUND')
  })
})
