// Compacts the figures of the database DATABASE_URL. A test kills it.
import { pino } from 'pino'
import { openDatabase } from '../../src/db/client.ts'
import { compactFigures } from '../../src/figures/compaction.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { newCommandSystem } from '../../src/server/processes/command-system.ts'

const log = pino({ level: 'silent' })
const url = process.env['DATABASE_URL'] as string
const { db, close } = openDatabase({ url, directUrl: url, poolSize: 2, log })
const system = newCommandSystem({ db, log, clock: systemClock })
process.stdout.write('ready\n')
await compactFigures(system)
await close()
