import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { buildSchema, getOperationAST, parse, validate } from 'graphql'
import { beforeAll, describe, expect, it } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { variables } from '../../src/config/variables.ts'
import { start, temporaryFolder } from '../runtime/process.ts'

const folder = new URL('../../src/docs/', import.meta.url)
const pages: { name: string; text: string }[] = []
for (const name of (await readdir(folder)).filter((each) => each.endsWith('.md')).toSorted()) {
  pages.push({ name, text: await readFile(new URL(name, folder), 'utf8') })
}
const readme = { name: 'the README', text: await readFile(new URL('../../README.md', import.meta.url), 'utf8') }
const schema = buildSchema(await readFile(new URL('../../schema.graphql', import.meta.url), 'utf8'))

interface Block {
  language: string
  file: string
  text: string
}

function blocksOf(text: string): Block[] {
  return [...text.matchAll(/^```(\w+) ?([^\n]*)\n(.*?)^```/gms)].map(([, language = '', file = '', body = '']) => ({
    language,
    file,
    text: body,
  }))
}

let address = ''
let key = ''
beforeAll(async () => {
  const server = start('main', ['--demo'], { DATA_DIR: await temporaryFolder(), PORT: '0' })
  key = (await server.line(/^demo key /)).replace('demo key ', '')
  address = (await server.line(/^ready /)).replace('ready ', '')
}, 180_000)

const ask = async (query: string) => {
  const response = await fetch(`${address}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ query }),
  })
  return response.json()
}
const shell = async (command: string) => {
  const { stdout } = await promisify(execFile)('sh', ['-c', command.replaceAll('http://127.0.0.1:4000', address)], {
    env: { PATH: process.env['PATH'], KEY: key },
  })
  return stdout
}

describe('documentation pages', () => {
  it.each(pages)('$name links to existing pages and is in the index', async ({ name, text }) => {
    const links = [...text.matchAll(/\]\(([\w-]+\.md)\)/g)].map((match) => match[1])
    expect(links.filter((link) => !pages.some((page) => page.name === link))).toEqual([])
    if (name !== 'README.md') expect(pages.find((page) => page.name === 'README.md')?.text).toContain(`(${name})`)
  })

  // The table of routes prints what the bridge sends, which has tests of its own.
  it.each([readme, ...pages].filter(({ name }) => name !== 'rest-to-graphql.md'))(
    '$name contains documents that the schema executes',
    async ({ text }) => {
      for (const { text: query } of blocksOf(text).filter(({ language }) => language === 'graphql')) {
        const document = parse(query)
        expect(validate(schema, document)).toEqual([])
        if (getOperationAST(document)?.operation === 'subscription') continue
        expect(await ask(query), query).not.toHaveProperty('errors')
      }
    },
  )

  it.each([readme, ...pages])('$name contains commands that work, with their output', async ({ text }) => {
    const blocks = blocksOf(text)
    for (const [index, { language, text: command }] of blocks.entries()) {
      if (language !== 'sh' || !command.startsWith('curl')) continue
      const answer = await shell(command)
      expect(answer).not.toBe('')
      const next = blocks[index + 1]
      if (next?.language === 'json') expect(JSON.parse(answer)).toMatchObject(JSON.parse(next.text))
    }
  })

  it('contain a deployment whose compose.yaml sets existing variables', async () => {
    const compose = await readFile(new URL('../../compose.yaml', import.meta.url), 'utf8')
    const { services } = parseYaml(compose, { merge: true })
    for (const service of ['api', 'worker']) {
      const names = Object.keys(services[service].environment)
      expect(names).toContain('DATABASE_URL')
      expect(names.filter((name) => !Object.hasOwn(variables, name))).toEqual([])
      expect(services[service].depends_on).toHaveProperty('postgres')
    }
  })
})

describe('the README', () => {
  it('begins with one sentence', () => {
    expect(readme.text).toMatch(/^# Campanile\n\n[^\n]+(\n[^\n]+)*\.\n\n/)
  })

  it('contains a curl command and a GraphQL query that return the same contacts', async () => {
    const curls = blocksOf(readme.text).filter(({ text }) => text.startsWith('curl'))
    const [rest, graph] = await Promise.all(curls.slice(0, 2).map(async ({ text }) => JSON.parse(await shell(text))))
    expect(rest).toMatchObject({ success: true, meta: { per_page: 3, total: expect.any(Number) } })
    expect(rest.meta.total).toBeGreaterThanOrEqual(240)
    expect(graph.data.contacts.totalCount).toBe(rest.meta.total)
    expect(graph.data.contacts.nodes.map((contact: { databaseId: number }) => contact.databaseId)).toEqual(
      rest.data.map((contact: { id: number }) => contact.id),
    )
    const { used, remaining } = graph.data.account.quota.contacts
    expect({ used, remaining }).toEqual({ used: rest.meta.total, remaining: 5_000 - rest.meta.total })
  })

  it('names existing scripts and links to existing pages', async () => {
    const { scripts } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'))
    const named = [...readme.text.matchAll(/npm run (?:-s )?([\w:]+)/g)].map((match) => match[1])
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

  it('names only existing variables', () => {
    const words = [...readme.text.matchAll(/`([A-Z]+_[A-Z_]+)`/g)].map((match) => match[1] as string)
    const named = words.filter((word) => !/_(READ|WRITE)$/.test(word))
    expect(named).toContain('DATABASE_URL')
    // The tests read CHROMIUM_PATH, not the product.
    expect(named.filter((name) => !Object.hasOwn(variables, name))).toEqual(['CHROMIUM_PATH'])
  })
})
