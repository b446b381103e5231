import { existsSync } from 'node:fs'
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { beforeAll, describe, expect, it } from 'vitest'
import { databaseServerOf, isAlive, start, temporaryFolder, until } from './process.ts'

const isRoot = process.getuid?.() === 0

const share = (folder: string, env = {}) => {
  const running = start('test/runtime/share.ts', [folder], env)
  const url = running.line(/^postgres:/)
  // Some promises reject on purpose. The tests await the others.
  url.catch(() => {})
  return { ...running, url }
}

async function ask(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}

async function leave(...sharers: ReturnType<typeof share>[]): Promise<void> {
  for (const one of sharers) one.signal('SIGTERM')
  for (const one of sharers) expect(await one.end).toMatchObject({ code: 0, stderr: '' })
}

describe('the embedded database', () => {
  let folder: string
  beforeAll(async () => {
    folder = await temporaryFolder()
  })

  // The first one: it creates the cluster.
  it('uses UTF-8 and a fixed collation in any locale, listens on this machine only, and requires a password', async () => {
    const one = share(folder, { LANG: 'C', LC_ALL: 'C', PGPORT: '1', PGDATA: '/nowhere' })
    const url = await one.url
    await databaseServerOf(folder)

    const [database] = await ask(
      url,
      `SELECT pg_encoding_to_char(encoding) AS encoding, datlocprovider::text AS provider, datlocale AS locale,
         current_setting('listen_addresses') AS listens, current_setting('unix_socket_directories') AS sockets,
         current_setting('fsync') AS fsync, upper('é') AS upper
       FROM pg_database WHERE datname = current_database()`,
    )
    expect(database).toEqual({
      encoding: 'UTF8',
      provider: 'b',
      locale: 'C.UTF-8',
      listens: '127.0.0.1',
      sockets: '',
      fsync: 'on',
      upper: 'É',
    })
    const guess = new URL(url)
    guess.password = 'guess'
    await expect(ask(guess.href, 'SELECT 1')).rejects.toMatchObject({ code: '28P01' })
    await leave(one)
  })

  it('is one server for processes that start together, and stops with the last of them', async () => {
    const sharers = [share(folder), share(folder), share(folder)] as const
    const urls = await Promise.all(sharers.map((one) => one.url))
    const server = await databaseServerOf(folder)
    expect(new Set(urls).size).toBe(1)

    await leave(sharers[0], sharers[1])
    expect(await ask(urls[0] ?? '', 'SELECT 1 AS one')).toEqual([{ one: 1 }])
    await leave(sharers[2])
    await until(() => !isAlive(server))
  })

  it('survives a killed process, and is found by the next one', async () => {
    const killed = share(folder)
    await ask(await killed.url, 'CREATE TABLE kept AS SELECT 1 AS one')
    const server = await databaseServerOf(folder)
    killed.signal('SIGKILL')
    await killed.end

    const next = share(folder)
    expect(await ask(await next.url, 'SELECT * FROM kept')).toEqual([{ one: 1 }])
    expect(await databaseServerOf(folder)).toBe(server)
    await leave(next)
    await until(() => !isAlive(server))
  })

  it('is restarted with all committed data if its server is killed', async () => {
    const before = share(folder)
    await ask(await before.url, 'CREATE TABLE committed AS SELECT 1 AS one')
    const server = await databaseServerOf(folder)
    // A process with a share would restart the server by itself.
    before.signal('SIGKILL')
    await before.end
    process.kill(server, 'SIGKILL')

    const after = share(folder)
    expect(await after.url).toBe(await before.url)
    expect(await databaseServerOf(folder)).not.toBe(server)
    expect(await ask(await after.url, 'SELECT * FROM committed')).toEqual([{ one: 1 }])
    await leave(after)
  })

  it('ignores a state file that names another living process, and recovers from an interrupted start', async () => {
    const first = share(folder)
    await first.url
    const server = await databaseServerOf(folder)
    first.signal('SIGKILL')
    await first.end
    process.kill(server, 'SIGKILL')
    await until(() => !isAlive(server))
    const note = join(folder, 'postgres/data/postmaster.pid')
    await writeFile(note, (await readFile(note, 'utf8')).replace(/^\d+/, String(process.pid)))
    await mkdir(join(folder, 'postgres/draft-0123456789ab'))

    const second = share(folder)
    expect(await ask(await second.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
    await databaseServerOf(folder)
    expect(await readdir(join(folder, 'postgres'))).not.toContain('draft-0123456789ab')
    await leave(second)
  })

  it('uses another port if its own is in use', async () => {
    const folder = await temporaryFolder()
    await mkdir(join(folder, 'postgres'))
    const taken = start('test/runtime/listen.ts')
    const port = await taken.line(/^\d+$/)
    await writeFile(join(folder, 'postgres/port'), port)

    const one = share(folder)
    expect(new URL(await one.url).port).not.toBe(port)
    await databaseServerOf(folder)
    await leave(one)
    taken.signal('SIGKILL')
    await taken.end
  })

  it('prints one line if its folder cannot be used', async () => {
    const folder = await temporaryFolder()
    await writeFile(join(folder, 'file'), '')
    const { code, stderr } = await share(join(folder, 'file')).end
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/^DATA_DIR .*must be a folder .*\n$/) })
  })
})

describe.runIf(isRoot)('the embedded database as root', () => {
  it('runs as another user in a private temporary folder, to which it adds only the permission to traverse it', async () => {
    const folder = join(await temporaryFolder(), 'nested')
    await mkdir(folder, { mode: 0o700 })
    const one = share(folder)
    expect(await ask(await one.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
    const status = await readFile(`/proc/${await databaseServerOf(folder)}/status`, 'utf8').catch(() => 'Uid:\t1')
    expect(status).not.toMatch(/^Uid:\t0/m)
    await leave(one)
  })

  it('prints one line with the folder that prevents the start, and a remedy', async () => {
    const closed = await temporaryFolder(homedir())
    await chmod(closed, 0o700)
    const { code, stderr } = await share(join(closed, 'data')).end
    expect(code).toBe(1)
    expect(stderr).toMatch(/^As root .* may not pass through \/\S+ .* set DATA_DIR .*\n$/)
    expect(existsSync(join(closed, 'data/postgres/data'))).toBe(false)
  })
})
