// @module-tag rows
import { truncateSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { follow } from '../events/stream.ts'
import { databaseServerOf, isAlive, type Running, start, temporaryFolder, until } from './process.ts'

const serve = (folder: string, env = {}) => start('main', [], { DATA_DIR: folder, PORT: '0', ...env })
const addressOf = async (running: Running) => (await running.line(/^ready /)).replace('ready ', '')
const isReady = async (address: string) => (await fetch(`${address}/readyz`)).status === 200

/** Waits until another server than this one runs on a folder and all processes can use it. */
async function backOn(folder: string, killed: number, ...addresses: string[]): Promise<number> {
  await until(async () => (await databaseServerOf(folder).catch(() => killed)) !== killed)
  for (const address of addresses) await until(() => isReady(address))
  return databaseServerOf(folder)
}

const startsOf = async (folder: string) =>
  (await readFile(join(folder, 'postgres/server.log'), 'utf8')).split('ready to accept connections').length - 1

const graph = async (address: string, key: string, query: string) => {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` }
  const response = await fetch(`${address}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) })
  return (await response.json()) as { data?: Record<string, never>; errors?: object[] }
}

describe('the embedded database', { timeout: 240_000 }, () => {
  let folder: string
  beforeAll(async () => {
    folder = await temporaryFolder()
  })

  it.each([
    ['told to stop at once', 'SIGQUIT'],
    ['told to stop', 'SIGINT'],
  ] as const)('is restarted if it is %s', async (_how, signal) => {
    const sharer = start('test/runtime/share.ts', [folder])
    await sharer.line(/^postgres:/)
    const starts = await startsOf(folder)
    const server = await databaseServerOf(folder)
    process.kill(server, signal)
    const next = await backOn(folder, server)
    await until(async () => (await startsOf(folder)) === starts + 1)
    sharer.signal('SIGTERM')
    expect(await sharer.end).toMatchObject({ code: 0 })
    await until(() => !isAlive(next))
  })

  it('is restarted once by one of two processes if it is killed, and both continue', async () => {
    const processes = [serve(folder), serve(folder)]
    const [one = '', other = ''] = await Promise.all(processes.map(addressOf))
    const account = start('cli', ['account', 'create', '--name', 'A', '--email', 'a@b.co', '--plan', 'pro', '--json'], {
      DATA_DIR: folder,
    })
    const { key } = JSON.parse((await account.end).stdout)
    const following = await follow(
      { server: { url: other }, key },
      'subscription { events(types: [CONTACT_CREATED]) { ... on ContactEvent { contact { email } } } }',
    )
    const create = (email: string) =>
      graph(one, key, `mutation { contactCreate(input: { email: "${email}" }) { contact { email } } }`)
    await until(async () => {
      await create(`${performance.now()}@before.example`)
      return following.got.length > 0
    })

    const starts = await startsOf(folder)
    const server = await databaseServerOf(folder)
    process.kill(server, 'SIGKILL')
    const next = await backOn(folder, server, one, other)
    expect(await startsOf(folder)).toBe(starts + 1)

    expect((await create('after@restart.example')).errors).toBeUndefined()
    await following.find(({ data }) => data.events.contact?.email === 'after@restart.example')
    // A background job is done, too.
    const csv = 'mutation { contactImportCreate(input: { csv: "email\\nby@job.example" }) { contactImport { id } } }'
    expect((await graph(one, key, csv)).errors).toBeUndefined()
    await following.find(({ data }) => data.events.contact?.email === 'by@job.example')

    for (const each of processes) each.signal('SIGTERM')
    for (const each of processes) expect(await each.end).toMatchObject({ code: 0 })
    await until(() => !isAlive(next))
  })

  // This one and the next mostly wait.
  it.concurrent('does not prevent the stop of a process while it is unavailable, and leaves no server', async () => {
    const running = serve(folder)
    await addressOf(running)
    const server = await databaseServerOf(folder)
    process.kill(server, 'SIGKILL')
    running.signal('SIGTERM')
    expect(await running.end).toMatchObject({ code: 0 })
    await until(async () => !isAlive(await databaseServerOf(folder).catch(() => server)))
  })

  it.concurrent('that cannot be restarted leaves the process running, which exits with 0 when it is stopped', async () => {
    const damaged = await temporaryFolder()
    // A worker would wait for its jobs.
    const running = serve(damaged, { ROLES: 'api' })
    const address = await addressOf(running)
    const control = join(damaged, 'postgres/data/global/pg_control')
    const server = await databaseServerOf(damaged)
    // Without a pause, so that the server is not started again before the file is truncated.
    process.kill(server, 'SIGKILL')
    truncateSync(control, 100)
    await until(async () => !(await isReady(address)))
    await until(() => running.stderr().includes('it could not be started again'))
    expect((await fetch(`${address}/livez`)).status).toBe(200)
    running.signal('SIGTERM')
    const { code, stderr } = await running.end
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('it could not be started again') })
  })
})
