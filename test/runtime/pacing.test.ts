import { getPriority } from 'node:os'
import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { defaultShare, isBusy, newPacing, type PacedWork, paced } from '../../src/kernel/work/pacing.ts'
import { addContacts, ReadJob, startBulk, waitForBulk } from '../contacts/bulk.ts'
import { newServer, type Server } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'
import { start, until } from './process.ts'

/** Creates the pacing of a process with a clock of its own. `onWait` is called during rests. */
function newTimed(share: number, onWait = () => {}) {
  let now = 0
  const seconds = { working: 0, resting: 0 }
  const pacing = newPacing({
    share,
    now: () => now,
    count: (state, passed) => {
      seconds[state] += passed
    },
    wait: async (milliseconds) => {
      now += milliseconds
      onWait()
    },
  })
  /** Runs a part that takes this long, and rests after it. Returns the duration of the rest in seconds. */
  const restAfter = async (work: PacedWork, milliseconds: number) => {
    const before = seconds.resting
    await work.part(async () => {
      now += milliseconds
    })
    await work.pause()
    return seconds.resting - before
  }
  return { pacing, seconds, restAfter }
}

/** Creates the pacing of a process while requests are served all the time. */
function newBusy(share: number) {
  const timed = newTimed(share, () => timed.pacing.noteBusy())
  timed.pacing.noteBusy()
  return timed
}

describe('pacing', () => {
  it('lets work take its share of the time while requests are served', async () => {
    const { pacing, seconds, restAfter } = newBusy(0.1)
    const work = pacing.start()
    for (const milliseconds of [100, 400, 50]) await restAfter(work, milliseconds)
    expect(seconds).toEqual({ working: expect.closeTo(0.55), resting: expect.closeTo(0.55 * 9) })
  })

  it('lets work run at full speed without requests', async () => {
    const { pacing, restAfter } = newTimed(0.1)
    expect(await restAfter(pacing.start(), 1_000)).toBe(0)
  })

  it('makes parts a tenth as large while requests are served', () => {
    const busy = newBusy(0.1).pacing.start()
    expect([busy.partSize(10_000), busy.partSize(5)]).toEqual([1_000, 1])
    expect(newTimed(0.1).pacing.start().partSize(10_000)).toBe(10_000)
  })

  it('takes a smaller share by default where there are few processors', () => {
    expect([1, 2, 4, 64].map(defaultShare)).toEqual([0.04, 0.04, 0.08, 0.1])
  })

  it('divides the share between the works of a process', async () => {
    const { pacing, restAfter } = newBusy(0.2)
    const [one, other] = [pacing.start(), pacing.start()]
    expect(await restAfter(one, 100)).toBeCloseTo(0.8)
    other.end()
    expect(await restAfter(one, 100)).toBeCloseTo(0.4)
  })

  it('rests at most 10 seconds after a part', async () => {
    const { pacing, restAfter } = newBusy(0.001)
    expect(await restAfter(pacing.start(), 1_000)).toBeCloseTo(10)
  })

  it('ends a rest when no process has been busy for 2.5 seconds', async () => {
    const { pacing, restAfter } = newTimed(0.01)
    pacing.noteBusy()
    expect(await restAfter(pacing.start(), 500)).toBeCloseTo(2)
  })

  it('ends all rests when the process stops', async () => {
    const { pacing, restAfter } = newTimed(0.01, () => pacing.stop())
    pacing.noteBusy()
    expect(await restAfter(pacing.start(), 500)).toBeCloseTo(0.2)
  })

  it('rests between the items of a source, and ends the source when its reader leaves', async () => {
    const { pacing, seconds } = newBusy(0.5)
    let isEnded = false
    const source = async function* () {
      try {
        for (let n = 0; ; n += 1) yield n
      } finally {
        isEnded = true
      }
    }
    for await (const n of paced(pacing, source)) if (n === 2) break
    expect(isEnded).toBe(true)
    expect(seconds.working).toBe(0)
  })

  it('counts requests of one account in part, so that a client that waits for a job does not delay it', () => {
    expect(isBusy([[1, 1_000]])).toBe(false)
    expect(
      isBusy([
        [1, 8],
        [2, 3],
      ]),
    ).toBe(false)
    expect(
      isBusy([
        [1, 8],
        [2, 4],
      ]),
    ).toBe(true)
  })

  it('counts an address once a second, so that few visitors cannot delay all work', () => {
    const visitors = (n: number) => Array.from({ length: n }, (_, place) => [`192.0.2.${place}`, 1_000] as const)
    expect(isBusy(visitors(11))).toBe(false)
    expect(isBusy(visitors(12))).toBe(true)
    expect(isBusy([...visitors(4), [1, 8]])).toBe(true)
  })
})

