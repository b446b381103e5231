// node test/bench/attack.ts [--seconds 10] [--only words,words] [--rate 8]
// measures what one attack at a time does to another tenant, on a server as `npm start` starts it, with its embedded database:
// the longest gap of the event loop, the tenant's requests relative to those before the attacks, memory, and the time until all
// is as before. Processor time is that of the server and its database for one turn of the attack, and relative to a request of
// the tenant: other work on the computer hardly affects it.
import { type ChildProcess, execFileSync, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import settings from '../../package.json' with { type: 'json' }
import type { Measure, Target } from '../hostile/probe.ts'
import { type Attack, attacks } from './attack/attacks.ts'
import { newClient } from './attack/client.ts'
import type { Sample } from './attack/tenant.ts'

/** What an attack may do to another tenant. */
const aims = { gap: 250, ratio: 3, p99: 500, memory: 600, recovery: 60 } as const

/** Time before the attacks in which a new process compiles what requests use, in milliseconds. */
const warmUpMs = 15_000

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    rate: { type: 'string', default: '8' },
    only: { type: 'string', default: '' },
  },
})
const attackMs = Number(values.seconds) * 1_000
const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = await mkdtemp(join(tmpdir(), 'campanile-attack-'))
const env = {
  ...process.env,
  DATA_DIR: folder,
  PORT: '0',
  LOG_LEVEL: 'error',
  BOUNCES_GENERIC_KEY: 'only-the-provider-knows-this',
  BOUNCES_SES_TOPICS: 'arn:aws:sns:eu-west-1:123456789012:bounces',
  BOUNCES_POSTMARK_LOGIN: 'postmark:only-the-provider-knows-this',
}
const server = spawn(process.execPath, [...(settings.scripts.start.match(/--\S+/g) ?? []), 'bin/run.js', 'main'], {
  cwd: root,
  env,
})
const log: string[] = []
server.stderr.setEncoding('utf8').on('data', (text: string) => log.push(text))
const url = await readyUrl()
const port = Number(new URL(url).port)

try {
  await main()
} finally {
  server.kill('SIGTERM')
  await once(server, 'exit')
  await rm(folder, { recursive: true, force: true })
}

async function main(): Promise<void> {
  const victim = createAccount('Victim', 'victim')
  const eve = createAccount('Eve', 'attack')
  const attacker = {
    tenant: newClient(port, '127.0.0.2', eve),
    stranger: newClient(port, '127.0.0.3'),
    dataFolder: folder,
  }
  const csv = `email\n${Array.from({ length: 500 }, (_, n) => `c${n}@example.com`).join('\n')}`
  const importing =
    'mutation ($input: ContactImportCreateInput!) { contactImportCreate(input: $input) { contactImport { id } } }'
  await newClient(port, '127.0.0.1', victim).graphql(importing, { input: { csv } })
  const { samples, tenant } = startTenant(victim)
  const probe = await startProbe()
  await pause(warmUpMs)
  const [since, before] = [Date.now(), processorTime()]
  await pause(10_000)
  const requests = samples.filter(({ at }) => at >= since)
  const alone = { ...summaryOf(requests), processor: (processorTime() - before) / requests.length }
  const latency = ['p50 ms', 'ratio', 'p99 ms']
  print(['attack', 'turns', 'CPU ms', 'CPU ratio', 'gap ms', ...latency, 'failed', 'MB', 'normal after s', 'fails'])
  const own = [alone.p50.toFixed(1), '1.0', alone.p99.toFixed(0), alone.failed, memory().toFixed(0), '', '']
  print(['alone', requests.length, alone.processor.toFixed(1), '1.0', '', ...own])
  const only = values.only.split(',')
  for (const attack of attacks.filter(({ name }) => only.some((words) => name.includes(words)))) {
    const turn = await attack.prepare(attacker)
    await recovery(samples, alone.p50)
    await measure({ attack, turn, samples, probe, alone })
    // The limits of a minute begin again.
    await pause(3_000)
  }
  tenant.disconnect()
  attacker.tenant.end()
  attacker.stranger.end()
  probe.close()
  const errors = log
    .join('')
    .split('\n')
    .filter((line) => line !== '')
  if (errors.length > 0)
    process.stdout.write(`${errors.length} errors in the log, first: ${errors[0]?.slice(0, 1_000)}\n`)
}

interface Trial {
  readonly attack: Attack
  readonly turn: (turn: number) => Promise<unknown>
  readonly samples: readonly Sample[]
  readonly probe: MessagePort
  readonly alone: Summary & { readonly processor: number }
}

