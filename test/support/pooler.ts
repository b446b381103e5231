import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { unusedPort } from './unused-port.ts'

/** Path of PgBouncer. Undefined if it is not installed. */
export const pgBouncer = ['/usr/sbin', '/usr/local/sbin', ...(process.env['PATH'] ?? '').split(':')]
  .map((folder) => join(folder, 'pgbouncer'))
  .find((path) => existsSync(path))

/** Whether the installed PgBouncer can keep prepared statements: from 1.21 on. */
export function canKeepPrepared(): boolean {
  if (pgBouncer === undefined) return false
  const [, major, minor] = /(\d+)\.(\d+)/.exec(execFileSync(pgBouncer, ['--version'], { encoding: 'utf8' })) ?? []
  return Number(major) > 1 || Number(minor) >= 21
}

/** Pools the connections to all databases of a server. */
export interface Pooler {
  /** Returns the URL of a database through the pooler. */
  pooled(databaseUrl: string): string
  stop(): Promise<void>
}

/** A pooler in front of a PostgreSQL server, by the URL of any of its databases. */
export interface PoolerOptions {
  readonly databaseUrl: string
  /** Maximum number of connections to each database. */
  readonly poolSize?: number
  readonly mode?: 'session' | 'transaction'
  /**
   * Number of prepared statements that each connection keeps. Defaults to PgBouncer's own default. Requires `canKeepPrepared`.
   */
  readonly prepared?: number
}

/** Starts PgBouncer on an unused port. Requires that it is installed. */
export async function startPooler({
  databaseUrl,
  poolSize = 20,
  mode = 'transaction',
  prepared,
}: PoolerOptions): Promise<Pooler> {
  const { hostname, port, username, password } = new URL(databaseUrl)
  const folder = await mkdtemp(join(tmpdir(), 'campanile-pooler-'))
  const file = join(folder, 'pgbouncer.ini')
  const ownPort = await unusedPort()
  const login = `user=${decodeURIComponent(username)}${password && ` password='${decodeURIComponent(password)}'`}`
  // Idle connections end soon, because a database with connections cannot be cloned.
  await writeFile(
    file,
    `[databases]
* = host=${hostname} port=${port || 5432} ${login}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${ownPort}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = ${poolSize}
max_client_conn = 5000
server_idle_timeout = 1
server_round_robin = 1
${prepared === undefined ? '' : `max_prepared_statements = ${prepared}\n`}`,
  )
  await chmod(folder, 0o755)
  // PgBouncer refuses to run as root.
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const child = spawn(pgBouncer as string, ['-q', ...user, file], { stdio: 'ignore' })
  const ended = once(child, 'exit')
  const pooled: Pooler['pooled'] = (url) => {
    const through = new URL(url)
    through.host = `127.0.0.1:${ownPort}`
    return through.href
  }
  const stop = async () => {
    child.kill('SIGKILL')
    await ended
    await rm(folder, { recursive: true, force: true })
  }
  while (!(await answers(pooled(databaseUrl)))) {
    if (child.exitCode !== null) throw new Error(`PgBouncer did not start: ${child.exitCode}`)
    await pause(20)
  }
  return { pooled, stop }
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  const isConnected = await client.connect().then(
    () => true,
    () => false,
  )
  await client.end().catch(() => undefined)
  return isConnected
}
