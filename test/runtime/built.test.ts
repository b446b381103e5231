import { readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { fingerprintOf } from '../../bin/sources.js'
import { type Running, start, temporaryFolder } from './process.ts'

/** What a bundle reads or starts by a path of its own, which the tests of the sources cannot show. */
describe('the built server', () => {
  let folder = ''
  let server: Running
  let address = ''
  let key = ''
  const serve = () => start('main', ['--demo'], { DATA_DIR: folder, PORT: '0' })
  beforeAll(async () => {
    folder = await temporaryFolder()
    server = serve()
    key = (await server.line(/^demo key /)).replace('demo key ', '')
    address = (await server.line(/^ready /)).replace('ready ', '')
  }, 180_000)

  // biome-ignore lint/suspicious/noExplicitAny: the tests assert the shape of a response
  const ask = async (query: string): Promise<any> => {
    const response = await fetch(`${address}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify({ query }),
    })
    const { data, errors } = (await response.json()) as { data: unknown; errors?: unknown }
    expect(errors).toBeUndefined()
    return data
  }

  it('is the one that runs, unless a source has changed', () => {
    if (process.env['CI']) expect(readFileSync('dist/sources', 'utf8')).toBe(fingerprintOf(`${process.cwd()}/`))
  })

  it('draws invoices in a thread, with fonts and metrics', async () => {
    const { invoices } = await ask('{ invoices(first: 1) { nodes { downloadUrl } } }')
    const document = await fetch(invoices.nodes[0].downloadUrl)
    expect(document.headers.get('content-type')).toBe('application/pdf')
    expect(Buffer.from(await document.arrayBuffer()).toString('latin1')).toMatch(/^%PDF.*FontFile/s)
  })

  it('parses e-mails and pages in threads', async () => {
    const { campaigns, funnels } = await ask(`{
      campaigns(first: 1) { nodes { email { preview { subject html text } } } }
      funnels(first: 1) { nodes { steps { url } } }
    }`)
    expect(campaigns.nodes[0].email.preview.text).not.toBe('')
    const page = await fetch(funnels.nodes[0].steps[0].url)
    expect(page.status).toBe(200)
    expect(await page.text()).toContain('<style')
  })

  it.each(['/docs', '/docs/swagger-ui.css', '/openapi.json', '/console', '/f/1'])('serves %s', async (path) => {
    const response = await fetch(`${address}${path}`)
    expect(response.status).toBe(200)
    expect(await response.text()).not.toBe('')
  })

  // The last one: it stops the server.
  it('loads the demonstration data into an empty database, and prints its key before it is ready', async () => {
    const list = async (path: string) => {
      const response = await fetch(`${address}${path}`, { headers: { authorization: `Bearer ${key}` } })
      expect(response.status).toBe(200)
      return ((await response.json()) as { data: Record<string, number>[] & Record<string, number> }).data
    }
    expect((await list('/v1/contacts')).length).toBeGreaterThan(0)
    // The opens and clicks of the demonstration use the same links as real e-mails.
    const [{ id }] = (await list('/v1/campaigns?per_page=100')).slice(-1) as [{ id: number }]
    const figures = await list(`/v1/campaign-stats?campaign_id=${id}`)
    for (const name of ['sent_to', 'opens', 'clicks']) expect(figures[name], name).toBeGreaterThan(0)
    expect((await readdir(join(folder, 'mail'))).length).toBeGreaterThan(figures['sent_to'] as number)
    server.signal('SIGTERM')
    const { stdout } = await server.end
    const [, link = '', signIn = ''] = /^demo key \S+\ngraphiql (\S+)\nsign-in (\S+)\nready \S+\n$/.exec(stdout) ?? []
    expect(link).toBe(`${address}/graphql#key=${key}`)
    expect(signIn).toMatch(`${address}/console/sign-in/`)

    const second = serve()
    await second.line(/^ready /)
    second.signal('SIGTERM')
    expect((await second.end).stdout).toMatch(/^sign-in \S+\nready \S+\n$/)
  })
})
