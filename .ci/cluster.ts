import { execFileSync, type SpawnSyncReturns, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, globSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { temporaryFolder } from '../test/support/temporary-folder.ts'
import { unusedPort } from '../test/support/unused-port.ts'

/** A PostgreSQL server that only this run uses. */
export interface Cluster {
  readonly url: string
  stop(): void
}

/** The user as whom the server runs; without numbers, that of this process. */
interface User {
  readonly uid?: number
  readonly gid?: number
}

/** What a server of data that need not survive a crash has, and room for three workers with several processes each. */
const settings = {
  ...{ fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '500' },
  ...{ listen_addresses: '127.0.0.1', unix_socket_directories: '' },
}

/**
 * Starts the newest PostgreSQL whose programs this machine has, of another version than the embedded one, with data of its own.
 * Returns undefined if there are none, or they do not start a server.
 */
export async function startCluster(): Promise<Cluster | undefined> {
  const [initdb] = globSync('/usr/lib/postgresql/*/bin/initdb').toSorted((a, b) =>
    b.localeCompare(a, 'en', { numeric: true }),
  )
  const user: User | undefined = process.getuid?.() === 0 ? idsOf('postgres') : {}
  if (!initdb || !user) return undefined
  const home = mkdtempSync(join(temporaryFolder(), 'campanile-cluster-'))
  chmodSync(home, 0o711)
  const data = join(home, 'data')
  mkdirSync(data, { mode: 0o700 })
  if (user.uid !== undefined && user.gid !== undefined) chownSync(data, user.uid, user.gid)
  const run = (program: string, ...args: string[]) =>
    spawnSync(join(dirname(initdb), program), ['-D', data, ...args], {
      ...user,
      cwd: '/',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  const stop = () => {
    run('pg_ctl', 'stop', '-w', '-m', 'immediate')
    rmSync(home, { recursive: true, force: true, maxRetries: 5 })
  }
  const port = await unusedPort()
  const options = Object.entries({ ...settings, port }).map(([name, value]) => `-c ${name}='${value}'`)
  const isStarted =
    isDone(run('initdb', '--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8', '--no-sync')) &&
    isDone(run('pg_ctl', 'start', '-w', '-l', join(data, 'log'), '-o', options.join(' ')))
  if (isStarted) return { url: `postgresql://postgres@127.0.0.1:${port}/postgres`, stop }
  stop()
  return undefined
}

/** PostgreSQL refuses to run as root. */
function idsOf(name: string): User | undefined {
  const id = (which: string) => Number(execFileSync('id', [which, name], { stdio: 'pipe' }))
  try {
    return { uid: id('-u'), gid: id('-g') }
  } catch {
    return undefined
  }
}

function isDone({ status, stderr }: SpawnSyncReturns<Buffer>): boolean {
  if (status !== 0) console.log(`${stderr}`.trim())
  return status === 0
}
