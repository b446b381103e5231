// @module-tag rows
import { readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { pdf } from '../content/pictures.ts'
import { databaseServerOf, start, temporaryFolder } from './process.ts'

const cli = async (env: Record<string, string>, ...args: string[]) => {
  const { code, stdout, stderr } = await start('cli', [...args, '--json'], env).end
  return { code, stderr, answer: stdout === '' ? undefined : JSON.parse(stdout) }
}

async function serve(folder: string) {
  const running = start('main', [], { DATA_DIR: folder, PORT: '0' })
  const address = (await running.line(/^ready /)).replace('ready ', '')
  await databaseServerOf(folder)
  const ask = async (key: string, query: string) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` }
    const response = await fetch(`${address}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) })
    const { data, errors } = (await response.json()) as { data: Record<string, never>; errors?: object[] }
    expect(errors).toBeUndefined()
    return data
  }
  return { ...running, ask }
}

describe('a backup of the embedded database', { timeout: 240_000 }, () => {
  it('is created while the server runs, and restores the data of its start, with the secret', async () => {
    const [folder, restored, files] = [await temporaryFolder(), await temporaryFolder(), await temporaryFolder()]
    const env = { DATA_DIR: folder }
    const file = join(files, 'backup.tar.gz')
    const running = await serve(folder)
    const account = ['account', 'create', '--name', 'Ada', '--email', 'ada@example.com', '--plan', 'pro']
    const { key } = (await cli(env, ...account)).answer

    const media = await running.ask(key, 'mutation { mediaCreate(input: { name: "a.pdf" }) { uploadUrl } }')
    const { uploadUrl } = media['mediaCreate'] as unknown as { uploadUrl: string }
    expect((await fetch(uploadUrl, { method: 'PUT', body: pdf })).status).toBe(200)

    const stored: string[] = []
    const writing = new AbortController()
    const write = async () => {
      while (!writing.signal.aborted) {
        const email = `c${stored.length}@example.com`
        await running.ask(key, `mutation { contactCreate(input: { email: "${email}" }) { contact { id } } }`)
        stored.push(email)
      }
    }
    const writer = write()
    while (stored.length < 20) await new Promise((next) => setTimeout(next, 20))
    const before = stored.length
    const made = await cli(env, 'backup', file)
    const after = stored.length
    writing.abort()
    await writer
    expect(made).toEqual({ code: 0, stderr: '', answer: { file, bytes: (await stat(file)).size } })
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await readdir(files)).toEqual(['backup.tar.gz'])
    expect(after).toBeGreaterThan(before)
    running.signal('SIGTERM')
    expect(await running.end).toMatchObject({ code: 0 })

    expect(await cli({ DATA_DIR: restored }, 'restore', file)).toMatchObject({ code: 0, stderr: '' })
    expect(await readFile(join(restored, 'secret'), 'utf8')).toBe(await readFile(join(folder, 'secret'), 'utf8'))
    const again = await serve(restored)
    const { contacts } = await again.ask(key, '{ contacts(first: 100) { totalCount } }')
    const { totalCount } = contacts as unknown as { totalCount: number }
    // The backup contains everything that was stored when it began, and some of what was stored until it ended.
    expect(totalCount).toBeGreaterThanOrEqual(before)
    expect(totalCount).toBeLessThanOrEqual(after + 1)
    const { nodes } = (await again.ask(key, '{ media { nodes { url } } }'))['media'] as unknown as {
      nodes: { url: string }[]
    }
    expect(await (await fetch(nodes[0]?.url as string)).text()).toBe(pdf.toString())
    // Every contact has its event, so the backup is a consistent snapshot.
    await again.ask(key, 'mutation { contactCreate(input: { email: "later@example.com" }) { contact { id } } }')
    again.signal('SIGTERM')
    expect(await again.end).toMatchObject({ code: 0 })

    const occupied = await cli({ DATA_DIR: restored }, 'restore', file)
    expect(occupied).toMatchObject({ code: 1, stderr: expect.stringMatching(/^DATA_DIR .* must be empty .*\n$/) })
  })

  it('restores nothing and prints one line if it is incomplete or not a backup', async () => {
    const [folder, files] = [await temporaryFolder(), await temporaryFolder()]
    const env = { DATA_DIR: folder }
    const file = join(files, 'backup.tar.gz')
    expect(await cli(env, 'backup', file)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^There is no embedded database in DATA_DIR .*\n$/),
    })
    await cli(env, 'migrate')
    expect(await cli(env, 'backup', file)).toMatchObject({ code: 0, stderr: '' })

    const other = join(files, 'other.tar.gz')
    await writeFile(other, 'not a backup')
    await truncate(file, Math.floor((await stat(file)).size / 2))
    for (const each of [file, other]) {
      const empty = await temporaryFolder()
      expect(await cli({ DATA_DIR: empty }, 'restore', each)).toEqual({
        ...{ code: 1, answer: undefined },
        stderr: `${each} is no complete backup.\n`,
      })
      expect(await readdir(empty)).toEqual([])
    }
    const url = { DATABASE_URL: 'postgres://localhost/none' }
    expect((await cli({ ...url, DATA_DIR: folder }, 'backup', file)).stderr).toMatch(
      /^backup and restore .* pg_dump .*\n$/,
    )
  })
})
