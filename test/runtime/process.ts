import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import settings from '../../package.json' with { type: 'json' }
import { atEnd } from '../support/ends.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** The options of Node with which `npm start` starts a server. */
export const startOptions = settings.scripts.start.match(/--\S+/g) ?? []
const running = new Set<ChildProcessWithoutNullStreams>()
const folders: string[] = []
const databaseServers = new Set<number>()

/** Removes all programs, database servers and folders. */
async function cleanUp(): Promise<void> {
  for (const child of running) child.kill('SIGKILL')
  for (const folder of folders) await databaseServerOf(folder).catch(() => {})
  for (const pid of databaseServers) if (isAlive(pid)) process.kill(pid, 'SIGKILL')
  databaseServers.clear()
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true, force: true })))
}

/** A process that runs as an operator would run it. */
export interface Running {
  readonly pid: number
  /** Resolves with the first matching line of standard output. Rejects if the program ends without one. */
  line(pattern: RegExp): Promise<string>
  /** Standard error so far. */
  stderr(): string
  signal(name: NodeJS.Signals): void
  /** Resolves to the exit code and the output. */
  readonly end: Promise<{ code: number | null; stdout: string; stderr: string }>
}

/**
 * Starts `main`, `cli` or a script of a checkout with this environment, the PATH and the temporary folder. Defaults to this
 * checkout.
 */
export function start(
  program: string,
  args: string[] = [],
  env: Record<string, string> = {},
  folder: string = root,
  nodeOptions: readonly string[] = [],
): Running {
  const isScript = program.includes('/')
  const script = isScript ? [join(folder, program)] : [join(folder, 'bin/run.js'), program]
  // A script has no launcher that keeps compiled code.
  const cache = isScript ? { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] } : {}
  const child = spawn(process.execPath, [...nodeOptions, ...script, ...args], {
    cwd: folder,
    env: { PATH: process.env['PATH'], TMPDIR: tmpdir(), LOG_LEVEL: 'warn', BACKGROUND_SHARE: '1', ...cache, ...env },
  })
  running.add(child)
  atEnd(cleanUp)
  child.stdin.end()
  const out = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      out[name] += chunk
    })
  }
  const end = once(child, 'close').then(([code]: (number | null)[]) => {
    running.delete(child)
    return { code: code ?? null, ...out }
  })
  const line = (pattern: RegExp) =>
    new Promise<string>((found, failed) => {
      const look = () => {
        const complete = out.stdout.split('\n').slice(0, -1)
        const match = complete.find((text) => pattern.test(text))
        if (match !== undefined) found(match)
      }
      child.stdout.on('data', look)
      look()
      end.then(({ code, stderr }) => failed(new Error(`${program} ended with ${code}, without ${pattern}: ${stderr}`)))
    })
  return { pid: child.pid ?? 0, line, end, stderr: () => out.stderr, signal: (name) => child.kill(name) }
}

/** Creates a temporary folder with mode 0700, which is removed at the end of the test file. */
export async function temporaryFolder(parent = tmpdir()): Promise<string> {
  const folder = await mkdtemp(join(parent, 'campanile-runtime-'))
  atEnd(cleanUp)
  folders.push(folder)
  return folder
}

/** Returns the process of the database server on a data folder. It is killed at the end of the test file. */
export async function databaseServerOf(folder: string): Promise<number> {
  const note = await readFile(join(folder, 'postgres/data/postmaster.pid'), 'utf8')
  const pid = Number(note.split('\n')[0])
  databaseServers.add(pid)
  return pid
}

/**
 * Polls until the condition is true. The time limit of the test ends it otherwise. A condition that asks a server is
 * looked at less often, the longer its answer takes: what the test waits for needs the processors more.
 */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (;;) {
    const started = performance.now()
    if (await condition()) return
    const pause = Math.min(10 * (performance.now() - started), 200)
    await new Promise((next) => setTimeout(next, Math.max(pause, 20)))
  }
}

/** Whether a process with this ID runs and is not a zombie. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !existsSync('/proc/self/stat') || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
