import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chown, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '../../kernel/telemetry/log.ts'
import type { Binaries } from './binaries.ts'
import { runAs, type ServerUser } from './command.ts'
import { EmbeddedError, problem } from './problem.ts'

/** A PostgreSQL cluster: its folders, programs, user and settings. */
export interface Cluster {
  /** The folder as the operator configured it. */
  dataDir: string
  /** The folder of all files of the embedded database. */
  home: string
  /** PostgreSQL's data folder in `home`. */
  data: string
  binaries: Binaries
  user: ServerUser | undefined
  settings: Record<string, string>
}

const defaults = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '100',
  shared_preload_libraries: 'pg_stat_statements',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // After a crash the server ends and this process restarts it, so that a server that crashes repeatedly is noticed.
  restart_after_crash: 'off',
}

const timeoutSeconds = 300
/** Maximum time to wait for temporary obstacles, in milliseconds: a port in use, processes of a killed server. */
const retryTimeoutMs = 7_000
const maxLogBytes = 10_000_000

/** Creates the cluster if there is none. An interrupted creation leaves no partial cluster. */
export async function initialise(cluster: Cluster, password: string): Promise<void> {
  const { dataDir, home, data, binaries, user } = cluster
  await removeDrafts(home)
  if (existsSync(data)) return await checkVersion(cluster)
  const draft = join(home, `draft-${randomBytes(6).toString('hex')}`)
  const passwordFile = `${draft}-password`
  await mkdir(draft, { mode: 0o700 })
  await writeFile(passwordFile, password, { mode: 0o600 })
  if (user) await Promise.all([draft, passwordFile].map((path) => chown(path, user.uid, user.gid)))
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
  const access = ['--username=campanile', '--auth=scram-sha-256', `--pwfile=${passwordFile}`]
  const args = ['-D', draft, ...locale, ...access, '--no-instructions']
  const { code, output } = await runAs(user, binaries.initdb, args, home)
  await rm(passwordFile)
  if (code !== 0) {
    await removeDrafts(home)
    throw new EmbeddedError(problem(dataDir, `initdb failed: ${problemIn(output)}`, output))
  }
  await rename(draft, data)
}

async function removeDrafts(home: string): Promise<void> {
  for (const entry of await readdir(home)) {
    if (entry.startsWith('draft-')) await rm(join(home, entry), { recursive: true, force: true, maxRetries: 10 })
  }
}

async function checkVersion({ dataDir, data, binaries: { major } }: Cluster): Promise<void> {
  const version = (await readFile(join(data, 'PG_VERSION'), 'utf8').catch(() => '')).trim()
  if (version === major) return
  if (!/^\d+$/.test(version)) throw new EmbeddedError(problem(dataDir, `${data} is no complete PostgreSQL cluster`))
  throw new EmbeddedError(
    `DATA_DIR (${dataDir}) was created by PostgreSQL ${version}, but this version includes ${major}: move the data with pg_dump, or set another DATA_DIR`,
  )
}

/**
 * Starts the server as a detached process and returns its port: `fixed`, or else the previous port if it is free.
 *
 * Waits until remaining processes of a killed server have ended. Throws EmbeddedError.
 */
export async function launch(cluster: Cluster, log: Log, fixed?: number): Promise<number> {
  const { dataDir, home, data, binaries, user } = cluster
  const file = await prepareLog(cluster)
  const deadline = Date.now() + retryTimeoutMs
  for (;;) {
    const port = fixed ?? (await freePort(home))
    const settings = Object.entries({ ...defaults, ...cluster.settings, port: String(port) })
    const options = settings.map(([name, value]) => `-c ${name}='${value.replaceAll("'", "'\\''")}'`).join(' ')
    const { size } = await stat(file)
    const args = ['start', '-D', data, '-w', '-t', String(timeoutSeconds), '-l', file, '-o', options]
    const slow = setInterval(() => log.info('the embedded PostgreSQL is starting or recovering'), 5_000)
    const { code, output } = await runAs(user, binaries.pgCtl, args, home).finally(() => clearInterval(slow))
    if (code === 0) return port
    const serverOutput = (await readFile(file)).subarray(size).toString() || output
    if (!/shared memory block|could not bind|could not create any TCP/.test(serverOutput) || Date.now() > deadline) {
      throw new EmbeddedError(
        problem(dataDir, `PostgreSQL does not start: ${problemIn(serverOutput)} (more in ${file})`, serverOutput),
      )
    }
    await pause(100)
  }
}

/** Stops the server. Open transactions are rolled back. Waits for at most `seconds`, and returns whether it stopped. */
export async function halt(
  cluster: Pick<Cluster, 'data' | 'user' | 'binaries' | 'home'>,
  seconds = timeoutSeconds,
): Promise<boolean> {
  const args = ['stop', '-D', cluster.data, '-m', 'fast', '-w', '-t', String(seconds)]
  const { code } = await runAs(cluster.user, cluster.binaries.pgCtl, args, cluster.home)
  return code === 0
}

/** Prepares the server log: sets its owner, and empties it if it is too large. */
async function prepareLog({ home, user }: Cluster): Promise<string> {
  const path = join(home, 'server.log')
  const file = await open(path, 'a', 0o600)
  const { size } = await file.stat()
  if (size > maxLogBytes) await file.truncate()
  if (user) await file.chown(user.uid, user.gid)
  await file.close()
  return path
}

/**
 * Returns the previous port if it is free, otherwise another free port. Clients that survive a server then find the
 * next one at the same port.
 */
async function freePort(home: string): Promise<number> {
  const record = join(home, 'port')
  const before = existsSync(record) ? Number(await readFile(record, 'utf8')) : 0
  const port = (before && (await findListenablePort(before))) || (await findListenablePort(0))
  if (port !== before) await writeFile(record, String(port))
  return port
}

function findListenablePort(port: number): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer()
    server.on('error', () => resolve(0))
    server.listen(port, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(address && typeof address === 'object' ? address.port : 0))
    })
  })
}

function problemIn(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim())
  const relevant = lines.find((line) => /FATAL|PANIC|error:/.test(line)) ?? lines.at(-1) ?? 'no reason given'
  return relevant.replace(/^.*?(FATAL|PANIC|error):\s*/, '')
}
