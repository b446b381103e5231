import { availableParallelism } from 'node:os'
import { Tinypool } from 'tinypool'
import { Refusal } from './errors.ts'

/** Threads that one process runs at a time. At least two, so that a single account cannot keep all of them. */
const mostThreads = Math.min(Math.max(availableParallelism() - 1, 2), 4)

/** How long an idle thread is kept, in milliseconds. */
const idleMilliseconds = 5_000

/**
 * How long one task may run, in milliseconds; starting the thread is part of it. Contents within the limits of their kind
 * take a second or two: the rest is for a machine that is busy with other things.
 */
export const threadLimits = { milliseconds: 30_000 }

/**
 * Memory of one thread, in megabytes: a last resort, because Node enforces it late, and a single huge allocation can end the
 * whole process. Contents within the limits of their kind need a small part of it.
 */
const mostMegabytes = 256

/** Waiting tasks, and characters in them: of one account, and of all accounts. */
const most = {
  account: { tasks: 200, characters: 16_000_000 },
  all: { tasks: 2_000, characters: 64_000_000 },
} as const

/** A task failed because of what it was given: it took too long, took too much memory, or threw. */
export class TaskError extends Error {
  override name = 'TaskError'
}

/**
 * One kind of work that is done in a thread, for an account (0: for none in particular). `size` is the number of characters
 * in the input. Throws TaskError if the work fails, and RATE_LIMITED if too much work is waiting already.
 */
export type ThreadTask<Input, Output> = (accountId: number, input: Input, size: number) => Promise<Output>

interface Job {
  readonly accountId: number
  readonly size: number
  start(): Promise<void>
}

/** The account whose turn is next comes first: an account that had its turn goes to the end. */
const waiting = new Map<number, Job[]>()
const running = new Set<number>()
let pool: Tinypool | undefined

/**
 * Declares work that is done in a thread: the function `name` of the module `file`, named without its extension and
 * relative to `base`, the `import.meta.url` of the caller. Input and output must survive structured cloning.
 *
 * Threads are started when there is work, and end when they are idle. Each account has one task running at a time, and
 * accounts take turns, so expensive contents of one account do not delay those of others.
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
      mustHaveRoom(accountId, size)
      const start = () => run(filename, name, input).then((output) => resolve(output as Output), reject)
      waiting.set(accountId, [...(waiting.get(accountId) ?? []), { accountId, size, start }])
      startNext()
    })
}

/** Threads of the pool at this moment, busy or idle. */
export function countThreads(): number {
  return pool?.threads.length ?? 0
}

function mustHaveRoom(accountId: number, size: number): void {
  const own = waiting.get(accountId) ?? []
  const all = [...waiting.values()].flat()
  if (isFull(own, size, most.account) || isFull(all, size, most.all)) {
    throw new Refusal('RATE_LIMITED', 'Too much content is waiting to be processed. Try again in a few seconds.')
  }
}

function isFull(jobs: readonly Job[], size: number, limit: { tasks: number; characters: number }): boolean {
  // Whatever its size, a single task must be possible.
  if (jobs.length === 0) return false
  return jobs.length >= limit.tasks || jobs.reduce((sum, job) => sum + job.size, size) > limit.characters
}

function startNext(): void {
  while (running.size < mostThreads) {
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
  const made = new Tinypool({
    minThreads: 0,
    maxThreads: mostThreads,
    idleTimeout: idleMilliseconds,
    resourceLimits: { maxOldGenerationSizeMb: mostMegabytes, maxYoungGenerationSizeMb: 32 },
    // Neither the secrets of the process nor what was set for its main thread is for those who read foreign content.
    env: {},
    execArgv: [],
  })
  // The end of a thread is reported by its task.
  made.on('error', () => undefined)
  return made
}

function reasonOf({ code, message }: Error & { code?: string }, isLate: boolean, milliseconds: number): string {
  if (isLate) return `It took more than ${milliseconds / 1_000} seconds to process.`
  if (code === 'ERR_WORKER_OUT_OF_MEMORY') return `It took more than ${mostMegabytes} MB of memory to process.`
  return `It could not be processed: ${message.slice(0, 200)}`
}
