import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { start, temporaryFolder } from '../runtime/process.ts'

const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8')

/** The fenced blocks of a language, as they are printed. */
function blocks(language: string): string[] {
  return [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map((match) => match[1] ?? '')
}

describe('the README', () => {
  let address = ''
  let key = ''

  beforeAll(async () => {
    const server = start('src/main.ts', ['--demo'], { DATA_DIR: await temporaryFolder(), PORT: '0' })
    key = (await server.line(/^demo key /)).replace('demo key ', '')
    address = (await server.line(/^ready /)).replace('ready ', '')
  })

  /** Runs a command as it is printed, but for the port. */
  async function shell(command: string): Promise<string> {
    const { stdout } = await promisify(execFile)('sh', ['-c', command.replaceAll('http://127.0.0.1:4000', address)], {
      env: { PATH: process.env['PATH'], KEY: key },
    })
    return stdout
  }

  it('opens with one sentence', () => {
    expect(readme).toMatch(/^# Campanile\n\n[^\n]+(\n[^\n]+)*\.\n\n/)
  })

  it('prints a curl and the same in GraphQL that both answer the same contacts', async () => {
    const curls = blocks('sh').filter((block) => block.startsWith('curl'))
    expect(curls).toHaveLength(2)
    const [rest, graph] = await Promise.all(curls.map(async (curl) => JSON.parse(await shell(curl))))
    expect(rest).toMatchObject({ success: true, meta: { per_page: 3, total: 320 } })
    expect(graph.errors).toBeUndefined()
    expect(graph.data.contacts.totalCount).toBe(rest.meta.total)
    expect(graph.data.contacts.nodes.map((contact: { databaseId: number }) => contact.databaseId)).toEqual(
      rest.data.map((contact: { id: number }) => contact.id),
    )
    expect(graph.data.account.quota.contacts).toEqual({ used: 320, remaining: 4680 })
  })

  it('prints documents that the graph executes', async () => {
    const documents = blocks('graphql')
    expect(documents.length).toBeGreaterThan(0)
    for (const query of documents) {
      const response = await fetch(`${address}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
        body: JSON.stringify({ query }),
      })
      expect(await response.json()).not.toHaveProperty('errors')
    }
  })

  it('names scripts that there are, and the pages it sends people to', async () => {
    const { scripts } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'))
    const named = [...readme.matchAll(/npm run (?:-s )?([\w:]+)/g)].map((match) => match[1])
    expect(named.filter((name) => scripts[name as string] === undefined)).toEqual([])
    for (const page of ['/graphql', '/docs']) {
      const response = await fetch(`${address}${page}`, { headers: { accept: 'text/html' } })
      expect([page, response.status, response.headers.get('content-type')]).toEqual([
        page,
        200,
        expect.stringContaining('text/html'),
      ])
    }
  })

  it('tells every variable that the configuration reads', async () => {
    const config = await readFile(new URL('../../src/config.ts', import.meta.url), 'utf8')
    const read = new Set([...config.matchAll(/\(env, '([A-Z_]+)'/g)].map((match) => match[1] as string))
    expect(read.size).toBeGreaterThan(10)
    expect([...read].filter((name) => !readme.includes(`\`${name}\``))).toEqual(['MAIL_URL'])
  })
})
