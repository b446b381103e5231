import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmdirSync } from 'node:fs'
import { mkdir, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { databaseServerOf, isAlive, start, temporaryFolder, until } from './process.ts'

const server = 'main'

/** Time limit of a failing start, in milliseconds. */
const longest = 10_000

let sound: string
/** Measured duration of a successful start, in milliseconds. */
let usual = 0
/** Paths of tables in the data folder, by database and name. */
const paths: Record<string, string> = {}

beforeAll(async () => {
  sound = await temporaryFolder()
  const began = performance.now()
  const first = start('main', [], { DATA_DIR: sound, PORT: '0' })
  await first.line(/^ready /)
  usual = performance.now() - began
  const beside = start('test/runtime/share.ts', [sound])
  const url = new URL(await beside.line(/^postgres:/))
  for (const [database, table] of [
    ['campanile', 'pg_class'],
    ['postgres', 'pg_class'],
    ['campanile', '_prisma_migrations'],
    ['campanile', 'log_reader'],
  ]) {
    url.pathname = `/${database}`
    const client = new pg.Client({ connectionString: url.href })
    await client.connect()
    const { rows } = await client.query<{ path: string }>('SELECT pg_relation_filepath($1) AS path', [table])
    paths[`${database} ${table}`] = rows[0]?.path ?? ''
    await client.end()
  }
  const server = await databaseServerOf(sound)
  for (const each of [beside, first]) {
    each.signal('SIGTERM')
    await each.end
  }
  await until(() => !isAlive(server))
}, 120_000)

/** Creates a copy of an intact DATA_DIR. */
async function copyOfSound(): Promise<string> {
  const folder = await temporaryFolder()
  execFileSync('cp', ['-a', join(sound, 'postgres'), folder])
  return folder
}

/** Starts a program, which must end in time with one line that names DATA_DIR. Returns the line. */
async function lineOf(folder: string, script = 'test/runtime/share.ts'): Promise<string> {
  const began = performance.now()
  const { code, stdout, stderr } = await start(script, [folder].slice(script === server ? 1 : 0), {
    DATA_DIR: folder,
    PORT: '0',
  }).end
  expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(/^[^\n]+\n$/) })
  expect(stderr).toContain('DATA_DIR')
  expect(stderr).toContain(folder)
  // On a busy machine loading the program alone takes longer.
  expect(performance.now() - began).toBeLessThan(Math.max(longest, 4 * usual))
  return stderr
}

const damages: [string, RegExp, (data: string) => Promise<unknown>][] = [
  ['an empty password file', /password is missing or empty/, (data) => writeFile(join(data, '../password'), '')],
  ['no password file', /password is missing or empty/, (data) => rm(join(data, '../password'))],
  ['another password', /does not fit the database/, (data) => writeFile(join(data, '../password'), 'another')],
  ['a pg_control that is cut short', /pg_control/, (data) => truncate(join(data, 'global/pg_control'), 100)],
  [
    'a catalog of our database that is cut short',
    /critical system index|base\//,
    (data) => truncate(join(data, paths['campanile pg_class'] ?? ''), 100),
  ],
  [
    'a catalog of another database that is cut short',
    /critical system index|base\//,
    (data) => truncate(join(data, paths['postgres pg_class'] ?? ''), 100),
  ],
  ['no write-ahead log', /./, (data) => rm(join(data, 'pg_wal'), { recursive: true })],
  ['data of another PostgreSQL', /created by PostgreSQL 14/, (data) => writeFile(join(data, 'PG_VERSION'), '14\n')],
  ['no version', /no complete PostgreSQL cluster/, (data) => rm(join(data, 'PG_VERSION'))],
  ['an empty postmaster.pid', /postmaster\.pid|PID file/, (data) => writeFile(join(data, 'postmaster.pid'), '')],
  ['a garbled postmaster.pid', /postmaster\.pid|PID file/, (data) => writeFile(join(data, 'postmaster.pid'), 'x\ny\n')],
  [
    'an empty data folder',
    /no complete PostgreSQL cluster/,
    async (data) => {
      await rename(data, `${data}-away`)
      await mkdir(data)
    },
  ],
  [
    'a file in the place of the data folder',
    /./,
    async (data) => {
      await rm(data, { recursive: true })
      await writeFile(data, '')
    },
  ],
]

describe('a DATA_DIR with', { timeout: 120_000 }, () => {
  it.each(damages)('%s ends the start soon with one line', async (_what, reason, damage) => {
    const folder = await copyOfSound()
    await damage(join(folder, 'postgres/data'))
    expect(await lineOf(folder)).toMatch(reason)
  })

  it.each(['campanile pg_class', 'campanile _prisma_migrations', 'campanile log_reader'])(
    '%s with invalid content ends the start of the server soon with one line',
    async (table) => {
      const folder = await copyOfSound()
      await writeFile(join(folder, 'postgres/data', paths[table] ?? ''), Buffer.alloc(8_192, 'x'))
      expect(await lineOf(folder, server)).toMatch(/invalid page|critical system index/)
    },
  )

  it('a suspended database server ends the start soon with one line', async () => {
    const folder = await copyOfSound()
    const first = start('test/runtime/share.ts', [folder])
    await first.line(/^postgres:/)
    const database = await databaseServerOf(folder)
    first.signal('SIGKILL')
    await first.end
    process.kill(database, 'SIGSTOP')
    expect(await lineOf(folder)).toContain(`(process ${database}) does not answer`)
  })
})

/** Creates a file system of this size for one test. */
async function smallDisk(kilobytes: number): Promise<string> {
  const folder = await temporaryFolder()
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${kilobytes}k`, 'tmpfs', folder], { stdio: 'ignore' })
  onTestFinished(() => {
    execFileSync('umount', ['-l', folder])
  })
  return folder
}

/** Only root can mount, and many containers do not allow it to root either. */
function mayMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'campanile-mount-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', folder], { stdio: 'ignore' })
    execFileSync('umount', [folder])
    return true
  } catch {
    return false
  } finally {
    rmdirSync(folder)
  }
}

describe.runIf(mayMount())('a full disk', { timeout: 120_000 }, () => {
  it.each([20, 1_000, 20_000])('of %d kB ends the first start soon with one line', async (kilobytes) => {
    expect(await lineOf(await smallDisk(kilobytes), server)).toContain('free some space')
  })

  it('ends a later start soon with one line, and the data is intact once there is space', async () => {
    const folder = await smallDisk(100_000)
    execFileSync('cp', ['-a', join(sound, 'postgres'), folder])
    const filler = join(folder, 'filler')
    await writeFile(filler, Buffer.alloc(100_000_000)).catch(() => undefined)
    expect(await lineOf(folder)).toContain('free some space')
    await rm(filler)
    const again = start('test/runtime/share.ts', [folder])
    await again.line(/^postgres:/)
    again.signal('SIGTERM')
    expect(await again.end).toMatchObject({ code: 0 })
  })
})
