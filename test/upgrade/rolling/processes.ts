import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('../../..', import.meta.url))

/** A process of a version of the server. */
export interface Version {
  readonly name: 'old' | 'new'
  readonly url: string
  /** The migrations that it applied. */
  readonly migrations: { migration: string; milliseconds: number }[]
  /** Entries of its log of the level error and above, by message. */
  errors(): Map<string, unknown[]>
  signal(name: NodeJS.Signals): void
  readonly end: Promise<unknown>
}

/** Starts the server of a checkout, or of this one, on a database. Resolves when it is ready. */
export async function startVersion(folder: string | undefined, databaseUrl: string): Promise<Version> {
  const child = program(folder ?? here, ['main'], {
    ...{ DATABASE_URL: databaseUrl, PORT: '0', SECRET: 'a secret of both versions', LOG_LEVEL: 'info' },
    ...{ RATE_LIMIT_PER_MINUTE: '100000000', MAIL_URL: 'smtp://127.0.0.1:9', CONSOLE: 'off' },
  })
  const entries: Record<string, unknown>[] = []
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream as NodeJS.ReadableStream }).on('line', (line) => {
      const url = /^ready (\S+)/.exec(line)?.[1]
      if (url) resolve(url)
      else entries.push(parse(line))
    })
  }
  const end = once(child, 'close')
  end.then(() => reject(new Error(`It ended: ${JSON.stringify(entries.slice(-5))}`)))
  const url = await promise
  return {
    name: folder === undefined ? 'new' : 'old',
    url,
    migrations: entries.filter(
      (entry): entry is Version['migrations'][number] => 'milliseconds' in entry && 'migration' in entry,
    ),
    errors: () =>
      Map.groupBy(
        entries.filter(({ level }) => Number(level) >= 50),
        messageOf,
      ),
    signal: (name) => child.kill(name),
    end,
  }
}

/** Creates an account by the commands of a checkout. Returns an API key with these scopes, or with full access. */
export async function createAccount(folder: string, databaseUrl: string, scopes: string | undefined): Promise<string> {
  const account = ['account', 'create', '--name', 'Rolling', '--email', 'rolling@example.com', '--plan', 'pro']
  const key = await keyOf(folder, databaseUrl, account)
  return scopes === undefined
    ? key
    : await keyOf(folder, databaseUrl, ['key', 'create', '--account', '1', '--scopes', scopes])
}

/** Runs a command that prints an API key. */
async function keyOf(folder: string, databaseUrl: string, command: string[]): Promise<string> {
  const child = program(folder, ['cli', ...command], { DATABASE_URL: databaseUrl })
  let printed = ''
  child.stdout?.on('data', (text) => {
    printed += text
  })
  await once(child, 'close')
  const key = /cmp_[\w-]+/.exec(printed)?.[0]
  if (key === undefined) throw new Error(`No key was printed: ${printed}`)
  return key
}

function program(folder: string, [name = '', ...args]: string[], env: Record<string, string>): ChildProcess {
  const launcher = join(folder, 'bin/run.js')
  const script = existsSync(launcher) ? [launcher, name] : [join(folder, `src/${name}.ts`)]
  const child = spawn(process.execPath, [...script, ...args], {
    cwd: folder,
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  // A failure of this program must not leave servers behind.
  process.once('exit', () => child.kill('SIGKILL'))
  return child
}

function parse(line: string): Record<string, unknown> {
  try {
    return JSON.parse(line)
  } catch {
    return { msg: line }
  }
}

function messageOf({ msg, err }: Record<string, unknown>): string {
  const { message } = (err ?? {}) as { message?: string }
  return `${msg}${message === undefined ? '' : `: ${message.trim().split('\n').at(-1)}`}`
}
