// @module-tag rows
import { describe, expect, it } from 'vitest'
import { newCtx } from '../../src/db/context.ts'
import { advance } from '../../src/sequences/index.ts'
import { type Named, newWorld, type World } from '../support/world.ts'
import { enrolmentRead, sequenceRead, subscribe, unsubscribe } from './documents.ts'

const day = 86_400_000
/** A time zone in which each day has 24 hours. */
const utc = { timezone: 'UTC' }

async function staged(world: World, ...stages: Record<string, unknown>[]) {
  const sequence = await world.sequence()
  const made: Named[] = []
  for (const stage of stages) made.push(await world.stage(sequence, { active: true, ...stage }))
  return { sequence, stages: made }
}

const pair = (contact: Named, sequence: Named) => ({ contactId: contact.databaseId, sequenceId: sequence.databaseId })

async function sequencesOf(world: World, contact: Named): Promise<string[]> {
  const { contact: found } = await world.run(
    'query ($id: ID!) { contact(ref: { id: $id }) { sequences { name } } }',
    contact,
  )
  return found.sequences.map(({ name }: { name: string }) => name)
}

describe('sequenceEnrol', () => {
  it('plans the first stage and emits sequence.subscribed', async () => {
    const world = await newWorld(utc)
    const { sequence, stages } = await staged(world, { timeValue: 2 }, {})
    const contact = await world.contact()
    const input = { contact: { email: contact.email.toUpperCase() }, sequenceId: sequence.databaseId }
    const { sequenceEnrol } = await world.run(subscribe, { input })
    expect(sequenceEnrol).toMatchObject({
      contactDatabaseId: contact.databaseId,
      contact: { email: contact.email },
      sequence: { databaseId: sequence.databaseId },
      enrolment: { state: 'ACTIVE', anchorDate: null, nextStage: { databaseId: stages[0]?.databaseId } },
    })
    const { enrolledAt, dueAt } = sequenceEnrol.enrolment
    expect(Date.parse(dueAt) - Date.parse(enrolledAt)).toBe(2 * day)
    expect(await world.announced('sequence.subscribed')).toEqual([
      { type: 'sequence.subscribed', data: pair(contact, sequence) },
    ])
    expect((await world.run(sequenceRead, sequence)).sequence.activeContacts).toBe(1)
  })

  it('enrols once for repeated and concurrent requests', async () => {
    const world = await newWorld()
    const { sequence } = await staged(world, {})
    const contact = await world.contact()
    const enrolments = await Promise.all(Array.from({ length: 20 }, () => world.subscribe(contact, sequence)))
    expect(new Set(enrolments.map(({ id }) => id)).size).toBe(1)
    expect(await world.rows('SELECT FROM enrolment WHERE account_id = $1', [world.accountId])).toHaveLength(1)
    expect(await world.announced('sequence.subscribed')).toHaveLength(1)
  })

  it('returns SEQUENCE_HAS_NO_STAGES without stages, but enrols if all stages are inactive', async () => {
    const world = await newWorld()
    const [sequence, contact] = [await world.sequence(), await world.contact()]
    const input = { contact: { id: contact.id }, sequenceId: sequence.id }
    expect((await world.fault(subscribe, { input })).extensions.code).toBe('SEQUENCE_HAS_NO_STAGES')
    await world.stage(sequence)
    const { enrolment } = (await world.run(subscribe, { input })).sequenceEnrol
    expect(enrolment).toMatchObject({ state: 'ACTIVE', nextStage: null, dueAt: null })
  })

  it('starts again after the end, and after leaving', async () => {
    const world = await newWorld()
    const { sequence, stages } = await staged(world, {})
    const contact = await world.contact()
    const first = await world.subscribe(contact, sequence)
    const ctx = newCtx(world.server.system, { accountId: world.accountId })
    const step = { enrolmentId: first.databaseId, stageId: stages[0]?.databaseId as number }
    expect(await advance(ctx, step)).toBe(true)
    const second = await world.subscribe(contact, sequence)
    await world.run(unsubscribe, { contact: { id: contact.id }, sequenceId: sequence.id })
    const third = await world.subscribe(contact, sequence)
    expect(new Set([first.id, second.id, third.id]).size).toBe(3)
    const { contact: found } = await world.run(
      `query ($id: ID!) { contact(ref: { id: $id }) {
        enrolments { nodes { state endedAt } totalCount } live: enrolments(filter: { state: ACTIVE }) { totalCount } } }`,
      contact,
    )
    expect(found).toEqual({
      enrolments: {
        nodes: [
          { state: 'ACTIVE', endedAt: null },
          { state: 'ENDED', endedAt: expect.any(String) },
          { state: 'COMPLETED', endedAt: expect.any(String) },
        ],
        totalCount: 3,
      },
      live: { totalCount: 1 },
    })
  })

  it('rejects more than 1,000 sequences per contact', async () => {
    const world = await newWorld()
    const { sequence } = await staged(world, {})
    const contact = await world.contact()
    await world.rows(
      `WITH made AS (INSERT INTO sequence (account_id, name, type, created_at)
         SELECT $1, n::text, 'NORMAL', now() FROM generate_series(1, 1000) n RETURNING id)
       INSERT INTO enrolment (account_id, contact_id, sequence_id, enrolled_at, done_stage_ids) SELECT $1, $2, id, now(), '{}' FROM made`,
      [world.accountId, contact.databaseId],
    )
    const { extensions } = await world.fault(subscribe, {
      input: { contact: { id: contact.id }, sequenceId: sequence.id },
    })
    expect(extensions).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { 'input.sequenceId': [expect.any(String)] },
    })
    expect(await world.announced('sequence.subscribed')).toEqual([])
    expect(await sequencesOf(world, contact)).toHaveLength(1000)
  })

  it('returns the same result for an idempotency key after the contact left', async () => {
    const world = await newWorld()
    const { sequence } = await staged(world, {})
    const contact = await world.contact()
    const input = { contact: { id: contact.id }, sequenceId: sequence.id, idempotencyKey: 'one' }
    const first = (await world.run(subscribe, { input })).sequenceEnrol
    await world.run(unsubscribe, { contact: { id: contact.id }, sequenceId: sequence.id })
    const again = (await world.run(subscribe, { input })).sequenceEnrol
    expect(again.enrolment).toMatchObject({ id: first.enrolment.id, state: 'ENDED' })
    expect(await world.announced('sequence.subscribed')).toHaveLength(1)
  })
})

