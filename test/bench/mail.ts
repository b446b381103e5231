// node test/bench/mail.ts [--messages 2000] [--pool 5] [--rounds 3] [--delay 10 --delay 0] [--rules]
// measures a campaign against Nodemailer alone, which sends the same messages through as many connections; with --rules, the
// account has a maximum of messages to a contact, and quiet hours, that hold none back
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { simpleParser } from 'mailparser'
import nodemailer from 'nodemailer'
import type { SinkReport } from './mail/sink.ts'
import { openWorld, type World } from './mail/world.ts'
import { median } from './report.ts'

/** Minimum throughput relative to Nodemailer alone, with a mail server that has a delay. */
const least = 0.7

const self = fileURLToPath(import.meta.url)
if (process.argv[2] === 'baseline') await baseline()
else {
  const { values } = parseArgs({
    options: {
      messages: { type: 'string', default: '2000' },
      pool: { type: 'string', default: '5' },
      rounds: { type: 'string', default: '3' },
      delay: { type: 'string', multiple: true, default: ['10', '0'] },
      rules: { type: 'boolean', default: false },
    },
  })
  const [messages, pool, rounds] = [values.messages, values.pool, values.rounds].map(Number) as [number, number, number]
  const delays = values.delay.map(Number)
  process.exitCode = (await measure({ messages, pool, rounds, delays, rules: values.rules })) ? 0 : 1
}

/** The hand-written alternative: Nodemailer's pool, fed as fast as it accepts messages. */
async function baseline(): Promise<void> {
  const [, , , url, messages, connections] = process.argv as [string, string, string, string, string, string]
  const [sample] = (await once(process, 'message')) as [string]
  const { html, text, subject, from } = await simpleParser(sample)
  const pool = { url, pool: true, maxConnections: Number(connections), maxMessages: Number.POSITIVE_INFINITY } as const
  const transporter = nodemailer.createTransport(pool)
  let next = 0
  const feed = async () => {
    while (next < Number(messages)) {
      next += 1
      const letter = { subject: subject ?? '', html: html || '', text: text ?? '' }
      await transporter.sendMail({ ...letter, from: from?.text, to: { name: 'Ada', address: `c${next}@example.com` } })
    }
  }
  const before = process.cpuUsage()
  await Promise.all(Array.from({ length: Number(connections) }, feed))
  const { user, system } = process.cpuUsage(before)
  transporter.close()
  process.send?.((user + system) / 1_000)
  process.disconnect()
}

interface Sizes {
  messages: number
  pool: number
  rounds: number
  delays: readonly number[]
  rules: boolean
}

async function measure({ messages, pool, rounds, delays, rules }: Sizes): Promise<boolean> {
  const world = await openWorld()
  try {
    await world.createContacts(messages)
    if (rules)
      await world.database.pool.query('UPDATE account SET frequency_cap = 100, quiet_from = 720, quiet_until = 721')
    const rows: Record<string, string | number>[] = []
    let isMet = true
    for (const delay of delays) {
      const sides: { ours: number; theirs: number; cpu: number }[] = []
      for (let round = 0; round < rounds; round += 1) sides.push(await compare(world, { messages, pool, delay }))
      const ratio = median(sides.map(({ ours, theirs }) => ours / theirs))
      if (delay > 0) isMet &&= ratio >= least
      rows.push({
        'server takes, ms': delay,
        connections: pool,
        'ours/s': Math.round(median(sides.map(({ ours }) => ours))),
        'Nodemailer/s': Math.round(median(sides.map(({ theirs }) => theirs))),
        ratio: ratio.toFixed(2),
        'by CPU of Node': median(sides.map(({ cpu }) => cpu)).toFixed(2),
        rounds: sides.map(({ ours, theirs }) => (ours / theirs).toFixed(2)).join(' '),
        aim: delay > 0 ? `≥ ${least}` : '',
      })
    }
    console.table(rows)
    return isMet
  } finally {
    await world.close()
  }
}

async function compare(world: World, { messages, pool, delay }: { messages: number; pool: number; delay: number }) {
  const sink = await world.sink(delay)
  const worker = await world.start('worker', sink.url, { MAIL_POOL: String(pool), BASE_URL: 'http://127.0.0.1:4000' })
  const before = await cpuMilliseconds(worker.pid)
  await world.sent(await world.send())
  const cpu = (await cpuMilliseconds(worker.pid)) - before
  worker.signal('SIGTERM')
  await worker.end
  const ours = await sink.ask({ do: 'reset' })
  const other = fork(self, ['baseline', sink.url, String(messages), String(pool)])
  other.send(ours.sample)
  const [[otherCpu]] = await Promise.all([once(other, 'message') as Promise<[number]>, once(other, 'exit')])
  const theirs = await sink.ask({ do: 'tell' })
  sink.stop()
  if (ours.taken !== messages || ours.most > pool) throw new Error(`${ours.taken} of ${messages}, ${ours.most} at once`)
  return { ours: perSecond(ours), theirs: perSecond(theirs), cpu: otherCpu / cpu }
}

/** Processor time of all threads of a process, in ms. */
async function cpuMilliseconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
  return (Number(user) + Number(system)) * 10
}

function perSecond({ taken, first, last }: SinkReport): number {
  return (taken - 1) / ((last - first) / 1000)
}
