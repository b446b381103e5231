import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readFile, realpath, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '../../kernel/telemetry/log.ts'
import { findBinaries } from './binaries.ts'
import { type Lock, lockWithin, tryLock } from './lock.ts'
import { EmbeddedError, explain, problem } from './problem.ts'
import { connected, findRunning, isRunning } from './running.ts'
import { type Cluster, halt, initialise, launch } from './server.ts'
import { supervise } from './supervise.ts'
import { openPassage, serverUser } from './user.ts'

export { writeBackup } from './backup.ts'
export { embeddedMajor } from './binaries.ts'
export { EmbeddedError, explain as explainEmbedded } from './problem.ts'
export { readBackup } from './restore.ts'

/** A share of the PostgreSQL server under DATA_DIR. */
export interface EmbeddedServer {
  url: string
  /** Releases the share. The last process stops the server. Safe to repeat. */
  stop(): Promise<void>
}

/**
 * Provides a PostgreSQL server under `dataDir/postgres`. It is created if there is none, started if it is not running,
 * and shared by the processes that use the same folder. The server survives a killed process, and the next process uses
 * it. While a process has a share, it restarts a server that ended, on the same port, so that the URL stays valid.
 *
 * `settings` are PostgreSQL settings. They apply if this process starts the server. Throws EmbeddedError with one line
 * that names DATA_DIR and a solution.
 */
export async function startEmbedded(
  dataDir: string,
  log: Log,
  settings: Record<string, string> = {},
): Promise<EmbeddedServer> {
  try {
    const home = await ownFolder(dataDir)
    return await withTurnLock(home, () => share(dataDir, home, log, settings))
  } catch (error) {
    throw explain(dataDir, error)
  }
}

async function share(
  dataDir: string,
  home: string,
  log: Log,
  settings: Record<string, string>,
): Promise<EmbeddedServer> {
  const data = join(home, 'data')
  const user = await serverUser(data)
  if (user) await openPassage(user, home, await realpath(dataDir))
  const password = await passwordOf(dataDir, home)
  const cluster: Cluster = { dataDir, home, data, user, settings, binaries: await findBinaries(user, home) }
  const lock = tryLock(shareOf(home), 'shared')
  if (!lock) throw new EmbeddedError(`${shareOf(home)} is held by something else: stop that, or set DATA_DIR`)
  try {
    await initialise(cluster, password)
    const running = await findRunning(cluster, password, log)
    const port = running ?? (await launch(cluster, log))
    const url = `postgres://campanile:${password}@127.0.0.1:${port}/campanile`
    await createDatabase(url)
    log.debug({ port, found: running !== undefined }, 'embedded PostgreSQL is ready')
    const restart = async () => {
      await withTurnLock(home, async () => {
        if (!(await isRunning(data))) await launch(cluster, log, port)
      })
    }
    const supervisor = supervise({ isRunning: () => isRunning(data), restart, log })
    const stop = async () => {
      await supervisor.stop()
      await withTurnLock(home, () => releaseShare(cluster, lock))
    }
    return { url, stop: once(stop) }
  } catch (error) {
    // A server that cannot be used may not stop either, so the wait is short.
    await releaseShare(cluster, lock, 1)
    throw error
  }
}

async function releaseShare(cluster: Cluster, share: Lock, seconds?: number): Promise<void> {
  share.release()
  const exclusive = tryLock(shareOf(cluster.home), 'exclusive')
  if (!exclusive) return
  exclusive.release()
  await halt(cluster, seconds)
}

/** Path of the lock that all processes on the server share. A process that can lock it exclusively is the last. */
function shareOf(home: string): string {
  return join(home, 'users.lock')
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined
  return () => {
    done ??= work()
    return done
  }
}

async function ownFolder(dataDir: string): Promise<string> {
  const home = join(dataDir, 'postgres')
  try {
    await mkdir(home, { recursive: true })
    if (process.getuid?.() === 0) await chmod(home, 0o711)
    return await realpath(home)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOSPC') throw error
    throw new EmbeddedError(`DATA_DIR (${dataDir}) must be a folder we may write to: ${message}`)
  }
}

/**
 * Runs work under the lock for starting and stopping, because a server that is starting would look like a missing one.
 */
async function withTurnLock<Result>(home: string, work: () => Promise<Result>): Promise<Result> {
  const minutes = 5
  const turn = await lockWithin(join(home, 'turn.lock'), minutes * 60_000)
  if (!turn)
    throw new EmbeddedError(`Another process has been busy with the database in ${home} for ${minutes} minutes`)
  try {
    return await work()
  } finally {
    turn.release()
  }
}

/** Returns the password of the database user. It is generated for a new cluster only. */
async function passwordOf(dataDir: string, home: string): Promise<string> {
  const file = join(home, 'password')
  const kept = existsSync(file) ? (await readFile(file, 'utf8')).trim() : ''
  if (kept !== '') return kept
  if (existsSync(join(home, 'data'))) throw new EmbeddedError(problem(dataDir, `${file} is missing or empty`))
  const password = randomBytes(24).toString('base64url')
  await writeFile(`${file}.draft`, password, { mode: 0o600 })
  await rename(`${file}.draft`, file)
  return password
}

/** Creates the database in a new cluster, and reads from it to detect damage. */
async function createDatabase(url: string): Promise<void> {
  const maintenance = new URL(url)
  maintenance.pathname = '/postgres'
  await connected(maintenance.href, async (client) => {
    const { rowCount } = await client.query(`SELECT FROM pg_database WHERE datname = 'campanile'`)
    if (!rowCount) await client.query('CREATE DATABASE campanile')
  })
  await connected(url, (client) => client.query('SELECT count(*) FROM pg_class'))
}