describe('sequenceUnenrol', () => {
  it('ends the enrolment and skips its queued messages; idempotent', async () => {
    const world = await newWorld()
    const { sequence, stages } = await staged(world, {})
    const contact = await world.contact()
    const enrolment = await world.subscribe(contact, sequence)
    await world.rows(
      'INSERT INTO mail_recipient (account_id, sequence_id, stage_id, enrolment_id, contact_id, created_at) VALUES ($1, $2, $3, $4, $5, now())',
      [world.accountId, sequence.databaseId, stages[0]?.databaseId, enrolment.databaseId, contact.databaseId],
    )
    for (let times = 0; times < 2; times += 1) {
      const { sequenceUnenrol } = await world.run(unsubscribe, {
        contact: { id: contact.id },
        sequenceId: sequence.id,
      })
      expect(sequenceUnenrol).toEqual({
        contactDatabaseId: contact.databaseId,
        sequence: { databaseId: sequence.databaseId },
      })
    }
    expect((await world.run(enrolmentRead, enrolment)).node).toMatchObject({
      state: 'ENDED',
      nextStage: null,
      dueAt: null,
      endedAt: expect.any(String),
    })
    expect(await world.announced('sequence.unsubscribed')).toEqual([
      { type: 'sequence.unsubscribed', data: pair(contact, sequence) },
    ])
    expect(await world.rows('SELECT state FROM mail_recipient WHERE account_id = $1', [world.accountId])).toEqual([
      { state: 'SKIPPED' },
    ])
  })

  it.each([
    [
      'contactUnsubscribe',
      'mutation ($id: ID!) { contactUnsubscribe(input: { contact: { id: $id } }) { contact { id } } }',
    ],
    [
      'contactUpdate',
      'mutation ($id: ID!) { contactUpdate(input: { contact: { id: $id }, emailMarketing: false }) { contact { id } } }',
    ],
  ])('ends the enrolments in all sequences with %s', async (_name, document) => {
    const world = await newWorld()
    const contact = await world.contact({ emailMarketing: true })
    for (let times = 0; times < 3; times += 1) await world.subscribe(contact, (await staged(world, {})).sequence)
    await world.run(document, contact)
    expect(await sequencesOf(world, contact)).toEqual([])
    expect(await world.announced('sequence.unsubscribed')).toHaveLength(3)
  })
})

