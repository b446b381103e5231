import { Option } from 'commander'
import { signInLinks, users } from '../account/index.ts'
import type { Ctx } from '../db/context.ts'
import { newCommand, type OutputOptions, wholeNumber, withOutputOptions } from './options.ts'
import { addressOf, type CommandContext, ctxOf, run } from './run.ts'

type Role = users.User['role']
const roles = { owner: 'OWNER', admin: 'ADMIN', editor: 'EDITOR', analyst: 'ANALYST' } as const
const roleNames = Object.fromEntries(Object.entries(roles).map(([name, role]) => [role, name]))

/** Options that name a user. */
interface UserOptions {
  readonly email: string
  readonly account?: number
}

/** `cli user`: adds and removes users, and prints links that sign them in. No mail server is needed. */
export const userCommand = newCommand('user').description(
  'add, remove and list users, and print links that sign them in',
)
withOutputOptions(
  userCommand.command('add').description('add a user, or restore a removed one; prints a link to sign in'),
)
  .requiredOption('--account <id>', 'ID of the account', wholeNumber)
  .requiredOption('--email <address>', 'e-mail address of the user')
  .addOption(new Option('--role <role>').choices(Object.keys(roles)).makeOptionMandatory())
  .action((options: OutputOptions & { account: number; email: string; role: keyof typeof roles }) =>
    run(options, async (context) => {
      const { account: accountId, email } = options
      const role: Role = roles[options.role]
      const user = await users.add(context.system, { accountId, email, role })
      return { user: userOutput(user), ...(await linkOf(context, { accountId, userId: user.id })) }
    }),
  )
withOutputOptions(
  userCommand
    .command('link')
    .description(
      'print a link that signs a user in once within 15 minutes; with DATABASE_URL, BASE_URL or CONSOLE_URL must be the address of the server; the e-mail address of an account without users is that of its first owner',
    ),
)
  .requiredOption('--email <address>', 'e-mail address of the user')
  .option(
    '--account <id>',
    'ID of the account; needed if the address belongs to users of several accounts',
    wholeNumber,
  )
  .action((options: OutputOptions & UserOptions) =>
    run(options, async (context) => {
      if (options.account !== undefined) {
        await users.addFirst(context.system, { accountId: options.account, email: options.email })
      }
      return linkOf(context, await findUser(context, options))
    }),
  )
withOutputOptions(userCommand.command('remove').description('remove a user and end the sessions of the user'))
  .requiredOption('--email <address>', 'e-mail address of the user')
  .option(
    '--account <id>',
    'ID of the account; needed if the address belongs to users of several accounts',
    wholeNumber,
  )
  .action((options: OutputOptions & UserOptions) =>
    run(options, async (context) => {
      const { accountId, userId } = await findUser(context, options)
      return { user: userOutput((await users.remove(await ctxOf(context, accountId), { id: userId })).user) }
    }),
  )
withOutputOptions(userCommand.command('list').description('list the users of an account, including removed users'))
  .requiredOption('--account <id>', 'ID of the account', wholeNumber)
  .action((options: OutputOptions & { account: number }) =>
    run(options, async (context) => ({ users: await usersOf(await ctxOf(context, options.account)) })),
  )

/** Finds the user with an e-mail address. Throws if there is none, or several and no account is named. */
async function findUser({ system }: CommandContext, { email, account }: UserOptions) {
  const found = await signInLinks.findUsers(system, email)
  const matches = found.filter(({ accountId }) => account === undefined || accountId === account)
  const [user] = matches
  if (!user) throw new Error(`There is no user ${email}.`)
  if (matches.length === 1) return user
  throw new Error(
    `--account must be one of ${matches.map(({ accountId }) => accountId).join(', ')}: ${email} is a user of each.`,
  )
}

async function linkOf(context: CommandContext, { accountId, userId }: { accountId: number; userId: number }) {
  const ctx = await ctxOf(context, accountId)
  const { consoleUrl, isGuess } = await addressOf(context)
  if (isGuess) {
    process.stderr.write(
      `The link leads to ${consoleUrl}. Set BASE_URL, or CONSOLE_URL, to the address of the server if it has another one.\n`,
    )
  }
  const { url, expiresAt } = await signInLinks.create({ ...ctx, consoleUrl: () => consoleUrl }, userId)
  return { url, expires_at: expiresAt }
}

async function usersOf(ctx: Ctx) {
  const found: ReturnType<typeof userOutput>[] = []
  for (let after: string | undefined; ; ) {
    const page = await (await users.list(ctx, { first: 100, after })).content()
    found.push(...page.rows.map(userOutput))
    const last = page.rows.at(-1)
    if (!page.hasNextPage || !last) return found
    after = page.cursor(last)
  }
}

function userOutput({ id, email, role, createdAt, signedInAt, removedAt }: users.User) {
  const times = { created_at: createdAt, signed_in_at: signedInAt, removed_at: removedAt }
  return { id, email, role: roleNames[role], ...times }
}
