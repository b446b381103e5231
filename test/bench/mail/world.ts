import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { accounts } from '../../../src/account/index.ts'
import { campaigns, sending } from '../../../src/campaigns/index.ts'
import { type Database, openDatabase } from '../../../src/db/client.ts'
import { newCtx, type System } from '../../../src/db/context.ts'
import { startEmbedded } from '../../../src/db/embedded/embedded.ts'
import { migrate } from '../../../src/db/migrations/migrate.ts'
import { systemClock } from '../../../src/kernel/clock.ts'
import { newLog } from '../../../src/kernel/telemetry/log.ts'
import { sequences, stages } from '../../../src/sequences/index.ts'
import { newCommandSystem } from '../../../src/server/processes/command-system.ts'
import type { SinkReport, SinkRequest } from './sink.ts'
import '../../../src/server/schema.ts'

/** The secret of all processes. It signs the links that the trials open. */
export const secret = 'only for this measurement'

/** An e-mail of a typical size: 10 kB of HTML. */
const body = `<p>Hello {{FIRST_NAME:there}}</p>${'<p>Some words that fill a letter of a usual size.</p>'.repeat(180)}`

const run = fileURLToPath(new URL('../../../bin/run.js', import.meta.url))
const sinkFile = fileURLToPath(new URL('sink.ts', import.meta.url))

/** A mail server in a child process. */
export interface Sink {
  readonly url: string
  ask(asked: SinkRequest): Promise<SinkReport>
  /** Returns the times of the messages to each address. */
  times(): Promise<[address: string, times: number[]][]>
  stop(): void
}

/** A server process as an operator would run it. */
export interface Process {
  readonly url: string
  readonly pid: number
  /** Current memory in MB. */
  memory(): Promise<number>
  signal(name: NodeJS.Signals): void
  /** Resolves to the exit code, or null if it was killed. */
  readonly end: Promise<number | null>
}

/** A database with one account, and the processes that send from it. */
export interface World {
  readonly database: Database
  readonly system: System
  readonly accountId: number
  /** Creates contacts with consent, `<name><number>@example.com`. Removes previous ones. */
  createContacts(size: number): Promise<void>
  sink(delay: number): Promise<Sink>
  start(roles: string, mailUrl: string, env?: Record<string, string>): Promise<Process>
  /** Sends a campaign to all contacts, with this document of blocks or with HTML, and returns its ID. */
  send(content?: object): Promise<number>
  /** Waits until a campaign has ended and returns its row. */
  sent(campaignId: number): Promise<{ status: string; sent_to: number; recipients_count: number }>
  /** Returns the number of messages of a campaign by status. */
  states(campaignId: number): Promise<Record<string, number>>
  /** Enrols all contacts in a sequence with one e-mail that is due now. */
  enrolAll(): Promise<void>
  /** Waits until this number of enrolments is completed, or until this number of messages is queued and none is due. */
  completed(people: number): Promise<void>
  queued(people: number): Promise<void>
  close(): Promise<void>
}

