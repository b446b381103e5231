import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type pg from 'pg'
import { type Load, type Outcome, send } from './load.ts'
import type { UsageMessage } from './usage.ts'

/** A measured server in a child process. */
export interface Server {
  port: number
  /** Sends one request and returns the JSON of the response. */
  ask(request: string): Promise<unknown>
  /** Returns the processor time that it has used. */
  cpuMilliseconds(): Promise<number>
  stop(): void
}

/**
 * Starts a server of this folder and waits until it listens. Discards its log, which costs about as much as writing it
 * to a file.
 */
export async function startServer(file: string, args: string[]): Promise<Server> {
  const child = start(file, args)
  const { port } = (await next(child)) as Extract<UsageMessage, { port: number }>
  return {
    port,
    ask: async (request) => JSON.parse(await send(port, request)),
    cpuMilliseconds: async () => {
      child.send('usage')
      return ((await next(child)) as Extract<UsageMessage, { cpuMilliseconds: number }>).cpuMilliseconds
    },
    stop: () => child.kill(),
  }
}

/** The load generator in a child process, so that measuring is not delayed by other work. */
export interface Loader {
  apply(load: Load): Promise<Outcome>
  stop(): void
}

export function startLoader(): Loader {
  const child = start('load.ts', [])
  return {
    apply: async (load) => {
      child.send(load)
      const outcome = (await next(child)) as Outcome | { error: string }
      if ('error' in outcome) throw new Error(outcome.error)
      return outcome
    },
    stop: () => child.kill(),
  }
}

function start(file: string, args: string[]): ChildProcess {
  return fork(fileURLToPath(new URL(file, import.meta.url)), args, {
    stdio: ['ignore', 'inherit', process.env['BENCH_LOG'] ? 'inherit' : 'ignore', 'ipc'],
  })
}

async function next(child: ChildProcess): Promise<unknown> {
  const ended = new AbortController()
  const end = once(child, 'exit', ended).then(([code]) => {
    throw new Error(`A process ended with ${code}; set BENCH_LOG=1 to see what it says.`)
  })
  try {
    const [message] = (await Promise.race([once(child, 'message', ended), end])) as [unknown]
    return message
  } finally {
    end.catch(() => undefined)
    ended.abort()
  }
}

/**
 * Returns the processor time of all connections of a database on this machine, except the given one and those of sequencers, in
 * milliseconds.
 */
export async function cpuOfConnections(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
     AND application_name <> 'campanile sequencer'`,
  )
  const timeOf = async (pid: number) => {
    // Time on a processor in ns, which is finer than the ticks of proc(5).
    return Number((await readFile(`/proc/${pid}/schedstat`, 'utf8')).split(' ')[0]) / 1e6
  }
  const all = await Promise.all(rows.map(({ pid }) => timeOf(pid).catch(() => 0)))
  return all.reduce((sum, each) => sum + each, 0)
}
