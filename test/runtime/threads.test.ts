import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { promisify } from 'node:util'
import { describe, expect, it, vi } from 'vitest'
import { countThreads, TaskError, threadLimits, threadTask } from '../../src/kernel/work/thread-pool.ts'
import { until } from './process.ts'

const run = promisify(execFile)
type Input = { kind: 'echo' | 'loop' | 'throw' | 'fill'; text?: string }
const at = { file: './task.worker', base: import.meta.url, name: 'work' }
const task = threadTask<Input, string>(at)

/** A task that never ends and has a limit of one second. Concurrent tasks have the normal limit. */
const short = async (accountId: number): Promise<string> => {
  threadLimits.milliseconds = 1_000
  const running = task(accountId, { kind: 'loop' }, 1)
  threadLimits.milliseconds = usual
  return running
}
const usual = threadLimits.milliseconds

const echo = (accountId: number, text: string, size = 1) => task(accountId, { kind: 'echo', text }, size)

describe('a task in a thread', () => {
  it('returns its result, and rejects with its error', async () => {
    expect(await echo(1, 'hello')).toBe('hello')
    await expect(task(1, { kind: 'throw' }, 1)).rejects.toThrow('this is what went wrong')
    await expect(task(1, { kind: 'throw' }, 1)).rejects.toBeInstanceOf(TaskError)
    expect(await echo(1, 'still here')).toBe('still here')
  })

  it('is terminated at its time limit, and waiting tasks run', async () => {
    const looping = short(1)
    const waiting = [echo(1, 'first'), echo(1, 'second'), echo(2, 'other')]
    await expect(looping).rejects.toThrow('more than 1 seconds')
    expect(await Promise.all(waiting)).toEqual(['first', 'second', 'other'])
  })

  it('does not wait for the tasks of another account', async () => {
    const order: string[] = []
    const limit = new AbortController()
    vi.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(limit.signal)
    const slow = [task(1, { kind: 'loop' }, 1).catch(() => order.push('ended'))]
    slow.push(...Array.from({ length: 5 }, () => echo(1, 'x').then(() => order.push('slow'))))
    const quick = [2, 3].map((accountId) => echo(accountId, 'x').then(() => order.push('quick')))
    await Promise.all(quick)
    limit.abort()
    await Promise.all(slow)
    // The account whose task exceeds its time comes last, although it came first.
    expect(order).toEqual(['quick', 'quick', 'ended', 'slow', 'slow', 'slow', 'slow', 'slow'])
  })

  it('is rejected if too many or too large tasks of its account wait', async () => {
    const many = Array.from({ length: 201 }, () => echo(1, 'x'))
    await expect(echo(1, 'one too many')).rejects.toMatchObject({ code: 'RATE_LIMITED' })
    expect(await echo(2, 'other')).toBe('other')
    await Promise.all(many)
    const large = [echo(1, 'x', 15_000_000), echo(1, 'x', 15_000_000)]
    await expect(echo(1, 'x', 15_000_000)).rejects.toMatchObject({ code: 'RATE_LIMITED' })
    await Promise.all(large)
  })

  // Beside the next one, which waits until the threads are idle for long enough.
  it.concurrent('is terminated alone if it exceeds its memory limit', async () => {
    // In a child process, because the test runner sets V8's heap size for its processes, which overrides the limit of a
    // thread.
    const script = `
      import { threadTask } from './src/kernel/work/thread-pool.ts'
      const task = threadTask(${JSON.stringify(at)})
      const error = await task(1, { kind: 'fill' }, 1).catch(({ message }) => message)
      const answer = await task(1, { kind: 'echo', text: 'still here' }, 1)
      console.log(JSON.stringify({ error, answer, rss: process.resourceUsage().maxRSS * 1024 }))`
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script])
    const { error, answer, rss } = JSON.parse(stdout)
    // On a busy machine, filling the memory may take longer than the time limit.
    expect(error).toMatch(/256 MB|more than 30 seconds/)
    expect(rss).toBeLessThan(1_500_000_000)
    expect(answer).toBe('still here')
  }, 90_000)

  it.concurrent('leaves no thread behind', async () => {
    await echo(1, 'x')
    expect(countThreads()).toBeGreaterThan(0)
    await until(() => countThreads() === 0)
  })
})

describe('worker modules', () => {
  it.each(globSync('src/**/*.worker.ts'))('%s imports neither the database nor the configuration', async (file) => {
    const list = `import { registerHooks } from 'node:module'
      const all = []
      registerHooks({ load: (url, context, next) => (all.push(url), next(url, context)) })
      await import(process.argv[1])
      console.log(all.join('\\n'))`
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', list, `${process.cwd()}/${file}`])
    const paths = stdout.split('\n').map((url) => url.replace(`file://${process.cwd()}/`, ''))
    expect(paths).toContain(file)
    expect(
      paths.filter((path) => /^(?:src\/(?:db\/|config)|prisma\/|node_modules\/(?:@prisma|pg|koa)\/)/.test(path)),
    ).toEqual([])
  })
})
