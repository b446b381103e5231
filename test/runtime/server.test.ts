import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import WebSocket from 'ws'
import { newDatabase, newEmptyDatabase } from '../support/database.ts'
import { databaseServerOf, isAlive, start, temporaryFolder, until } from './process.ts'

const secret = 'sixteen characters'

const serve = (env: Record<string, string>, ...options: string[]) => {
  const running = start('main', options, { PORT: '0', ...env })
  const address = running.line(/^ready /).then((line) => line.replace(/^ready /, ''))
  // Some promises reject on purpose. The tests await the others.
  address.catch(() => {})
  return { ...running, address }
}

async function isServed(address: string): Promise<boolean> {
  return (await fetch(`${address}/readyz`)).status === 200
}

describe('a server with a folder', () => {
  let folder: string
  beforeAll(async () => {
    folder = await temporaryFolder()
  })

  it('starts again with its data after it was killed', async () => {
    const killed = serve({ DATA_DIR: folder })
    await killed.address
    const database = await databaseServerOf(folder)
    killed.signal('SIGKILL')
    await killed.end

    const next = serve({ DATA_DIR: folder })
    expect(await isServed(await next.address)).toBe(true)
    expect(await databaseServerOf(folder)).toBe(database)
    next.signal('SIGTERM')
    expect(await next.end).toMatchObject({ code: 0 })
    await until(() => !isAlive(database))
  })

  it('shares its data with a second one, which continues when the first one stops', async () => {
    const [one, other] = [serve({ DATA_DIR: folder }), serve({ DATA_DIR: folder })]
    expect(await Promise.all([one.address, other.address].map(async (address) => isServed(await address)))).toEqual([
      true,
      true,
    ])
    const database = await databaseServerOf(folder)

    one.signal('SIGTERM')
    expect(await one.end).toMatchObject({ code: 0 })
    expect(await isServed(await other.address)).toBe(true)
    other.signal('SIGTERM')
    expect(await other.end).toMatchObject({ code: 0 })
    await until(() => !isAlive(database))
  })
})

// One of them waits for seconds until its connections are closed.
describe.concurrent('a server', () => {
  it('stops while clients keep incomplete requests and idle sockets open', async () => {
    const [folder, url] = await Promise.all([temporaryFolder(), newDatabase()])
    const running = serve({ DATA_DIR: folder, DATABASE_URL: url, SECRET: secret })
    const { hostname, port, host } = new URL(await running.address)
    const request = connect(Number(port), hostname)
    request.on('error', () => {})
    await once(request, 'connect')
    request.write(
      `POST /graphql HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{`,
    )
    const socket = new WebSocket(`ws://${host}/graphql`, 'graphql-transport-ws')
    socket.on('error', () => {})
    await once(socket, 'open')

    running.signal('SIGTERM')
    expect(await running.end).toMatchObject({ code: 0 })
  })

  it('starts no embedded database beside an external one, and treats the two signals of one Ctrl+C under npm as one', async () => {
    const [folder, url] = await Promise.all([temporaryFolder(), newEmptyDatabase()])
    const running = serve({ DATA_DIR: folder, DATABASE_URL: url, SECRET: secret })
    expect(await isServed(await running.address)).toBe(true)
    expect(existsSync(join(folder, 'postgres'))).toBe(false)
    running.signal('SIGINT')
    running.signal('SIGINT')
    expect(await running.end).toMatchObject({ code: 0 })
  })

  it('starts no database in the role bridge', async () => {
    const folder = await temporaryFolder()
    const running = serve({ DATA_DIR: folder, ROLES: 'bridge', GRAPHQL_URL: 'http://127.0.0.1:1/graphql' })
    expect((await fetch(`${await running.address}/livez`)).status).toBe(200)
    expect(existsSync(join(folder, 'postgres'))).toBe(false)
    running.signal('SIGTERM')
    expect(await running.end).toMatchObject({ code: 0 })
  })

  it('prints one line if it cannot start', async ({ onTestFinished }) => {
    const [folder, url] = await Promise.all([temporaryFolder(), newDatabase()])
    const input = { DATA_DIR: folder, SECRET: secret }
    const other = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void other.close())
    await once(other, 'listening')
    const port = String((other.address() as AddressInfo).port)
    const missing = inject('server').url.replace(/[^/]+$/, 'no_such_database')

    const problems = await Promise.all(
      [
        serve({ ...input, DATABASE_URL: url, PORT: port }),
        serve({ ...input, DATABASE_URL: url, HOST: '192.0.2.1' }),
        serve({ ...input, DATABASE_URL: 'postgres://localhost:1/db' }),
        serve({ ...input, DATABASE_URL: missing }),
        serve({ ...input, DATABASE_URL: url }, '--dmeo'),
      ].map(async ({ end }) => {
        const { code, stdout, stderr } = await end
        return `${code} ${stdout}${stderr}`
      }),
    )
    expect(problems).toEqual([
      expect.stringMatching(/^1 PORT is in use by another program: .+\n$/),
      expect.stringMatching(/^1 HOST and PORT must be an address we may listen on: .+\n$/),
      expect.stringMatching(/^1 The database cannot be reached \(DATABASE_URL\): .+\n$/),
      expect.stringMatching(/^1 The database cannot be reached \(DATABASE_URL\): .+no_such_database.+\n$/),
      expect.stringMatching(/^1 The only option is --demo: .+\n$/),
    ])
  })

  it('stops cleanly if it is stopped while it starts', async () => {
    const folder = await temporaryFolder()
    const running = serve({ DATA_DIR: folder })
    await until(() => existsSync(join(folder, 'postgres/turn.lock')))
    running.signal('SIGTERM')
    expect(await running.end).toMatchObject({ code: 0 })
    // The database may end after the server.
    await until(() => !existsSync(join(folder, 'postgres/data/postmaster.pid')))
  })
})
