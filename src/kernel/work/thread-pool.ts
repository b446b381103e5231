import { getCompileCacheDir } from 'node:module'
import { availableParallelism } from 'node:os'
import { dirname } from 'node:path'
import { Tinypool } from 'tinypool'
import { Refusal } from '../errors.ts'

/** Maximum number of threads of one process. At least two, so that one account cannot occupy all of them. */
const maxThreads = Math.min(Math.max(availableParallelism() - 1, 2), 4)

/** Time after which an idle thread ends, in milliseconds. */
const idleTimeoutMs = 5_000

/**
 * Timeout of one task including the start of its thread, in milliseconds. Content within its limits takes a second or
 * two; the rest allows for a busy machine.
 */
export const threadLimits = { milliseconds: 30_000 }

/**
 * Maximum memory of one thread, in megabytes. This is a last resort, because Node enforces it late, and a single huge
 * allocation can end the whole process. Content within its limits needs a small part of it.
 */
const maxMegabytes = 256

/** Maximum numbers of waiting tasks, and of characters in them, for one account and for all accounts. */
const maxWaiting = {
  account: { tasks: 200, characters: 16_000_000 },
  all: { tasks: 2_000, characters: 64_000_000 },
} as const

/** A task failed because of its input: it took too much time or memory, or threw. */
export class TaskError extends Error {
  override name = 'TaskError'
}

/**
 * Runs one kind of work in a thread for an account (0 for no account). `size` is the number of characters in the input.
 * Throws TaskError if the work fails, and RATE_LIMITED if too much work is waiting already.
 */
type ThreadTask<Input, Output> = (accountId: number, input: Input, size: number) => Promise<Output>

interface Job {
  readonly accountId: number
  readonly size: number
  start(): Promise<void>
}

/** Waiting jobs by account. The account whose turn is next comes first, and moves to the end after its turn. */
const waiting = new Map<number, Job[]>()
const running = new Set<number>()
let pool: Tinypool | undefined

/**
 * Declares work that runs in a thread: the function `name` of the module `file`, without extension and relative to
 * `base`, the `import.meta.url` of the caller. Input and output must support structured cloning.
 *
 * Threads start on demand and end when they are idle. Each account has at most one running task, and accounts take
 * turns, so that expensive content of one account does not delay other accounts.
 */
export function threadTask<Input, Output>({
  file,
  base,
  name,
}: {
  file: string
  base: string
  name: string
}): ThreadTask<Input, Output> {
  // The compiled module has the extension of the compiled caller.
  const filename = new URL(`${file}${new URL(base).pathname.endsWith('.ts') ? '.ts' : '.js'}`, base).href
  return (accountId, input, size) =>
    new Promise<Output>((resolve, reject) => {
      mustFit(accountId, size)
      const start = () => run(filename, name, input).then((output) => resolve(output as Output), reject)
      waiting.set(accountId, [...(waiting.get(accountId) ?? []), { accountId, size, start }])
      startNext()
    })
}

/** Returns the number of threads in the pool, busy or idle. */
export function countThreads(): number {
  return pool?.threads.length ?? 0
}

function mustFit(accountId: number, size: number): void {
  const own = waiting.get(accountId) ?? []
  const all = [...waiting.values()].flat()
  if (isFull(own, size, maxWaiting.account) || isFull(all, size, maxWaiting.all)) {
    throw new Refusal('RATE_LIMITED', 'Too much content is waiting to be processed. Try again in a few seconds.')
  }
}

function isFull(jobs: readonly Job[], size: number, limit: { tasks: number; characters: number }): boolean {
  // A single task must always be possible, regardless of its size.
  if (jobs.length === 0) return false
  return jobs.length >= limit.tasks || jobs.reduce((sum, job) => sum + job.size, size) > limit.characters
}

function startNext(): void {
  while (running.size < maxThreads) {
    const [accountId, jobs] = [...waiting].find(([account]) => !running.has(account)) ?? []
    if (accountId === undefined || jobs === undefined) return
    const [job, ...rest] = jobs
    waiting.delete(accountId)
    if (rest.length > 0) waiting.set(accountId, rest)
    running.add(accountId)
    job?.start().finally(() => {
      running.delete(accountId)
      startNext()
    })
  }
}

async function run(filename: string, name: string, input: unknown): Promise<unknown> {
  const { milliseconds } = threadLimits
  const signal = AbortSignal.timeout(milliseconds)
  try {
    pool ??= newPool()
    return await pool.run(input, { filename, name, signal })
  } catch (error) {
    throw new TaskError(reasonOf(error as Error & { code?: string }, signal.aborted, milliseconds), { cause: error })
  }
}

function newPool(): Tinypool {
  const compileCache = getCompileCacheDir()
  const created = new Tinypool({
    minThreads: 0,
    maxThreads,
    idleTimeout: idleTimeoutMs,
    resourceLimits: { maxOldGenerationSizeMb: maxMegabytes, maxYoungGenerationSizeMb: 32 },
    // Threads process foreign content, so they do not receive the environment with its secrets, or the options of the
    // main thread. With the compiled code of an earlier thread, the start of one takes two thirds of the time.
    env: compileCache === undefined ? {} : { NODE_COMPILE_CACHE: dirname(compileCache) },
    execArgv: [],
  })
  // The end of a thread is reported by its task.
  created.on('error', () => undefined)
  return created
}

function reasonOf({ code, message }: Error & { code?: string }, isTimeout: boolean, milliseconds: number): string {
  if (isTimeout) return `It took more than ${milliseconds / 1_000} seconds to process.`
  if (code === 'ERR_WORKER_OUT_OF_MEMORY') return `It took more than ${maxMegabytes} MB of memory to process.`
  return `It could not be processed: ${message.slice(0, 200)}`
}