async function measure({ attack, turn, samples, probe, alone }: Trial): Promise<void> {
  const measuring = once(probe, 'message')
  probe.postMessage({ url, pid: server.pid ?? 0 } satisfies Target)
  await measuring
  const [since, before] = [Date.now(), processorTime()]
  let [turns, most] = [0, 0]
  const watch = setInterval(() => {
    most = Math.max(most, memory())
  }, 200)
  const repeat = async () => {
    while (Date.now() < since + attackMs) {
      turns += 1
      const rest = Math.max(since + attackMs - Date.now(), 0)
      await Promise.race([turn(turns - 1).catch(() => undefined), pause(rest)])
    }
  }
  await Promise.all(Array.from({ length: attack.clients ?? 16 }, repeat))
  const [until, after] = [Date.now(), processorTime()]
  const measured = once(probe, 'message')
  probe.postMessage(undefined)
  const normalAfter = await recovery(samples, alone.p50)
  clearInterval(watch)
  const [{ longestMilliseconds: gap }] = (await measured) as [Measure]
  const during = summaryOf(samples.filter(({ at }) => at >= since && at < until))
  const ratio = during.p50 / alone.p50
  const tenant = samples.filter(({ at }) => at >= since && at < until).length * alone.processor
  const processor = Math.max(after - before - tenant, 0) / turns
  const failures = [
    gap > aims.gap && 'gap',
    ratio > aims.ratio && 'p50',
    during.p99 > aims.p99 && 'p99',
    most > aims.memory && 'memory',
    (normalAfter === undefined || normalAfter > aims.recovery) && 'recovery',
    during.failed > 0 && 'responses',
  ].filter((name) => name !== false)
  const cost = [processor.toFixed(2), (processor / alone.processor).toFixed(2)]
  const figures = [
    ...cost,
    gap,
    during.p50.toFixed(1),
    ratio.toFixed(1),
    during.p99.toFixed(0),
    during.failed,
    most.toFixed(0),
  ]
  print([attack.name, turns, ...figures, normalAfter?.toFixed(0) ?? '> 90', failures.join(', ')])
}

/**
 * Waits until the requests of two seconds take at most twice as long as before the attacks. Returns how long that took, in
 * seconds.
 */
async function recovery(samples: readonly Sample[], p50: number): Promise<number | undefined> {
  const began = Date.now()
  while (Date.now() < began + 90_000) {
    await pause(500)
    const latest = samples.filter(({ at }) => at > Date.now() - 2_000 && at >= began)
    if (latest.length >= 6 && summaryOf(latest).p50 <= 2 * p50) return (Date.now() - began) / 1_000 - 1
  }
  return undefined
}

interface Summary {
  readonly p50: number
  readonly p99: number
  /** Requests without a response of 200. */
  readonly failed: number
}

function summaryOf(samples: readonly Sample[]): Summary {
  const times = samples.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b)
  const at = (share: number) =>
    times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.POSITIVE_INFINITY
  return { p50: at(0.5), p99: at(0.99), failed: samples.filter(({ status }) => status !== 200).length }
}

function startTenant(key: string): { samples: Sample[]; tenant: ChildProcess } {
  const samples: Sample[] = []
  const tenant = fork(fileURLToPath(new URL('attack/tenant.ts', import.meta.url)), [url, key, values.rate])
  tenant.on('message', (sample: Sample) => samples.push(sample))
  return { samples, tenant }
}

async function startProbe(): Promise<MessagePort> {
  const { port1, port2 } = new MessageChannel()
  const file = new URL('../hostile/probe.ts', import.meta.url)
  new Worker(file, { workerData: { port: port2 }, transferList: [port2] }).unref()
  await once(port1, 'message')
  return port1
}

/** Processor time of the server's process and its descendants until now, in milliseconds. A tick has 10. Available on Linux. */
function processorTime(): number {
  const processes = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
        const [, parent, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
        // The times of children that have ended are those of their parent.
        const ticks = rest.slice(9, 13).reduce((sum, each) => sum + Number(each), 0)
        return [{ id: Number(name), parent: Number(parent), ticks }]
      } catch {
        return []
      }
    })
  const own = new Set([server.pid])
  let size = 0
  while (size < own.size) {
    size = own.size
    for (const { id, parent } of processes) if (own.has(parent)) own.add(id)
  }
  return processes.filter(({ id }) => own.has(id)).reduce((sum, { ticks }) => sum + ticks * 10, 0)
}

/** Memory of the server's process, in MB. */
function memory(): number {
  const status = readFileSync(`/proc/${server.pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_000
}

function createAccount(name: string, subdomain: string): string {
  const args = [
    'account',
    'create',
    '--name',
    name,
    '--email',
    `${subdomain}@example.com`,
    '--subdomain',
    subdomain,
    '--plan',
    'unlimited',
  ]
  const output = execFileSync(process.execPath, ['bin/run.js', 'cli', ...args, '--json'], {
    cwd: root,
    env,
    encoding: 'utf8',
  })
  return JSON.parse(output).key
}

async function readyUrl(): Promise<string> {
  let text = ''
  for await (const chunk of server.stdout.setEncoding('utf8')) {
    text += chunk
    const [, found] = /^ready (\S+)$/m.exec(text) ?? []
    if (found !== undefined) {
      server.stdout.resume()
      return found
    }
  }
  throw new Error(`The server did not start: ${log.join('')}`)
}

function print(cells: readonly (string | number)[]): void {
  process.stdout.write(`| ${cells.join(' | ')} |\n`)
}
