import { constants, existsSync } from 'node:fs'
import { readFile, realpath, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { runAs } from './command.ts'
import { EmbeddedError } from './problem.ts'

const patience = 60_000

/**
 * The port of the server that runs on this folder, whoever started it; undefined when none does.
 *
 * A server that is starting, recovering or stopping is waited for. What a killed one left is made harmless.
 */
export async function findRunning(data: string, password: string): Promise<number | undefined> {
  for (const deadline = Date.now() + patience; ; await pause(100)) {
    const noted = await readNote(data)
    if (!noted) return undefined
    if (!(await isServer(noted.pid, data))) return await disown(data)
    if (noted.port && (await answers(noted.port, data, password))) return noted.port
    if (Date.now() > deadline) {
      throw new EmbeddedError(
        `The PostgreSQL that runs on ${data} (process ${noted.pid}) does not take connections: stop it and start again`,
      )
    }
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

async function answers(port: number, data: string, password: string): Promise<boolean> {
  const client = new pg.Client({ host: '127.0.0.1', port, user: 'campanile', password, database: 'postgres' })
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows } = await client.query<{ data: string }>(`SELECT current_setting('data_directory') AS data`)
    return (await realpath(rows[0]?.data ?? '')) === (await realpath(data))
  } catch (error) {
    const wrongPassword = '28P01'
    if ((error as { code?: string }).code !== wrongPassword) return false
    throw new EmbeddedError(`The password beside ${data} does not fit the database in it: restore that file`)
  } finally {
    await client.end().catch(() => undefined)
  }
}
