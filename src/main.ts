import { enableCompileCache } from 'node:module'
import type { App, Seams } from './app.ts'
import { ConfigError, readConfig } from './config.ts'
import { EmbeddedError, explainEmbedded } from './db/embedded.ts'
import { MigrationError } from './db/migrate.ts'
import { outageOf } from './db/unavailable.ts'
import { type Log, newLog } from './kernel/log.ts'
import { releaseIdleMemory } from './server/release-memory.ts'

const usage = 'The only option is --demo: npm start -- --demo'

/** Longer than any drain: what still hangs then is cut off. */
const longestStop = 9_500

/** Ctrl+C reaches us twice when npm runs us, from the terminal and from npm; only a later one is a second wish. */
const sameWish = 1_000

/** What an operator can mend; anything else that stops a start is a fault of ours, told with its stack. */
const expected = [ConfigError, EmbeddedError, MigrationError]

// What is loaded from here on is compiled once per machine, not at every start.
enableCompileCache()
await main(process.argv.slice(2)).catch(fail)

async function main(options: string[]): Promise<void> {
  if (options.some((option) => option !== '--demo')) throw new ConfigError(usage)
  const config = readConfig()
  const log = newLog(config.logLevel, (error) => outageOf(error) && 'database')
  // Whoever waited for our lines may be gone; that is no reason to stop.
  process.stdout.on('error', () => undefined)

  const { startApp } = await import('./app.ts')
  const starting = startApp(config, log, options.includes('--demo') ? { fill: await demoOf(config) } : {})
  const stop = stopper(starting, log)
  process.on('SIGTERM', () => stop(0))
  process.on('SIGINT', () => stop(0))
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error) => {
      if (isOfOneConnection(error)) {
        log.error({ err: error }, 'an error of a connection that nothing listened to: it ends that connection alone')
        return
      }
      log.fatal({ err: error }, 'an error that nobody expected: stopping')
      stop(1)
    })
  }

  const app = await starting.catch((error: unknown) => {
    throw config.databaseUrl === undefined ? explainEmbedded(config.dataDir, error) : error
  })
  const { host, port } = app.address
  releaseIdleMemory()
  print(`ready http://${host.includes(':') ? `[${host}]` : host}:${port}`)
}

/**
 * Whether an error says no more than that the other side of a connection is gone. Nothing of ours is left half done by it, so
 * it is no reason to end the connections of all others.
 */
function isOfOneConnection(error: unknown): boolean {
  const { code, syscall } = Object(error) as NodeJS.ErrnoException
  return (
    ['read', 'write', 'shutdown'].includes(String(syscall)) &&
    ['ECONNRESET', 'EPIPE', 'ETIMEDOUT'].includes(String(code))
  )
}

/** Loads the demonstration where there is no account yet. */
async function demoOf(config: ReturnType<typeof readConfig>): Promise<Required<Seams>['fill']> {
  if (config.roles.bridge) throw new ConfigError('ROLES must not be bridge with --demo: a bridge has no database')
  const { isEmpty, loadDemo } = await import('./demo/demo.ts')
  return async (system) => {
    if (await isEmpty(system)) print(`demo key ${(await loadDemo(system, config.dataDir)).key}`)
  }
}

/**
 * The first wish to stop lets the app finish what runs; a second one does not wait. What could not be stopped in order, because
 * the database is away, is logged and changes no exit code.
 */
function stopper(starting: Promise<App>, log: Log): (code: number) => void {
  let asked: number | undefined
  return (code) => {
    if (asked !== undefined) {
      if (performance.now() - asked > sameWish) process.exit(1)
      return
    }
    asked = performance.now()
    setTimeout(() => process.exit(code), longestStop).unref()
    starting.then(
      (app) =>
        app
          .close()
          .catch((error: unknown) => log.warn({ err: error }, 'not everything could be stopped in order'))
          .finally(() => process.exit(code)),
      () => process.exit(1),
    )
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** One line for what an operator can mend, and the end. */
function fail(error: unknown): never {
  process.stderr.write(`${problemOf(error)}\n`)
  process.exit(1)
}

function problemOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code, syscall } = error as NodeJS.ErrnoException
  if (syscall === 'listen' && code === 'EADDRINUSE') return `PORT is in use by another program: ${error.message}`
  if (syscall === 'listen') return `HOST and PORT must be an address we may listen on: ${error.message}`
  // What the system refuses (a folder, a connection) tells its own reason.
  const isPlain = syscall !== undefined || expected.some((kind) => error instanceof kind)
  return isPlain ? error.message : (error.stack ?? error.message)
}
