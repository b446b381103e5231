import type { App, Seams } from './app.ts'
import { ConfigError, describeVariables, readConfig } from './config.ts'
import { outageOf } from './db/driver/index.ts'
import { EmbeddedError, explainEmbedded } from './db/embedded/embedded.ts'
import { MigrationError } from './db/migrations/migration-error.ts'
import { type Log, newLog } from './kernel/telemetry/log.ts'
import { yieldToRequests } from './server/processes/priority.ts'
import { releaseIdleMemory } from './server/processes/release-memory.ts'

const usage = 'The only option is --demo: npm start -- --demo (--help lists the variables of the environment)'

/** Maximum duration of a shutdown in milliseconds. Longer than all drain timeouts. The process then exits immediately. */
const maxShutdownMs = 9_500

/**
 * Signals within this time after the first are duplicates, in milliseconds. If npm starts the process, Ctrl+C sends two
 * signals: one from the terminal and one from npm.
 */
const duplicateSignalMs = 1_000

/** Errors that an operator can fix. They are printed as one line, other errors with their stack. */
const operatorErrors = [ConfigError, EmbeddedError, MigrationError]

await main(process.argv.slice(2)).catch(fail)

async function main(options: string[]): Promise<void> {
  if (options.includes('--help')) return print(describeVariables())
  if (options.some((option) => option !== '--demo')) throw new ConfigError(usage)
  const config = readConfig()
  const log = newLog(config.logLevel, (error) => outageOf(error) && 'database')
  yieldToRequests(config, log)
  // The reader of standard output may have exited. The server must not stop because of that.
  process.stdout.on('error', () => undefined)

  const { startApp } = await import('./app.ts')
  const starting = startApp(config, log, options.includes('--demo') ? { fill: await demoLoader(config) } : {})
  const stop = newStopper(starting, log, config.databaseUrl === undefined)
  process.on('SIGTERM', () => stop(0))
  process.on('SIGINT', () => stop(0))
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error) => {
      if (isConnectionError(error)) {
        log.error({ err: error }, 'unhandled error of one connection, which was closed')
        return
      }
      log.fatal({ err: error }, 'unexpected error, stopping')
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
 * Whether an error only means that the peer closed a connection. The state of the process is then intact, so it does not stop
 * and close the other connections.
 */
function isConnectionError(error: unknown): boolean {
  const { code, syscall } = Object(error) as NodeJS.ErrnoException
  return (
    ['read', 'write', 'shutdown'].includes(String(syscall)) &&
    ['ECONNRESET', 'EPIPE', 'ETIMEDOUT'].includes(String(code))
  )
}

/**
 * Returns the function that loads the demonstration data if the database has no account. It prints the key, and a link to
 * GraphiQL with the key in the fragment, which a browser does not send. It prints a link that signs in to the console at each
 * start.
 */
async function demoLoader(config: ReturnType<typeof readConfig>): Promise<Required<Seams>['fill']> {
  if (config.roles.bridge) throw new ConfigError('ROLES must not be bridge with --demo: a bridge has no database')
  const { isEmpty, linkToDemo, loadDemo } = await import('./demo/demo.ts')
  return async (system) => {
    if (await isEmpty(system)) {
      const { key } = await loadDemo(system, config.dataDir)
      print(`demo key ${key}`)
      print(`graphiql ${system.baseUrl()}/graphql#key=${key}`)
    }
    const link = config.console ? await linkToDemo(system) : undefined
    if (link !== undefined) print(`sign-in ${link}`)
  }
}

/**
 * Returns the function that stops the process. The first call waits for running work, up to a limit; a second call exits
 * immediately with code 1. Errors of the shutdown, for example without a database connection, are logged and do not change the
 * exit code. With an embedded database, the limit begins when the start has ended: a process that exits before leaves the
 * database that it has just started running.
 */
function newStopper(starting: Promise<App>, log: Log, isEmbedded: boolean): (code: number) => void {
  let stoppedAt: number | undefined
  return (code) => {
    if (stoppedAt !== undefined) {
      if (performance.now() - stoppedAt > duplicateSignalMs) process.exit(1)
      return
    }
    stoppedAt = performance.now()
    const limit = () => void setTimeout(() => process.exit(code), maxShutdownMs).unref()
    if (isEmbedded) starting.then(limit, limit)
    else limit()
    starting.then(
      (app) =>
        app
          .close()
          .catch((error: unknown) => log.warn({ err: error }, 'the shutdown was incomplete'))
          .finally(() => process.exit(code)),
      () => process.exit(1),
    )
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** Prints an error and exits with code 1. */
function fail(error: unknown): never {
  process.stderr.write(`${messageOf(error)}\n`)
  process.exit(1)
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code, syscall } = error as NodeJS.ErrnoException
  if (syscall === 'listen' && code === 'EADDRINUSE') return `PORT is in use by another program: ${error.message}`
  if (syscall === 'listen') return `HOST and PORT must be an address we may listen on: ${error.message}`
  // System errors (of a file or a connection) contain the reason in their message.
  const isOperatorError = syscall !== undefined || operatorErrors.some((kind) => error instanceof kind)
  return isOperatorError ? error.message : (error.stack ?? error.message)
}
