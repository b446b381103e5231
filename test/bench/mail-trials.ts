// node test/bench/mail-trials.ts [--only once --only kills …] [--size 20000] [--large 200000] [--due 100000] [--pool 5]
// tries what must hold when mail is sent at size: who gets it, however processes end, what it takes and what it holds
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { unsubscribeToken } from '../../src/mail/messages/message-tokens.ts'
import type { SinkReport } from './mail/sink.ts'
import { openWorld, type Process, type Sink, secret, type World } from './mail/world.ts'
import { median } from './report.ts'

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    size: { type: 'string', default: '20000' },
    large: { type: 'string', default: '200000' },
    due: { type: 'string', default: '100000' },
    pool: { type: 'string', default: '5' },
  },
})
const [size, large, due, pool] = [values.size, values.large, values.due, values.pool].map(Number) as [
  number,
  ...number[],
] as [number, number, number, number]

/** Result of a trial: each fact with its expected value. */
type Found = Record<string, [value: unknown, isGood: boolean]>
type Trial = (world: World) => Promise<Found>

const kills = 10
const mostMemory = 100
const leastRatio = 0.8

const trials: Record<string, Trial> = {
  once: async (world) => {
    await world.createContacts(size)
    const sink = await world.sink(0)
    const worker = await start(world, sink)
    const id = await world.send()
    const { status, sent_to } = await world.sent(id)
    await stop(worker)
    const [states, counted] = [await world.states(id), await sink.ask({ do: 'tell' })]
    sink.stop()
    return {
      ...once(counted, size),
      status: [status, status === 'SENT'],
      ...is('sent_to', sent_to, size),
      ...is('SENT', states['SENT'], size),
    }
  },
  kills: async (world) => {
    await world.createContacts(size)
    const sink = await world.sink(10)
    const id = await world.send()
    await killAgain(world, sink, size)
    const last = await start(world, sink)
    const { sent_to } = await world.sent(id)
    await stop(last)
    const [{ SENT = 0, UNKNOWN = 0, ...others }, counted] = [await world.states(id), await sink.ask({ do: 'tell' })]
    sink.stop()
    return {
      ...is('twice', counted.twice, 0),
      ...is('sent or unknown', SENT + UNKNOWN, size),
      ...is('in other states', Object.keys(others).length, 0),
      ...is('sent_to', sent_to, SENT),
      unknown: [UNKNOWN, UNKNOWN <= kills * pool],
      accepted: [counted.taken, counted.taken >= SENT && counted.taken <= SENT + UNKNOWN],
    }
  },
  'sequence kills': async (world) => {
    const people = Math.ceil(size / 4)
    await world.createContacts(people)
    const sink = await world.sink(10)
    await world.enrolAll()
    await killAgain(world, sink, people)
    const last = await start(world, sink)
    await world.completed(people)
    await stop(last)
    const counted = await sink.ask({ do: 'tell' })
    sink.stop()
    const again = counted.taken - people
    return {
      ...is('distinct', counted.distinct, people),
      'sent again': [again, again <= kills * pool],
      ...is('under another Message-ID', counted.differing, 0),
    }
  },
  stop: async (world) => {
    await world.createContacts(size)
    const sink = await world.sink(10)
    const id = await world.send()
    const first = await start(world, sink)
    await taken(sink, size / 4)
    const seconds = await stop(first)
    const second = await start(world, sink)
    const { sent_to } = await world.sent(id)
    await stop(second)
    const counted = await sink.ask({ do: 'tell' })
    sink.stop()
    return {
      ...once(counted, size),
      ...is('sent_to', sent_to, size),
      'seconds to the end': [seconds.toFixed(1), seconds <= 10],
    }
  },
  'two workers': (world) => together(world, 2),
  'four workers': (world) => together(world, 4),
  unsubscribing: async (world) => {
    const people = Math.ceil(size / 4)
    await world.createContacts(people)
    const sink = await world.sink(10)
    const api = await world.start('api', sink.url, { BASE_URL: 'http://127.0.0.1:4000' })
    const worker = await start(world, sink)
    const id = await world.send()
    await taken(sink, people / 10)
    const { rows } = await world.database.pool.query(
      `SELECT r.id, c.email FROM mail_recipient r JOIN contact c ON c.account_id = r.account_id AND c.id = r.contact_id
       WHERE r.account_id = $1 AND r.campaign_id = $2 ORDER BY random() LIMIT 500`,
      [world.accountId, id],
    )
    const answered = new Map<string, number>()
    for (const { id: recipientId, email } of rows) {
      const token = unsubscribeToken(secret, { accountId: world.accountId, recipientId: BigInt(recipientId) })
      const response = await fetch(`${api.url}/u/${token}`, { method: 'POST', body: 'List-Unsubscribe=One-Click' })
      if (response.status === 200) answered.set(email, Date.now())
    }
    await world.sent(id)
    await stop(worker)
    const late = (await sink.times()).map(([to, [at = 0]]) => at - (answered.get(to) ?? Number.POSITIVE_INFINITY))
    await stop(api)
    sink.stop()
    const latest = Math.max(...late, 0)
    return {
      ...is('answered', answered.size, rows.length),
      'ms after the answer, at the latest': [latest, latest <= 5_000],
    }
  },
  memory: async (world) => {
    const peaks: number[] = []
    for (const people of [Math.min(10_000, large / 2), large]) {
      await world.createContacts(people)
      const sink = await world.sink(0)
      const worker = await start(world, sink)
      let peak = 0
      const timer = setInterval(async () => {
        peak = Math.max(peak, await worker.memory().catch(() => 0))
      }, 500)
      await world.sent(await world.send())
      clearInterval(timer)
      peaks.push(peak)
      await stop(worker)
      sink.stop()
    }
    const [small = 0, big = 0] = peaks
    return { 'MB at first': [small.toFixed(0), true], [`MB at ${large}`]: [big.toFixed(0), big - small <= mostMemory] }
  },
  conditions: async (world) => {
    await world.createContacts(size)
    const sink = await world.sink(0)
    const worker = await start(world, sink)
    const rates: { plain: number; conditional: number }[] = []
    for (let round = 0; round < 3; round += 1) {
      const rateOf = async (content: object) => {
        await sink.ask({ do: 'reset' })
        await world.sent(await world.send(content))
        const { first, last, taken: all } = await sink.ask({ do: 'tell' })
        return (all - 1) / (last - first)
      }
      rates.push({
        plain: await rateOf(letter()),
        conditional: await rateOf(letter({ email: { contains: '5@example' } })),
      })
    }
    await stop(worker)
    sink.stop()
    const ratio = median(rates.map(({ plain, conditional }) => conditional / plain))
    return {
      ratio: [ratio.toFixed(2), ratio >= leastRatio],
      'messages a second': [rates.map(({ plain }) => Math.round(plain * 1_000)).join(' '), true],
      'with a condition': [rates.map(({ conditional }) => Math.round(conditional * 1_000)).join(' '), true],
    }
  },
  clock: async (world) => {
    await world.createContacts(due)
    // Nothing is sent to a server: only the scheduler is measured.
    const sink = await world.sink(1_000_000)
    await world.enrolAll()
    const workers = [await start(world, sink), await start(world, sink)]
    await world.queued(due)
    // Simulates the hour that is repeated at the end of daylight saving time.
    await world.database.pool.query(
      "UPDATE enrolment SET due_at = now() - interval '1 hour' WHERE account_id = $1 AND state = 'ACTIVE'",
      [world.accountId],
    )
    await world.queued(due)
    const { rows } = await world.database.pool.query(
      `SELECT count(*)::int AS messages, count(DISTINCT contact_id)::int AS people,
         extract(epoch FROM max(created_at) - min(created_at))::float AS seconds
       FROM mail_recipient WHERE account_id = $1 AND enrolment_id IS NOT NULL`,
      [world.accountId],
    )
    for (const worker of workers) worker.signal('SIGKILL')
    await Promise.all(workers.map(({ end }) => end))
    sink.stop()
    return {
      'enrolments a second': [Math.round(due / rows[0].seconds), true],
      ...is('messages', rows[0].messages, due),
      ...is('people', rows[0].people, due),
    }
  },
}

