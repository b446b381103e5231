import { CommanderError, Option } from 'commander'
import { readCommandConfig, secretOf } from '../config.ts'
import { newLog } from '../kernel/telemetry/log.ts'
import { newSigner } from '../kernel/web/signer.ts'
import { accountCommand, accountOutput } from './account-commands.ts'
import type { ExportCommandOptions, ImportCommandOptions } from './data-commands.ts'
import { keyCommand } from './key-commands.ts'
import { loadCommand } from './load-command.ts'
import { newCommand, type OutputOptions, wholeNumber, withOutputOptions } from './options.ts'
import { reportCommand } from './report-commands.ts'
import { addressOf, ctxOf, print, run } from './run.ts'
import { userCommand } from './user-commands.ts'

const demoCommand = withOutputOptions(
  newCommand('demo').description('create an account with demonstration data'),
).action((options: OutputOptions) =>
  run(options, async (context) => {
    const { system, config } = context
    const { loadDemo } = await import('../demo/demo.ts')
    const { url } = await addressOf(context)
    const served = { ...system, signer: newSigner(await secretOf(config)), baseUrl: () => url }
    const loaded = await loadDemo(served, config.dataDir)
    return { account: accountOutput(loaded.account), key: loaded.key }
  }),
)
const migrateCommand = withOutputOptions(newCommand('migrate').description('apply pending database migrations')).action(
  (options: OutputOptions) => run(options, async ({ applied }) => ({ applied })),
)

const importCommand = withOutputOptions(newCommand('import').description('import contacts from a CSV file'))
  .requiredOption('--account <id>', 'ID of the account', wholeNumber)
  .requiredOption('--file <path>', 'path of the CSV file, with a header')
  .option('--keep-existing', 'do not update existing contacts, except for refusals')
  .option('--review', 'show what columns say about consent, and import nothing')
  .option('--no-review', 'import a file also if every contact in it unsubscribed')
  .addOption(
    new Option('--encoding <encoding>', 'encoding of a file without a byte order mark; detected by default').choices([
      'utf_8',
      'utf_16le',
      'utf_16be',
      'windows_1252',
    ]),
  )
  .addOption(
    new Option('--date-order <order>', 'order of dates; by default, that of all dates of a column').choices([
      'dmy',
      'mdy',
      'ymd',
    ]),
  )
  .action((options: OutputOptions & ImportCommandOptions & { account: number }) =>
    run(options, async (context) => {
      const { importContacts } = await import('./data-commands.ts')
      return importContacts(await ctxOf(context, options.account), options)
    }),
  )
const exportCommand = withOutputOptions(
  newCommand('export').description('export a list of an account to a file or to standard output'),
)
  .requiredOption('--account <id>', 'ID of the account', wholeNumber)
  .requiredOption('--list <list>', 'name of the list, for example contacts, orders, credit_notes')
  .addOption(new Option('--format <format>').choices(['csv', 'ndjson']).default('csv'))
  .option('--out <path>', 'path of the file; defaults to standard output')
  .option('--bom', 'begin a CSV file with a byte order mark, which Excel needs')
  .action((options: OutputOptions & ExportCommandOptions & { account: number }) => {
    if (options.json && options.out === undefined)
      throw new Error('--json goes with --out: without --out, the list is written to standard output.')
    return run(options, async (context) => {
      const { exportList } = await import('./data-commands.ts')
      return exportList(await ctxOf(context, options.account), options)
    })
  })

const backupCommand = withOutputOptions(
  newCommand('backup').description('back up the embedded database and its secret; the database can be in use'),
)
  .argument('<file>')
  .action(async (file: string, options: OutputOptions) => {
    const { backUp } = await import('./backup-commands.ts')
    print(options, await backUp(readCommandConfig(), newLog('silent'), file))
  })
const restoreCommand = withOutputOptions(newCommand('restore').description('restore a backup into an empty DATA_DIR'))
  .argument('<file>')
  .action(async (file: string, options: OutputOptions) => {
    const { restore } = await import('./backup-commands.ts')
    print(options, await restore(readCommandConfig(), newLog('silent'), file))
  })

const program = newCommand('cli').description('Administration of a Campanile server, also while it runs.')
for (const command of [
  accountCommand,
  keyCommand,
  userCommand,
  reportCommand,
  demoCommand,
  migrateCommand,
  importCommand,
  exportCommand,
  backupCommand,
  restoreCommand,
  loadCommand,
])
  program.addCommand(command)
await program.parseAsync().catch(fail)

function fail(error: unknown): void {
  if (error instanceof CommanderError && error.exitCode === 0) return
  const message = error instanceof Error ? error.message : String(error)
  const plain = message.replace(/^error: /, '').replaceAll(/\s*\n\s*/g, ' ')
  process.stderr.write(`${plain === '(outputHelp)' ? 'A command is missing: see --help' : plain}\n`)
  process.exitCode = 1
}