/** Returns the seconds in which long work of a server ran, and rested. */
async function secondsOf({ url }: Server): Promise<{ working: number; resting: number }> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const read = (state: string) =>
    Number(new RegExp(`^campanile_background_seconds_total\\{state="${state}"\\} (\\S+)$`, 'm').exec(text)?.[1])
  return { working: read('working'), resting: read('resting') }
}

/** Sends requests of two accounts until the returned function is called. Resolves when other processes were notified. */
async function serveRequests(server: Server): Promise<() => Promise<void>> {
  const listener = new pg.Client({ connectionString: server.databaseUrl })
  await listener.connect()
  onTestFinished(() => listener.end())
  const notified = new Promise((resolve) => listener.once('notification', resolve))
  await listener.query('LISTEN campanile_busy')
  let isOver = false
  const send = async (world: World) => {
    while (!isOver) await world.run('{ account { name } }')
  }
  const sending = [await newWorld({ server }), await newWorld({ server })].map(send)
  await notified
  return async () => {
    isOver = true
    await Promise.all(sending)
  }
}

describe('a job while requests of other accounts are served', { timeout: 60_000 }, () => {
  const people = 3_000

  it('rests in another process, and runs at full speed when they have ended', async () => {
    const server = await newServer()
    const worker = await newServer({
      DATABASE_URL: server.databaseUrl,
      ROLES: 'worker',
      BACKGROUND_SHARE: '0.001',
    })
    const world = await newWorld({ server })
    await addContacts(world, people)
    const end = await serveRequests(server)
    const { id } = await startBulk(world, { all: true }, { addTagIds: [(await world.tag()).id] })
    await until(async () => (await secondsOf(worker)).resting > 1)
    const { bulkJob } = await world.run(ReadJob, { id })
    expect(bulkJob).toMatchObject({ status: 'RUNNING' })
    expect(bulkJob.done).toBeLessThan(people)
    await end()
    expect(await waitForBulk(world, id)).toMatchObject({ status: 'COMPLETED', done: people })
  })

  it('does not rest while only its own client asks how far it is', async () => {
    const server = await newServer({ ROLES: 'api,worker', BACKGROUND_SHARE: '0.001' })
    const world = await newWorld({ server })
    await addContacts(world, people)
    const { id } = await startBulk(world, { all: true }, { addTagIds: [(await world.tag()).id] })
    expect(await waitForBulk(world, id)).toMatchObject({ status: 'COMPLETED', done: people })
    const seconds = await secondsOf(server)
    expect(seconds.working).toBeGreaterThan(0)
    expect(seconds.resting).toBe(0)
  })
})

describe('a process that only works', () => {
  it('has a lower priority than one that serves requests', async () => {
    const { databaseUrl } = await newServer()
    const priorityOf = async (roles: string, BACKGROUND_SHARE = '0.1') => {
      const settings = {
        DATABASE_URL: databaseUrl,
        SECRET: 'a secret that only tests know',
        PORT: '0',
        BACKGROUND_SHARE,
      }
      const { pid, line } = start('main', [], { ...settings, ROLES: roles, BASE_URL: 'http://127.0.0.1:4000' })
      await line(/^ready/)
      return getPriority(pid)
    }
    const [api, both] = await Promise.all(['api', 'api,worker'].map((roles) => priorityOf(roles)))
    const [worker, unhurried] = await Promise.all([priorityOf('worker'), priorityOf('worker', '1')])
    expect([both, unhurried]).toEqual([api, api])
    expect(worker).toBe((api ?? 0) + 10)
  })
})
