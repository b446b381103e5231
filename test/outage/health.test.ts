import { expect, it } from 'vitest'
import { newDatabase } from '../support/database.ts'
import { newProxyOf } from '../support/proxy.ts'
import { newServer } from '../support/server.ts'
import { holdTimers } from '../support/timers.ts'

it.each(['hangs', 'is unavailable'])(
  'a server whose database %s says at once that it lives, and soon that it is not ready',
  async (kind) => {
    const { proxy, url } = await newProxyOf(await newDatabase())
    // Nothing in the process notices that the database does not answer.
    const release = holdTimers(500)
    const server = await newServer({ DATABASE_URL: url })
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
    if (kind === 'hangs') proxy.freeze()
    else await proxy.cut()
    expect((await fetch(`${server.url}/livez`)).status).toBe(200)
    expect((await fetch(`${server.url}/metrics`)).status).toBe(200)
    // The check has a time limit of its own.
    release()
    for (let turn = 0; turn < 3; turn += 1) expect((await fetch(`${server.url}/readyz`)).status).toBe(503)
    await proxy.heal()
  },
)
