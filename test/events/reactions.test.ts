import { describe, expect, it, onTestFinished } from 'vitest'
import { newCtx, type System } from '../../src/db/context.ts'
import { inTransaction } from '../../src/db/transaction.ts'
import { emit, type Reaction, reaction, runReactions, runReader } from '../../src/events/index.ts'
import { settableClock } from '../../src/kernel/clock.ts'
import { newMetrics } from '../../src/kernel/telemetry/metrics.ts'
import { until } from '../runtime/process.ts'
import { newWorld, type World } from '../support/world.ts'

/** Runs reactions as a worker does, with a clock that skips every pause. */
async function startReactions(world: World, input: Reaction, processes = 1) {
  let hours = 0
  const clock = { now: () => new Date(Date.now() + hours * 3_600_000) }
  const system: System = { ...world.server.system, clock }
  const metrics = newMetrics()
  const all = await Promise.all(Array.from({ length: processes }, () => runReactions(system, [input], metrics)))
  onTestFinished(async () => {
    await Promise.all(all.map((each) => each.stop()))
  })
  return {
    metrics,
    later: () => {
      hours += 1
      for (const each of all) each.wake()
    },
  }
}

async function announce(world: World, ...contactIds: number[]): Promise<void> {
  const ctx = newCtx(world.server.system, { accountId: world.accountId })
  for (const contactId of contactIds) await inTransaction(ctx, (tx) => emit(tx, 'contact.created', { contactId }))
}

/** A reaction that records its calls in its transaction, as a field of an event of its own. */
function newRecorder(name: string, fails: (contactId: number) => boolean = () => false): Reaction {
  return reaction({
    name,
    types: ['contact.created'],
    run: async (tx, { data: { contactId } }) => {
      await emit(tx, 'contact.field_updated', { contactId, customFieldId: 0, value: name })
      if (fails(contactId)) throw new Error(`${contactId} cannot be`)
    },
  })
}

async function readRecords(world: World): Promise<number[]> {
  return (await world.announced('contact.field_updated')).map(({ data }) => data['contactId'] as number)
}

describe('a reaction', () => {
  it('runs once for each event of its types, in order, with any number of processes', async () => {
    const world = await newWorld()
    await startReactions(world, newRecorder('once'), 3)
    const ids = Array.from({ length: 30 }, (_, place) => place + 1)
    await announce(world, ...ids)
    await until(async () => (await readRecords(world)).length === 30)
    expect(await readRecords(world)).toEqual(ids)
  })

  it('starts with events after its registration', async () => {
    const world = await newWorld()
    await announce(world, 1)
    await until(async () => (await world.rows('SELECT FROM outbox_event WHERE position IS NULL')).length === 0)
    await startReactions(world, newRecorder('new'))
    await announce(world, 2)
    await until(async () => (await readRecords(world)).length > 0)
    expect(await readRecords(world)).toEqual([2])
  })

  it('that fails is rolled back and retried, and delays later events of its account only', async () => {
    const world = await newWorld()
    const other = await world.other()
    let isBroken = true
    const { later } = await startReactions(
      world,
      newRecorder('patient', (id) => isBroken && id === 1),
    )
    await announce(world, 1, 2)
    await announce(other, 3)
    await until(async () => (await readRecords(other)).length === 1)
    expect(await readRecords(world)).toEqual([])
    isBroken = false
    await until(async () => {
      later()
      return (await readRecords(world)).length === 2
    })
    expect(await readRecords(world)).toEqual([1, 2])
  })

  it('that fails ten times parks its event, raises an alarm, and continues', async () => {
    const world = await newWorld()
    let tried = 0
    const { later, metrics } = await startReactions(
      world,
      newRecorder('hopeless', (id) => {
        if (id === 1) tried += 1
        return id === 1
      }),
    )
    await announce(world, 1, 2)
    await until(async () => {
      later()
      return (await readRecords(world)).length === 1
    })
    expect(await readRecords(world)).toEqual([2])
    expect(tried).toBe(10)
    const parked = await world.rows('SELECT * FROM parked_event WHERE account_id = $1', [world.accountId])
    expect(parked).toMatchObject([
      {
        reader: 'reaction hopeless',
        type: 'contact.created',
        data: { contactId: 1 },
        attempts: 10,
        error: '1 cannot be',
      },
    ])
    expect(await metrics.text()).toContain('campanile_events_parked_total{reaction="hopeless"} 1')
    expect(world.server.errors).toMatchObject([{ reaction: 'hopeless', type: 'contact.created' }])
  })
})

describe('a reader', () => {
  it('receives every event once and in order, and failed events again', async () => {
    const world = await newWorld()
    const got: bigint[] = []
    let failures = 2
    const clock = settableClock(new Date())
    const reader = await runReader(
      { ...world.server.system, clock },
      {
        name: 'test',
        read: async (_tx, events) => {
          if (failures-- > 0) throw new Error('not yet')
          got.push(...events.map(({ position }) => position))
        },
      },
    )
    onTestFinished(reader.stop)
    await announce(world, ...Array.from({ length: 20 }, (_, place) => place + 1))
    await until(() => got.length >= 20)
    expect(got).toEqual(Array.from({ length: got.length }, (_, place) => (got[0] as bigint) + BigInt(place)))
  })
})
