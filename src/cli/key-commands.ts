import type { ApiKey } from '../../prisma/generated/client/client.ts'
import { apiKeys } from '../account/index.ts'
import { type KeyScope, scopesOf } from '../kernel/scopes.ts'
import { newCommand, type OutputOptions, wholeNumber, withOutputOptions } from './options.ts'
import { type CommandContext, ctxOf, run } from './run.ts'

/** `cli key`: creates, disables and lists API keys. */
export const keyCommand = newCommand('key').description('create, disable and list API keys')
withOutputOptions(keyCommand.command('create').description('create an API key; it is shown only once'))
  .requiredOption('--account <id>', 'ID of the account', wholeNumber)
  .option(
    '--scopes <list>',
    'comma-separated scopes, for example contacts:read,contacts:write; defaults to full_access',
  )
  .option('--name <name>')
  .action((options: OutputOptions & { account: number; scopes?: string; name?: string }) =>
    run(options, async ({ system }) => {
      const scopes = options.scopes?.split(',').map((scope) => scope.trim() as KeyScope)
      const created = await apiKeys.create(system, { accountId: options.account, name: options.name, scopes })
      return { key: created.key, ...keyOutput(created.apiKey) }
    }),
  )
withOutputOptions(keyCommand.command('disable').description('disable an API key'))
  .requiredOption('--id <id>', 'ID of the API key', wholeNumber)
  .action((options: OutputOptions & { id: number }) =>
    run(options, async ({ system }) => keyOutput(await apiKeys.disableAny(system, { id: options.id }))),
  )
withOutputOptions(keyCommand.command('list').description('list the API keys of an account, including disabled keys'))
  .requiredOption('--account <id>', 'ID of the account', wholeNumber)
  .action((options: OutputOptions & { account: number }) =>
    run(options, async (context) => ({ keys: await keysOf(context, options.account) })),
  )

function keyOutput(key: ApiKey) {
  const scopes = scopesOf(key.scopes) ?? null
  const { id, name, prefix, createdAt, disabledAt } = key
  return { id, name, prefix, scopes, created_at: createdAt, disabled_at: disabledAt }
}

async function keysOf(context: CommandContext, accountId: number) {
  const ctx = await ctxOf(context, accountId)
  const keys: ReturnType<typeof keyOutput>[] = []
  for (let after: string | undefined; ; ) {
    const page = await (await apiKeys.list(ctx, { first: 100, after })).content()
    keys.push(...page.rows.map(keyOutput))
    const last = page.rows.at(-1)
    if (!page.hasNextPage || !last) return keys
    after = page.cursor(last)
  }
}
