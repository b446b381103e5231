import { findUnread, listUnread } from '../mail/index.ts'
import { newCommand, type OutputOptions, wholeNumber, withOutputOptions } from './options.ts'
import { run } from './run.ts'

/** `cli report`: shows the returned messages that could not be read or assigned to a message. They are kept for 30 days. */
export const reportCommand = newCommand('report').description(
  'show returned messages that could not be read or assigned',
)
withOutputOptions(reportCommand.command('list').description('list the messages, the newest first')).action(
  (options: OutputOptions) =>
    run(options, async ({ system }) => ({
      reports: (await listUnread(system)).map((each) => ({ ...each, id: Number(each.id) })),
    })),
)
withOutputOptions(reportCommand.command('show').description('print the first 64 kB of a message'))
  .requiredOption('--id <id>', 'ID of the message', wholeNumber)
  .action((options: OutputOptions & { id: number }) =>
    run(options, async ({ system }) => {
      const source = await findUnread(system, BigInt(options.id))
      if (!source) throw new Error(`There is no returned message ${options.id}.`)
      // A stranger wrote it: control characters would change the terminal.
      const text = Buffer.from(source)
        .toString('utf8')
        .replace(/[^\P{Cc}\n\t]/gu, '')
      return { id: options.id, source: text }
    }),
  )
