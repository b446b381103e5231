import { mkdir, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import {
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

beforeAll(prepareSound, 120_000)

const damages: Damage[] = [
  ['no password file', /password is missing or empty/, (data) => rm(join(data, '../password'))],
  [
    'a catalog of another database that is cut short',
    /critical system index|base\//,
    (data) => truncate(join(data, paths['postgres pg_class'] ?? ''), 100),
  ],
  ['no write-ahead log', /./, (data) => rm(join(data, 'pg_wal'), { recursive: true })],
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
  it.each(damages)('%s ends the start soon with one line', (...damage) => expectLine(damage))

  it.each(['campanile pg_class', 'campanile _prisma_migrations'])(
    '%s with invalid content ends the start of the server soon with one line',
    expectLineOfTable,
  )
})

describe.runIf(mayMount())('a full disk', { timeout: 120_000 }, () => {
  it.each([20, 20_000])('of %d kB ends the first start soon with one line', async (kilobytes) => {
    expect(await lineOf(await smallDisk(kilobytes), server)).toContain('free some space')
  })
})
