import { execFile } from 'node:child_process'
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startEmbedded } from '../../src/db/embedded/embedded.ts'
import { newLog } from '../../src/kernel/telemetry/log.ts'
import { atEnd } from './ends.ts'

/** The URLs of a PostgreSQL and of a streaming replica of it. */
export interface ReplicatedDatabase {
  readonly primary: string
  readonly replica: string
}

/** Starts a PostgreSQL and a streaming replica of it, and stops both at the end of the test file. */
export async function newReplicatedDatabase(): Promise<ReplicatedDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'campanile-replica-'))
  atEnd(() => rm(folder, { recursive: true, force: true }))
  const log = newLog('error')
  const start = (name: string) =>
    startEmbedded(join(folder, name), log, { fsync: 'off', wal_keep_size: '1GB', max_connections: '200' })
  const template = await start('primary')
  await template.stop()
  // A copy of a stopped server is a base backup.
  const [primary, replica] = ['primary', 'replica'].map((name) => join(folder, name, 'postgres')) as [string, string]
  await promisify(execFile)('mkdir', [join(folder, 'replica')])
  await promisify(execFile)('cp', ['-a', primary, replica])
  await rm(join(replica, 'port'))
  const running = await start('primary')
  atEnd(() => running.stop())
  const { hostname, port, username, password } = new URL(running.url)
  const connection = `host=${hostname} port=${port} user=${username} password=${password}`
  await appendFile(join(replica, 'data/postgresql.auto.conf'), `primary_conninfo = '${connection}'\n`)
  await writeFile(join(replica, 'data/standby.signal'), '')
  const standby = await start('replica')
  atEnd(() => standby.stop())
  return { primary: running.url, replica: standby.url }
}
