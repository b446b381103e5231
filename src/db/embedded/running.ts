import { constants, existsSync } from 'node:fs'
import { readFile, realpath, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import type { Log } from '../../kernel/log.ts'
import { runAs } from './command.ts'
import { EmbeddedError, explain } from './problem.ts'
import type { Cluster } from './server.ts'

/** How long a server may start, recover or stop before it is given up, in milliseconds. It says that it does so. */
const patience = 300_000

/** How long a server that runs may refuse connections or leave them unanswered, in milliseconds. */
const silence = 4_000
const connecting = 2_000

/**
 * The port of the server that runs on this folder, whichever process started it; undefined if none does.
 *
 * Waits for a server that is starting, recovering or stopping. What a killed one left is made harmless. Throws EmbeddedError
 * if a server runs that cannot be used.
 */
export async function findRunning(
  { dataDir, data }: Pick<Cluster, 'dataDir' | 'data'>,
  password: string,
  log: Log,
): Promise<number | undefined> {
  const began = performance.now()
  let heardAt = began
  for (; ; await pause(100)) {
    const noted = await readNote(data)
    if (!noted) return undefined
    if (!(await isServer(noted.pid, data))) return await disown(data)
    const answer = noted.port ? await ask(noted.port, data, password) : 'silent'
    if (answer === 'ours') return noted.port
    if (answer instanceof Error) throw explain(dataDir, answer)
    const now = performance.now()
    if (answer === 'not yet') {
      if (now - heardAt > silence) log.info('waiting for the embedded PostgreSQL, which starts, recovers or stops')
      heardAt = now
    }
    if (now - heardAt > silence || now - began > patience) {
      const reason = `the PostgreSQL that runs on it (process ${noted.pid}) does not answer`
      throw new EmbeddedError(
        `The embedded database in DATA_DIR (${dataDir}) cannot be used: ${reason}: stop that process`,
      )
    }
  }
}

/** Whether a server runs on this folder, in whatever state. */
export async function isRunning(data: string): Promise<boolean> {
  const noted = await readNote(data)
  return noted !== undefined && (await isServer(noted.pid, data))
}

/** Works on a connection of its own. Fails if the server does not take it in time. */
export async function connected<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: connecting })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return await work(client)
  } finally {
    await client.end().catch(() => undefined)
  }
}

interface Note {
  pid: number
  port: number | undefined
}

async function readNote(data: string): Promise<Note | undefined> {
  const file = join(data, 'postmaster.pid')
  if (!existsSync(file)) return undefined
  const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n')
  const pid = Number(lines[0])
  return pid > 0 ? { pid, port: Number(lines[3]) || undefined } : undefined
}

/** A process with that id may long be another one, or a dead one that nobody has buried (in a container without init). */
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
 * PostgreSQL does not start while the process that its note names is alive, though it be another's. It overlooks its
 * own parents, us. The note itself must stay: by it PostgreSQL finds processes that outlived the killed server.
 */
async function disown(data: string): Promise<undefined> {
  const file = join(data, 'postmaster.pid')
  const [, ...rest] = (await readFile(file, 'utf8')).split('\n')
  // The folder is the server user's; as root we follow no link that this user may have put there.
  const flag = constants.O_WRONLY | constants.O_TRUNC | constants.O_NOFOLLOW
  await writeFile(file, [process.pid, ...rest].join('\n'), { flag })
}

/** What a server says to a connection: it is ours, it takes none yet, nothing, or why it cannot serve. */
async function ask(port: number, data: string, password: string): Promise<'ours' | 'not yet' | 'silent' | Error> {
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
