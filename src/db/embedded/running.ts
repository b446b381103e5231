import { constants, existsSync } from 'node:fs'
import { readFile, realpath, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import type { Log } from '../../kernel/telemetry/log.ts'
import { runAs } from './command.ts'
import { EmbeddedError, explain } from './problem.ts'
import type { Cluster } from './server.ts'

/** Maximum time for a server to start, recover or stop, in milliseconds, while it reports that state. */
const startTimeoutMs = 300_000

/**
 * Maximum time for a running server to refuse connections or not respond, and timeout of a connection, in milliseconds.
 */
const silenceTimeoutMs = 4_000
const connectTimeoutMs = 2_000

/**
 * Returns the port of the server that runs on this folder, which another process may have started. Returns undefined if
 * none is running.
 *
 * Waits for a server that is starting, recovering or stopping. Neutralises the PID file of a killed server. Throws
 * EmbeddedError if a server is running that cannot be used.
 */
export async function findRunning(
  { dataDir, data }: Pick<Cluster, 'dataDir' | 'data'>,
  password: string,
  log: Log,
): Promise<number | undefined> {
  const startedAt = performance.now()
  let lastResponseAt = startedAt
  for (; ; await pause(100)) {
    const pidFile = await readPidFile(data)
    if (!pidFile) return undefined
    if (!(await isServer(pidFile.pid, data))) return await neutralise(data)
    const state = pidFile.port ? await probeServer(pidFile.port, data, password) : 'silent'
    if (state === 'ours') return pidFile.port
    if (state instanceof Error) throw explain(dataDir, state)
    const now = performance.now()
    if (state === 'not yet') {
      if (now - lastResponseAt > silenceTimeoutMs)
        log.info('waiting for the embedded PostgreSQL, which is starting, recovering or stopping')
      lastResponseAt = now
    }
    if (now - lastResponseAt > silenceTimeoutMs || now - startedAt > startTimeoutMs) {
      const reason = `the PostgreSQL that runs on it (process ${pidFile.pid}) does not answer`
      throw new EmbeddedError(
        `The embedded database in DATA_DIR (${dataDir}) cannot be used: ${reason}: stop that process`,
      )
    }
  }
}

/** Returns whether a server runs on this folder, in any state. */
export async function isRunning(data: string): Promise<boolean> {
  const pidFile = await readPidFile(data)
  return pidFile !== undefined && (await isServer(pidFile.pid, data))
}

/** Runs work on a separate connection. Rejects if the connection times out. */
export async function connected<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: connectTimeoutMs })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return await work(client)
  } finally {
    await client.end().catch(() => undefined)
  }
}

interface PidFile {
  pid: number
  port: number | undefined
}

async function readPidFile(data: string): Promise<PidFile | undefined> {
  const file = join(data, 'postmaster.pid')
  if (!existsSync(file)) return undefined
  const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n')
  const pid = Number(lines[0])
  return pid > 0 ? { pid, port: Number(lines[3]) || undefined } : undefined
}

/**
 * Returns whether the process is the server. The ID may belong to another process by now, or to a zombie (in a
 * container without init).
 */
async function isServer(pid: number, data: string): Promise<boolean> {
  if (!isAlive(pid)) return false
  if (existsSync('/proc/self/cmdline')) {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    return command.includes(data)
  }
  const { code, output } = await runAs(undefined, 'ps', ['-p', String(pid), '-o', 'command='])
  return code !== 0 || output.includes(data)
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/**
 * Writes our process ID to the PID file of a dead server. PostgreSQL does not start while the process with the ID in it
 * is alive, even if it is another program, but it ignores its own parent processes. The file must stay, because
 * PostgreSQL finds processes that survived the killed server by it.
 */
async function neutralise(data: string): Promise<undefined> {
  const file = join(data, 'postmaster.pid')
  const [, ...rest] = (await readFile(file, 'utf8')).split('\n')
  // The folder belongs to the server's user, who could have placed a link there. Root must not follow it.
  const flag = constants.O_WRONLY | constants.O_TRUNC | constants.O_NOFOLLOW
  await writeFile(file, [process.pid, ...rest].join('\n'), { flag })
}

/**
 * Connects to a server and returns its state: it is ours, it is starting or stopping, it does not respond, or the error
 * why it cannot serve.
 */
async function probeServer(
  port: number,
  data: string,
  password: string,
): Promise<'ours' | 'not yet' | 'silent' | Error> {
  try {
    const url = `postgres://campanile:${password}@127.0.0.1:${port}/postgres`
    const { rows } = await connected(url, (client) =>
      client.query<{ data: string }>(`SELECT current_setting('data_directory') AS data`),
    )
    return (await realpath(rows[0]?.data ?? '')) === (await realpath(data)) ? 'ours' : 'silent'
  } catch (error) {
    const { code } = error as { code?: string }
    if (code === '57P03') return 'not yet'
    return error instanceof pg.DatabaseError ? error : 'silent'
  }
}