async function together(world: World, n: number): Promise<Found> {
  await world.createContacts(size)
  const sink = await world.sink(10)
  const workers = await Promise.all(Array.from({ length: n }, () => start(world, sink)))
  const { sent_to } = await world.sent(await world.send())
  await Promise.all(workers.map(stop))
  const counted = await sink.ask({ do: 'tell' })
  sink.stop()
  return {
    ...once(counted, size),
    ...is('sent_to', sent_to, size),
    'at once': [counted.most, counted.most <= n * pool],
  }
}

/** Kills workers at random moments of their work. */
async function killAgain(world: World, sink: Sink, people: number): Promise<void> {
  for (let turn = 1; turn <= kills; turn += 1) {
    const worker = await start(world, sink)
    await taken(sink, ((turn - 1 + Math.random()) * people) / (kills + 1))
    await sleep(Math.random() * 50)
    worker.signal('SIGKILL')
    await worker.end
  }
}

function start(world: World, sink: Sink): Promise<Process> {
  return world.start('worker', sink.url, { MAIL_POOL: String(pool), BASE_URL: 'http://127.0.0.1:4000' })
}

/** Stops a process and returns the duration in seconds. */
async function stop(running: Process): Promise<number> {
  const toldAt = performance.now()
  running.signal('SIGTERM')
  const code = await running.end
  if (code !== 0) throw new Error(`A process ended with ${code}.`)
  return (performance.now() - toldAt) / 1000
}

