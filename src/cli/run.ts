import { ownAccount } from '../account/index.ts'
import { type Config, readCommandConfig } from '../config.ts'
import { openDatabase } from '../db/client.ts'
import { type Ctx, newCtx, type System } from '../db/context.ts'
import { explainEmbedded, startEmbedded } from '../db/embedded/embedded.ts'
import { migrate } from '../db/migrations/migrate.ts'
import { systemClock } from '../kernel/clock.ts'
import { newLog } from '../kernel/telemetry/log.ts'
import { findAddress, type ServerAddress } from '../server/processes/server-address.ts'
import type { OutputOptions } from './options.ts'

/** Context of a command: the migrated database, the configuration, and the names of the migrations that were applied. */
export interface CommandContext {
  system: System
  config: Config
  applied: string[]
}

/**
 * Opens the database, applies pending migrations, runs a command and prints its result. A server can use the database at the
 * same time.
 */
export async function run(
  options: OutputOptions,
  work: (context: CommandContext) => Promise<object | undefined>,
): Promise<void> {
  const config = readCommandConfig()
  const log = newLog('silent')
  const embedded = config.databaseUrl ? undefined : await startEmbedded(config.dataDir, log)
  try {
    const url = config.databaseUrl ?? embedded?.url ?? ''
    const directUrl = config.directDatabaseUrl ?? url
    const applied = await migrate(directUrl, log)
    const database = openDatabase({ url, directUrl, poolSize: 2, log })
    try {
      const { newCommandSystem } = await import('../server/processes/command-system.ts')
      const system = newCommandSystem({ db: database.db, log, clock: systemClock })
      const result = await work({ system, config, applied })
      // An export to standard output prints only the list.
      if (!result) return
      print(options, result)
    } finally {
      await database.close()
    }
  } catch (error) {
    throw embedded ? explainEmbedded(config.dataDir, error) : error
  } finally {
    await embedded?.stop()
  }
}

/** Creates the context for operations of an account. Throws if the account does not exist. */
export async function ctxOf({ system }: CommandContext, accountId: number): Promise<Ctx> {
  const ctx = newCtx(system, { accountId })
  await ownAccount(ctx).catch(() => {
    throw new Error(`There is no account ${accountId}.`)
  })
  return ctx
}

/**
 * Returns the public URLs of the server: BASE_URL and CONSOLE_URL of the command, or else what the running server with the
 * same embedded database has recorded. Without both, the address at which a server with this configuration listens, which
 * `isGuess` reports: the server of another database may have a public address that no command knows.
 */
export async function addressOf({ config }: CommandContext): Promise<ServerAddress & { readonly isGuess: boolean }> {
  const { host, port, givenBaseUrl, baseUrl = `http://${host}:${port}`, consoleUrl, databaseUrl, dataDir } = config
  const running = databaseUrl === undefined && !givenBaseUrl ? await findAddress(dataDir) : undefined
  const url = running?.url ?? baseUrl
  return {
    url,
    consoleUrl: consoleUrl ?? running?.consoleUrl ?? url,
    isGuess: databaseUrl !== undefined && !givenBaseUrl && !consoleUrl,
  }
}

/** Prints the result of a command to standard output: as JSON, or as a line for each property. */
export function print(options: OutputOptions, result: object): void {
  process.stdout.write(`${options.json ? JSON.stringify(result) : formatResult(result)}\n`)
}

/** Formats a result as lines of a name and a value. */
function formatResult(result: object): string {
  const line = ([name, value]: [string, unknown]) =>
    `${name} ${typeof value === 'string' || typeof value === 'number' ? value : JSON.stringify(value)}`
  return Object.entries(result).map(line).join('\n')
}
