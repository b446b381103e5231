import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { newDatabase, newEmptyDatabase } from '../support/database.ts'
import { newServer } from '../support/server.ts'
import { start, temporaryFolder } from './process.ts'

const cli = async (env: Record<string, string>, ...args: string[]) => {
  const { code, stdout, stderr } = await start('cli', args, env).end
  return { code, stdout, stderr }
}

/** Runs a command that must succeed, and returns its JSON. */
async function answer(env: Record<string, string>, ...args: string[]) {
  const { code, stdout, stderr } = await cli(env, ...args, '--json')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout)
}

async function viewer(address: string, key: string): Promise<number> {
  const response = await fetch(`${address}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ query: '{ viewer { email } }' }),
  })
  return response.status
}

describe('the users of an account', () => {
  it('get links: the first one is an owner with the address of the account', async () => {
    const SECRET = 'sixteen characters'
    const { url: address, databaseUrl } = await newServer({ SECRET })
    const settings = { DATABASE_URL: databaseUrl, SECRET }
    const env = { ...settings, BASE_URL: address }
    await answer(env, 'account', 'create', '--name', 'Ada', '--email', 'Ada@example.com')
    const link = ['user', 'link', '--account', '1', '--email']
    for (const [args, message] of [
      [[...link, 'grace@example.com'], 'There is no user grace@example.com.\n'],
      [['user', 'link', '--account', '2', '--email', 'ada@example.com'], 'There is no account 2.\n'],
      [['user', 'link', '--email', 'ada@example.com'], 'There is no user ada@example.com.\n'],
    ] as const)
      expect(await cli(env, ...args, '--json')).toEqual({ code: 1, stdout: '', stderr: message })

    const { url } = await answer(env, ...link, 'ada@example.com')
    const signedIn = await fetch(url, { method: 'POST', redirect: 'manual', headers: { origin: address } })
    expect([signedIn.status, signedIn.headers.get('location')]).toEqual([303, '/console'])
    const added = await answer(env, 'user', 'add', '--account', '1', '--email', 'grace@example.com', '--role', 'editor')
    expect(added).toMatchObject({ user: { email: 'grace@example.com', role: 'editor' }, url: expect.any(String) })
    expect((await answer(env, ...link, 'ada@example.com')).url).not.toBe(url)
    await answer(env, 'user', 'remove', '--email', 'grace@example.com')
    const { users } = await answer(env, 'user', 'list', '--account', '1')
    expect(users).toMatchObject(
      expect.arrayContaining([
        expect.objectContaining({ email: 'ada@example.com', role: 'owner', removed_at: null }),
        expect.objectContaining({ email: 'grace@example.com', role: 'editor', removed_at: expect.any(String) }),
      ]),
    )
  })
})

describe('the command line beside a running server', () => {
  it('creates accounts, and creates and disables keys with immediate effect', async () => {
    const env = { DATA_DIR: await temporaryFolder() }
    const server = start('main', [], { ...env, PORT: '0' })
    const address = (await server.line(/^ready /)).replace('ready ', '')

    const created = await answer(
      env,
      'account',
      'create',
      '--name',
      'Ada',
      '--email',
      'ada@example.com',
      '--plan',
      'pro',
    )
    expect(created).toMatchObject({ account: { id: 1, name: 'Ada', email: 'ada@example.com', plan: 'pro' } })
    expect(created.account.limits.contacts).toBeNull()
    expect(await viewer(address, created.key)).toBe(200)

    const scopes = ['contacts:read', 'contacts:write']
    const key = await answer(env, 'key', 'create', '--account', '1', '--name', 'shop', '--scopes', scopes.join())
    expect(key).toMatchObject({ id: expect.any(Number), key: expect.any(String), name: 'shop', scopes })
    await answer(env, 'key', 'disable', '--id', String(key.id))
    expect(await viewer(address, key.key)).toBe(401)
    const { keys } = await answer(env, 'key', 'list', '--account', '1')
    expect(keys).toMatchObject([
      { name: 'shop', disabled_at: expect.any(String) },
      { disabled_at: null, scopes: null },
    ])
    expect(JSON.stringify(keys)).not.toContain(key.key)

    const limits = ['--limit-contacts', '10', '--limit-monthly-recipients', '20']
    const changed = await answer(env, 'account', 'update', '--id', '1', '--currency', 'USD', ...limits)
    expect(changed.account).toMatchObject({
      currency: 'USD',
      limits: { contacts: 10, monthly_recipients: 20, funnels: null },
    })
    const none = ['--limit-contacts', 'none', '--limit-funnels', 'none']
    const unlimited = await answer(env, 'account', 'update', '--id', '1', ...none)
    expect(unlimited.account).toMatchObject({
      limits: { contacts: null, monthly_recipients: 20, funnels: null },
    })
    await answer(env, 'account', 'update', '--id', '1', '--plan', 'free-trial')
    expect(await viewer(address, created.key)).toBe(401)

    server.signal('SIGTERM')
    expect(await server.end).toMatchObject({ code: 0 })
  })
})

describe('the command line', () => {
  it('prints one line and creates no key for a trial account', async () => {
    const env = { DATABASE_URL: await newDatabase(), SECRET: 'sixteen characters' }
    const identity = ['--name', 'Eve', '--email', 'eve@example.com']
    const trial = await answer(env, 'account', 'create', ...identity, '--plan', 'free-trial', '--subdomain', 'eve')
    expect(trial).toMatchObject({ account: { plan: 'free-trial', subdomain: 'eve' }, key: null })

    const refused = await cli(env, 'key', 'create', '--account', String(trial.account.id), '--json')
    expect(refused).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(/^A trial account .+\n$/) })
    const taken = await cli(env, 'account', 'create', ...identity, '--subdomain', 'eve', '--json')
    expect(taken).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(/^.*subdomain .+\n$/) })
    const nobody = await cli(env, 'key', 'list', '--account', '99', '--json')
    expect(nobody).toEqual({ code: 1, stdout: '', stderr: 'There is no account 99.\n' })
    expect(await answer(env, 'migrate')).toEqual({ applied: [] })
  })

  it.each([
    [['key', 'disable', '--id', '1', '--nmae', 'x'], /unknown option '--nmae'/],
    [['account', 'create', '--name', 'x'], /required option '--email/],
    [['account', 'create', '--name', 'x', '--email', 'y', '--plan', 'gold'], /free-trial, starter, pro, unlimited/],
    [['key', 'create', '--account', 'one'], /It takes a whole number/],
    [['acount'], /unknown command 'acount'/],
    [['account'], /A command is missing/],
    [[], /A command is missing/],
  ])('prints one line for %j', async (args, problem) => {
    const { code, stdout, stderr } = await cli({ DATA_DIR: '/nonexistent' }, ...args)
    expect({ code, stdout, lines: stderr.split('\n').length }).toEqual({ code: 1, stdout: '', lines: 2 })
    expect(stderr).toMatch(problem)
  })

  it('does not start a demonstration if it cannot write its e-mails', async () => {
    const [folder, url] = await Promise.all([temporaryFolder(), newEmptyDatabase()])
    await writeFile(join(folder, 'mail'), 'no folder')
    const env = { DATA_DIR: folder, DATABASE_URL: url, SECRET: 'sixteen characters' }
    const { code, stdout, stderr } = await cli(env, 'demo')
    expect({ code, stdout, lines: stderr.split('\n').length }).toEqual({ code: 1, stdout: '', lines: 2 })
    expect(stderr).toContain(join(folder, 'mail'))
  })
})
