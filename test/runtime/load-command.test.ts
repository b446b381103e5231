import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { newServer } from '../support/server.ts'
import { unusedPort } from '../support/unused-port.ts'
import { newWorld, type World } from '../support/world.ts'
import { start } from './process.ts'

interface OperationSummary {
  readonly operation: string
  readonly p50_ms: number | null
  readonly outcomes: Record<string, number>
}

async function load(...args: string[]): Promise<OperationSummary[]> {
  const { code, stdout, stderr } = await start('cli', ['load', '--json', '--connections', '2', ...args]).end
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout).operations
}

const outcomesOf = (operations: readonly OperationSummary[]) =>
  new Set(operations.flatMap(({ outcomes }) => Object.keys(outcomes)))

describe('cli load', () => {
  let world: World
  beforeAll(async () => {
    world = await newWorld({ server: await newServer() })
    await world.contact()
  })
  const contacts = async () => (await world.run('{ contacts { totalCount } }')).contacts.totalCount

  it('sends each operation, and leaves no contacts', async () => {
    const before = await contacts()
    // Requests that are due are sent, however long they take.
    const operations = await load(
      ...['--url', world.server.url, '--key', world.mainKey, '--seconds', '1', '--rate', '24', '--write'],
    )
    expect(operations.map(({ operation }) => operation)).toHaveLength(5)
    expect(outcomesOf(operations)).toEqual(new Set(['ok']))
    for (const { operation, outcomes, p50_ms } of operations) {
      expect(outcomes, operation).toEqual({ ok: expect.any(Number) })
      expect(p50_ms, operation).toBeGreaterThan(0)
    }
    expect(operations.reduce((sum, { outcomes }) => sum + (outcomes['ok'] ?? 0), 0)).toBe(24)
    expect(await contacts()).toBe(before)
  })

  it('counts a request without a response as failed', async () => {
    const silent = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void silent.close())
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    const timeLimits = ['--timeout', '1', '--seconds', '1', '--rate', '2']
    const operations = await load('--url', `http://127.0.0.1:${port}`, '--key', 'any', ...timeLimits)
    expect(outcomesOf(operations)).toEqual(new Set(['TimeoutError']))
  })

  it.each([
    [['--rate', '0'], 'It takes a whole number from 1.'],
    [['--url', 'example.com'], 'It takes a URL that starts with http:// or https://.'],
  ])('refuses %j with one line', async (args, message) => {
    const all = ['load', '--url', 'http://127.0.0.1', '--key', 'any', ...args]
    const { code, stderr } = await start('cli', all).end
    expect({ code, lines: stderr.split('\n').length }).toEqual({ code: 1, lines: 2 })
    expect(stderr).toContain(message)
  })

  it.each([
    ['is not accepted', async () => world.server.url, ['401', 'UNAUTHORIZED']],
    ['cannot be sent', async () => `http://127.0.0.1:${await unusedPort()}`, ['ECONNREFUSED']],
  ])('counts a request that %s by its reason', async (_name, url, outcomes) => {
    const operations = await load('--url', await url(), '--key', 'unknown', '--seconds', '1', '--rate', '10')
    expect([...outcomesOf(operations)].sort()).toEqual(outcomes)
    expect(operations.every(({ p50_ms }) => p50_ms === null)).toBe(true)
  })
})