/** Creates it on an embedded PostgreSQL. Without other settings, commits wait for the disk. */
export async function openWorld(settings: Record<string, string> = {}): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'campanile-bench-'))
  const log = newLog('error')
  const embedded = await startEmbedded(folder, log, settings)
  await migrate(embedded.url, log)
  const database = openDatabase({ url: embedded.url, directUrl: embedded.url, poolSize: 4, log })
  const system = newCommandSystem({ db: database.db, log, clock: systemClock })
  const { id: accountId } = await accounts.create(system, { name: 'bench', email: 'ada@example.com' })
  const children = new Set<ChildProcess>()
  const began = (child: ChildProcess) => {
    children.add(child)
    return once(child, 'exit').then(([code]) => {
      children.delete(child)
      return code as number | null
    })
  }
  const rows = async <Row>(text: string, values: unknown[] = []) =>
    (await database.pool.query(text, values)).rows as Row[]
  const count = async (text: string, expected: number) => {
    while ((await rows<{ n: number }>(text, [accountId]))[0]?.n !== expected) await sleep(200)
  }
  return {
    database,
    system,
    accountId,
    createContacts: async (size) => {
      await rows('DELETE FROM contact WHERE account_id = $1', [accountId])
      await rows(
        `INSERT INTO contact (account_id, email, first_name, email_marketing, created_at, updated_at)
         SELECT $1, 'c' || i || '@example.com', 'Ada', true, now(), now() FROM generate_series(1, $2::int) AS i`,
        [accountId, size],
      )
      await rows('VACUUM ANALYZE contact, mail_recipient')
    },
    sink: async (delay) => {
      const child = fork(sinkFile, [String(delay)])
      began(child)
      const [port] = (await once(child, 'message')) as [number]
      const ask = async (asked: SinkRequest) => {
        child.send(asked)
        return (await once(child, 'message'))[0]
      }
      return { url: `smtp://127.0.0.1:${port}`, ask, times: () => ask({ do: 'times' }), stop: () => child.kill() }
    },
    start: async (roles, mailUrl, env = {}) => {
      const child = fork(run, ['main'], {
        stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
        // As `npm start` does.
        execArgv: ['--heap-growing-percent=40', '--max-semi-space-size=32'],
        env: {
          PATH: process.env['PATH'],
          ROLES: roles,
          PORT: '0',
          LOG_LEVEL: 'error',
          RATE_LIMIT_PER_MINUTE: '1000000',
          DATABASE_URL: embedded.url,
          SECRET: secret,
          SENDERS: 'any',
          MAIL_URL: mailUrl,
          ...env,
        },
      })
      const end = began(child)
      let output = ''
      child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
        output += chunk
      })
      for (;;) {
        const [, url] = /^ready (http\S+)/m.exec(output) ?? []
        if (url)
          return {
            url,
            pid: child.pid ?? 0,
            end,
            signal: (name) => child.kill(name),
            memory: () => residentOf(child.pid ?? 0),
          }
        if (child.exitCode !== null) throw new Error(`A process ended with ${child.exitCode}.`)
        await sleep(20)
      }
    },
    send: async (content) => {
      const ctx = newCtx(system, { accountId })
      const input = { name: 'News', subject: 'Hello', fromName: 'Ada', fromEmail: 'ada@example.com' }
      const { campaign } = await campaigns.create(ctx, { ...input, audience: { sendToAll: true } })
      await campaigns.setContent(ctx, { id: campaign.id, ...(content ? { content } : { html: body }) })
      await sending.send(ctx, { id: campaign.id })
      return campaign.id
    },
    sent: async (campaignId) => {
      for (;;) {
        const [row] = await rows<{ status: string; sent_to: number; recipients_count: number }>(
          'SELECT status::text, sent_to, recipients_count FROM campaign WHERE account_id = $1 AND id = $2',
          [accountId, campaignId],
        )
        if (row && row.status !== 'SENDING') return row
        await sleep(100)
      }
    },
    states: async (campaignId) => {
      const all = await rows<{ state: string; n: number }>(
        'SELECT state, count(*)::int AS n FROM mail_recipient WHERE account_id = $1 AND campaign_id = $2 GROUP BY state',
        [accountId, campaignId],
      )
      return Object.fromEntries(all.map(({ state, n }) => [state, n]))
    },
    enrolAll: async () => {
      const ctx = newCtx(system, { accountId })
      await rows("UPDATE account SET sender_email = 'ada@example.com' WHERE id = $1", [accountId])
      const { sequence } = await sequences.create(ctx, { name: 'Welcome' })
      const { stage } = await stages.create(ctx, { sequenceId: sequence.id, timeValue: 0 })
      await stages.setContent(ctx, { id: stage.id, html: body, subject: 'Hello' })
      await stages.update(ctx, { id: stage.id, active: true })
      await rows(
        `INSERT INTO enrolment (account_id, contact_id, sequence_id, enrolled_at, done_stage_ids, next_stage_id, due_at)
         SELECT account_id, id, $2, now(), '{}', $3, now() FROM contact WHERE account_id = $1`,
        [accountId, sequence.id, stage.id],
      )
      await rows('VACUUM ANALYZE enrolment')
    },
    completed: (people) =>
      count("SELECT count(*)::int AS n FROM enrolment WHERE account_id = $1 AND state = 'COMPLETED'", people),
    queued: (people) =>
      count(
        "SELECT count(*)::int AS n FROM enrolment WHERE account_id = $1 AND state = 'ACTIVE' AND due_at IS NULL",
        people,
      ),
    close: async () => {
      for (const child of children) child.kill('SIGKILL')
      await database.close()
      await embedded.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function residentOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024
}
