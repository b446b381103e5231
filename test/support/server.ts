import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { type App, type Seams, startApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import type { System } from '../../src/db/context.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { newCommandSystem } from '../../src/server/processes/command-system.ts'
import { newDatabase, urlsOf } from './database.ts'
import { atEnd } from './ends.ts'

/** A server process on a database. */
export interface Server {
  readonly app: App
  readonly url: string
  readonly databaseUrl: string
  /** For the operations of operators, such as creating accounts and keys. */
  readonly system: System
  /** Log entries of the level error. */
  readonly errors: Record<string, unknown>[]
}

/**
 * Starts a server on a free port and stops it at the end of the test file. By default it runs no background jobs, and has no
 * rate limit and few connections; jobs do not rest while a test asks how far they are. With the `DATABASE_URL` of another server
 * it is a second process on that database.
 */
export async function newServer(env: Record<string, string> = {}, seams: Seams = {}): Promise<Server> {
  const errors: Server['errors'] = []
  const log = pino({ level: 'error' }, { write: (line: string) => errors.push(JSON.parse(line)) })
  const databaseUrl = env['DATABASE_URL'] ?? (await newDatabase())
  const folder = await mkdtemp(join(tmpdir(), 'campanile-'))
  atEnd(() => rm(folder, { recursive: true, force: true }))
  const config = readConfig({
    PORT: '0',
    DATA_DIR: folder,
    SECRET: 'a secret that only tests know',
    SENDERS: 'any',
    ROLES: 'api',
    RATE_LIMIT_PER_MINUTE: '1000000',
    PUBLIC_RATE_PER_EMAIL: '1000000',
    PUBLIC_FLOOD_PER_IP: '1000000',
    PUBLIC_FLOOD_PER_FORM: '1000000',
    BACKGROUND_SHARE: '1',
    DATABASE_POOL_SIZE: '4',
    ...env,
    ...(env['DIRECT_DATABASE_URL'] === undefined && urlsOf(databaseUrl)),
  })
  const app = await startApp(config, log, seams)
  atEnd(() => app.close())
  return {
    app,
    url: app.address.url,
    databaseUrl,
    system: newCommandSystem({ db: app.database.db, log, clock: seams.clock ?? systemClock }),
    errors,
  }
}
