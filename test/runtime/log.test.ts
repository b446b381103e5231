import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { atEnd } from '../support/ends.ts'
import { unusedPort } from '../support/unused-port.ts'

describe('the log of a server', () => {
  it('does not stop requests when its reader stands still', { timeout: 60_000 }, async () => {
    const child = spawn(process.execPath, [fileURLToPath(new URL('../../bin/run.js', import.meta.url)), 'main'], {
      env: {
        PATH: process.env['PATH'],
        PORT: '0',
        ROLES: 'bridge',
        GRAPHQL_URL: `http://127.0.0.1:${await unusedPort()}/graphql`,
        SECRET: 'sixteen characters',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    atEnd(async () => void child.kill('SIGKILL'))
    const [ready] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string]
    const path = `${ready.trim().replace('ready ', '')}/v1/${'x'.repeat(4_000)}`
    const statuses = new Set<number>()
    // Nobody reads standard error, whose pipe has room for a few hundred kilobytes at most.
    for (let round = 0; round < 300; round += 1) {
      const response = await fetch(path, {
        headers: { authorization: 'Bearer x' },
        signal: AbortSignal.timeout(10_000),
      })
      statuses.add(response.status)
      await response.arrayBuffer()
    }
    expect(statuses).toEqual(new Set([503]))
  })
})