describe('a contact', () => {
  it('is enrolled by contactCreate and contactUpdate; unknown, empty and current sequences are skipped', async () => {
    const world = await newWorld()
    const other = await world.other()
    const [{ sequence: a }, { sequence: b }] = [await staged(world, {}), await staged(world, {})]
    const empty = await world.sequence()
    const { sequence: foreign } = await staged(other, {})
    const contact = await world.contact({ addSequenceIds: [a.id, empty.id, foreign.databaseId, '0', a.databaseId] })
    expect(await sequencesOf(world, contact)).toEqual([(await world.run(sequenceRead, a)).sequence.name])
    const upsert =
      'mutation ($email: String!, $ids: [ID!]) { contactUpsert(input: { email: $email, addSequenceIds: $ids }) { created } }'
    await world.run(upsert, { email: contact.email, ids: [a.id, b.id] })
    expect(await sequencesOf(world, contact)).toHaveLength(2)
    await world.run(upsert, { email: contact.email, ids: [] })
    expect(await sequencesOf(world, contact)).toHaveLength(2)
    expect(await world.announced('sequence.subscribed')).toHaveLength(2)
    expect(await other.announced('sequence.subscribed')).toEqual([])
  })

  it('has no enrolments after it is deleted', async () => {
    const world = await newWorld()
    const { sequence } = await staged(world, {})
    const contact = await world.contact()
    await world.subscribe(contact, sequence)
    await world.run('mutation ($id: ID!) { contactDelete(input: { contact: { id: $id } }) { deleted } }', contact)
    expect((await world.run(sequenceRead, sequence)).sequence.activeContacts).toBe(0)
  })
})

describe('progress in a sequence', () => {
  it('runs each stage once and completes after the last', async () => {
    const world = await newWorld(utc)
    const { sequence, stages } = await staged(world, {}, { timeValue: 3 })
    const contact = await world.contact()
    const enrolment = await world.subscribe(contact, sequence)
    const ctx = newCtx(world.server.system, { accountId: world.accountId })
    const does = (index: number) =>
      advance(ctx, { enrolmentId: enrolment.databaseId, stageId: stages[index]?.databaseId as number })

    expect(await does(0)).toBe(true)
    expect(await does(0)).toBe(false)
    const half = (await world.run(enrolmentRead, enrolment)).node
    expect(half).toMatchObject({
      state: 'ACTIVE',
      lastStage: { databaseId: stages[0]?.databaseId },
      nextStage: { databaseId: stages[1]?.databaseId },
    })
    expect(Date.parse(half.dueAt) - Date.parse(half.lastDoneAt)).toBe(3 * day)

    const twice = await Promise.all([does(1), does(1), does(1)])
    expect(twice.filter(Boolean)).toHaveLength(1)
    expect((await world.run(enrolmentRead, enrolment)).node).toMatchObject({
      state: 'COMPLETED',
      nextStage: null,
      dueAt: null,
      endedAt: expect.any(String),
    })
    expect(await world.announced('sequence.completed')).toEqual([
      { type: 'sequence.completed', data: pair(contact, sequence) },
    ])
    expect(await world.announced('sequence.unsubscribed')).toEqual([])
    expect(await sequencesOf(world, contact)).toEqual([])
  })

  it('does not change for another account', async () => {
    const world = await newWorld()
    const { sequence, stages } = await staged(world, {})
    const enrolment = await world.subscribe(await world.contact(), sequence)
    const other = await world.other()
    const ctx = newCtx(world.server.system, { accountId: other.accountId })
    expect(await advance(ctx, { enrolmentId: enrolment.databaseId, stageId: stages[0]?.databaseId as number })).toBe(
      false,
    )
  })
})

