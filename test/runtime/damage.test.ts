import { rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  copyOfSound,
  type Damage,
  expectLine,
  expectLineOfTable,
  lineOf,
  mayMount,
  paths,
  prepareSound,
  server,
  smallDisk,
} from './damage.ts'
import { databaseServerOf, start } from './process.ts'

beforeAll(prepareSound, 120_000)

const damages: Damage[] = [
  ['an empty password file', /password is missing or empty/, (data) => writeFile(join(data, '../password'), '')],
  ['another password', /does not fit the database/, (data) => writeFile(join(data, '../password'), 'another')],
  ['a pg_control that is cut short', /pg_control/, (data) => truncate(join(data, 'global/pg_control'), 100)],
  [
    'a catalog of our database that is cut short',
    /critical system index|base\//,
    (data) => truncate(join(data, paths['campanile pg_class'] ?? ''), 100),
  ],
  ['data of another PostgreSQL', /created by PostgreSQL 14/, (data) => writeFile(join(data, 'PG_VERSION'), '14\n')],
  ['no version', /no complete PostgreSQL cluster/, (data) => rm(join(data, 'PG_VERSION'))],
  ['an empty postmaster.pid', /postmaster\.pid|PID file/, (data) => writeFile(join(data, 'postmaster.pid'), '')],
]

describe('a DATA_DIR with', { timeout: 120_000 }, () => {
  it.each(damages)('%s ends the start soon with one line', (...damage) => expectLine(damage))

  // Beside the next one, which mostly waits.
  it.concurrent.each(['campanile log_reader'])(
    '%s with invalid content ends the start of the server soon with one line',
    expectLineOfTable,
  )

  it.concurrent('a suspended database server ends the start soon with one line', async () => {
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

describe.runIf(mayMount())('a full disk', { timeout: 120_000 }, () => {
  it.each([1_000])('of %d kB ends the first start soon with one line', async (kilobytes) => {
    expect(await lineOf(await smallDisk(kilobytes), server)).toContain('free some space')
  })

  it('ends a later start soon with one line, and the data is intact once there is space', async () => {
    const folder = await smallDisk(100_000)
    await copyOfSound(folder)
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
