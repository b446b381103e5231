// node test/upgrade/rolling.ts <git revision | folder of a checkout> [--contacts 20000] [--seconds 6]
//                                [--scopes contacts:read,contacts:write,finance:read,finance:write,events:read] [--keep]
//
// Upgrades a database under load without a stop: starts the old version on a new database, then this version beside it, which
// migrates, then stops the old one. Counts lost and failed requests, and lost and repeated events. A revision is checked out into
// a temporary folder with its own packages, which takes minutes; --keep leaves that folder for the next run.
import { rm } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { newDatabase } from '../bench/database.ts'
import { checkoutOf } from './rolling/checkout.ts'
import { fillOld, readResult } from './rolling/database.ts'
import { createAccount, startVersion } from './rolling/processes.ts'
import { startTraffic } from './rolling/traffic.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    contacts: { type: 'string', default: '20000' },
    seconds: { type: 'string', default: '6' },
    scopes: { type: 'string' },
    keep: { type: 'boolean', default: false },
  },
})
const [revision] = positionals
if (revision === undefined) throw new Error('The first argument is a git revision, or the folder of a checkout.')
const milliseconds = Number(values.seconds) * 1_000
const pause = (duration: number) => new Promise((resolve) => setTimeout(resolve, duration))

const old = await checkoutOf(revision)
const database = await newDatabase()
try {
  const before = await startVersion(old.folder, database.url)
  const key = await createAccount(old.folder, database.url, values.scopes)
  await fillOld(database.url, Number(values.contacts))
  const traffic = await startTraffic({ key, targets: [before] })
  await pause(milliseconds)

  traffic.phase('migration')
  const after = await startVersion(undefined, database.url)
  traffic.phase('both versions')
  traffic.send([before, after])
  await pause(milliseconds)

  traffic.phase('stop of the old version')
  before.signal('SIGTERM')
  await before.end
  traffic.send([after])
  traffic.phase('new version')
  await pause(milliseconds)
  const written = await traffic.stop()

  console.table(traffic.report())
  console.table(after.migrations.filter((each) => each.milliseconds >= 100))
  console.log(`${after.migrations.length} migrations`)
  for (const [name, { errors }] of Object.entries({ old: before, new: after })) {
    for (const [message, { length }] of errors()) console.log(`log of the ${name} version: ${length} × ${message}`)
  }
  const result = await readResult(database.url, written)
  console.table(result)
  if (Object.values(result).some((count) => count > 0) || traffic.failures() > 0) process.exitCode = 1
  after.signal('SIGTERM')
  await after.end
} finally {
  await database.drop()
  if (old.isTemporary && !values.keep) await rm(old.folder, { recursive: true, force: true })
}
