import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readFile, realpath, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import type { Log } from '../kernel/log.ts'
import { findBinaries } from './embedded/binaries.ts'
import { type Lock, lockWithin, tryLock } from './embedded/lock.ts'
import { EmbeddedError } from './embedded/problem.ts'
import { findRunning } from './embedded/running.ts'
import { type Cluster, halt, initialise, launch } from './embedded/server.ts'
import { openPassage, serverUser } from './embedded/user.ts'

export { EmbeddedError } from './embedded/problem.ts'

/** A share in the PostgreSQL under DATA_DIR. */
export interface Embedded {
  url: string
  /** Gives the share back; the last process out stops the server. Safe to repeat. */
  stop(): Promise<void>
}

/**
 * A real PostgreSQL under `dataDir/postgres`: made where there is none, started where it does not run, shared with the
 * other processes on the same folder. It outlives a killed process, and the next one finds it.
 *
 * `settings` are PostgreSQL's, for this start of the server; who finds it running takes it as it is.
 * Fails with EmbeddedError, one line for the operator.
 */
export async function startEmbedded(
  dataDir: string,
  log: Log,
  settings: Record<string, string> = {},
): Promise<Embedded> {
  const home = await ownFolder(dataDir)
  return await inTurn(home, async () => {
    const data = join(home, 'data')
    const user = await serverUser(data)
    if (user) await openPassage(user, home, await realpath(dataDir))
    const password = await passwordOf(home)
    const cluster: Cluster = { home, data, user, settings, binaries: await findBinaries(user, home) }
    const share = tryLock(shareOf(home), 'shared')
    if (!share) throw new EmbeddedError(`${shareOf(home)} is held by something else: stop that, or set DATA_DIR`)
    try {
      await initialise(cluster, password)
      const found = await findRunning(data, password)
      const port = found ?? (await launch(cluster))
      await makeDatabase(port, password)
      log.debug({ port, found: found !== undefined }, 'embedded PostgreSQL is ready')
      const url = `postgres://campanile:${password}@127.0.0.1:${port}/campanile`
      return { url, stop: once(() => inTurn(home, () => giveBack(cluster, share))) }
    } catch (error) {
      await giveBack(cluster, share)
      throw error
    }
  })
}

async function giveBack(cluster: Cluster, share: Lock): Promise<void> {
  share.release()
  const alone = tryLock(shareOf(cluster.home), 'exclusive')
  if (!alone) return
  alone.release()
  await halt(cluster)
}

/** A lock that every process on the server shares: who can have it alone is the last. */
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
    throw new EmbeddedError(`DATA_DIR (${dataDir}) must be a folder we may write to: ${(error as Error).message}`)
  }
}

/** Starting and stopping take turns: half a start would look like a server that is missing. */
async function inTurn<Result>(home: string, work: () => Promise<Result>): Promise<Result> {
  const minutes = 5
  const turn = await lockWithin(join(home, 'turn.lock'), minutes * 60_000).catch((error: Error) => {
    throw new EmbeddedError(`DATA_DIR must be a folder we may write to: ${home}: ${error.message}`)
  })
  if (!turn)
    throw new EmbeddedError(`Another process has been busy with the database in ${home} for ${minutes} minutes`)
  try {
    return await work()
  } finally {
    turn.release()
  }
}

async function passwordOf(home: string): Promise<string> {
  const file = join(home, 'password')
  if (!existsSync(file)) {
    await writeFile(`${file}.draft`, randomBytes(24).toString('base64url'), { mode: 0o600 })
    await rename(`${file}.draft`, file)
  }
  return await readFile(file, 'utf8')
}

async function makeDatabase(port: number, password: string): Promise<void> {
  const client = new pg.Client({ host: '127.0.0.1', port, user: 'campanile', password, database: 'postgres' })
  client.on('error', () => undefined)
  await client.connect()
  try {
    const { rowCount } = await client.query(`SELECT FROM pg_database WHERE datname = 'campanile'`)
    if (!rowCount) await client.query('CREATE DATABASE campanile')
  } finally {
    await client.end()
  }
}