describe('an inverted sequence', () => {
  const anchorDate = new Date(Date.now() + 10 * day).toISOString()

  it('counts back from the anchor date and skips past stages', async () => {
    const world = await newWorld(utc)
    const sequence = await world.sequence({ type: 'INVERTED' })
    const stages: Named[] = []
    for (const timeValue of [30, 7, 1]) stages.push(await world.stage(sequence, { timeValue, active: true }))
    const enrolment = await world.subscribe(await world.contact(), sequence, { anchorDate })
    const { node } = await world.run(enrolmentRead, enrolment)
    expect(node).toMatchObject({ anchorDate, nextStage: { databaseId: stages[1]?.databaseId } })
    expect(Date.parse(anchorDate) - Date.parse(node.dueAt)).toBe(7 * day)
  })

  it('is completed immediately if all stages are in the past', async () => {
    const world = await newWorld()
    const sequence = await world.sequence({ type: 'INVERTED' })
    await world.stage(sequence, { timeValue: 30, active: true })
    const contact = await world.contact()
    const enrolment = await world.subscribe(contact, sequence, { anchorDate })
    expect((await world.run(enrolmentRead, enrolment)).node.state).toBe('COMPLETED')
    expect((await world.announced()).map(({ type }) => type)).toEqual([
      'contact.created',
      'sequence.subscribed',
      'sequence.completed',
    ])
  })

  it('keeps the enrolment of a contact whose new anchor date would complete it', async () => {
    const world = await newWorld()
    const sequence = await world.sequence({ type: 'INVERTED' })
    await world.stage(sequence, { timeValue: 3, active: true })
    const contact = await world.contact()
    const first = await world.subscribe(contact, sequence, { anchorDate })
    const past = new Date(Date.now() - 10 * day).toISOString()
    const again = await world.subscribe(contact, sequence, { anchorDate: past })
    expect(again.id).toBe(first.id)
    expect(await world.rows('SELECT FROM enrolment WHERE account_id = $1', [world.accountId])).toHaveLength(1)
    expect(await world.announced('sequence.completed')).toEqual([])
  })

  it('runs like a normal one without an anchor date, and rejects a date out of range', async () => {
    const world = await newWorld(utc)
    const sequence = await world.sequence({ type: 'INVERTED' })
    await world.stage(sequence, { timeValue: 3, active: true })
    const contact = await world.contact()
    for (const anchorDate of ['0001-01-01T00:00:00Z', '9999-01-01T00:00:00Z']) {
      const { extensions } = await world.fault(subscribe, {
        input: { contact: { id: contact.id }, sequenceId: sequence.id, anchorDate },
      })
      expect(extensions).toMatchObject({
        code: 'VALIDATION_ERROR',
        details: { 'input.anchorDate': [expect.any(String)] },
      })
    }
    const { node } = await world.run(enrolmentRead, await world.subscribe(contact, sequence))
    expect(Date.parse(node.dueAt) - Date.parse(node.enrolledAt)).toBe(3 * day)
  })
})