/** Waits until a sink has received this number of messages. */
async function taken(sink: Sink, n: number): Promise<void> {
  while ((await sink.ask({ do: 'tell' })).taken < n) await sleep(50)
}

function once({ taken: all, distinct, twice, most }: SinkReport, people: number): Found {
  return {
    ...is('accepted', all, people),
    ...is('distinct', distinct, people),
    ...is('twice', twice, 0),
    most: [most, true],
  }
}

/** A message of 10 kB of blocks. Half of them are shown to the contacts that match. */
function letter(showTo?: object): object {
  const words = { type: 'text', text: 'Some words that fill a letter of a usual size. '.repeat(5) }
  const text = { type: 'text', content: { type: 'doc', content: [{ type: 'paragraph', content: [words] }] } }
  const blocks = [...Array(5).fill(text), ...Array(5).fill(showTo ? { ...text, showTo } : text), { type: 'footer' }]
  return { version: 1, sections: [{ type: 'section', columns: [{ blocks }] }] }
}

function is(what: string, value: unknown, expected: unknown): Found {
  return { [what]: [value, value === expected] }
}

const chosen = values.only ?? Object.keys(trials)
for (const name of chosen) {
  const trial = trials[name]
  if (!trial) throw new Error(`There is no such trial: ${name}. There are ${Object.keys(trials).join(', ')}.`)
  const world = await openWorld()
  try {
    const startedAt = performance.now()
    const found = await trial(world)
    const isGood = Object.values(found).every(([, good]) => good)
    const facts = Object.entries(found).map(([what, [value, good]]) => `${what} ${value}${good ? '' : ' (WRONG)'}`)
    console.log(
      `${isGood ? 'holds ' : 'FAILED'} ${name}, ${((performance.now() - startedAt) / 1000).toFixed(0)} s: ${facts.join(', ')}`,
    )
    if (!isGood) process.exitCode = 1
  } finally {
    await world.close()
  }
}
