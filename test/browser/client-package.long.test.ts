import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type InstalledPackage, installPackage } from '../client/installed-package.ts'
import { newProxy } from '../support/proxy.ts'
import { newWorld } from '../support/world.ts'
import { isWithoutBrowser, openBrowser } from './chromium.ts'

const page = `<!doctype html><html lang="en"><title>App</title><p></p>
<script type="importmap">{ "imports": {
  "campanile/client": "/node_modules/campanile/dist/index.js",
  "graphql-ws/client": "/node_modules/graphql-ws/dist/client.js"
} }</script>
<script type="module">
  import { iterate } from 'campanile/client'
  const [url, key, transport] = JSON.parse(decodeURIComponent(location.hash.slice(1)))
  const query = 'subscription ($after: String) { events(after: $after) { cursor name } }'
  const events = iterate({ url, key, transport, query })
  await events.started
  document.title = 'started'
  const { value } = await events.next()
  document.querySelector('p').textContent = value.event.name
</script>`

/** A page without an API key. It asks its own server for access tokens, and shows what it receives. */
const pageWithToken = `<!doctype html><html lang="en"><title>App</title><ol></ol>
<script type="module">
  import { createClient } from '/client.js'
  const [url, transport] = JSON.parse(decodeURIComponent(location.hash.slice(1)))
  const key = async () => (await fetch('/token')).text()
  const client = createClient({ url, key, transport, backOff: () => 50 })
  const query = 'subscription ($after: String) { events(after: $after, types: [CONTACT_CREATED]) { cursor ... on ContactEvent { contact { email } } } }'
  const events = client.iterate({ query })
  await events.started
  document.title = 'started'
  for await (const { event } of events)
    document.querySelector('ol').append(Object.assign(document.createElement('li'), { textContent: event.contact.email }))
</script>`

/** Bundles the packed client as the build of a front end does. */
async function bundleClient(installed: InstalledPackage): Promise<string> {
  const input = await installed.write('bundled.js', `export { createClient } from 'campanile/client'`)
  const { output } = await (await rolldown({ input, platform: 'browser' })).generate({ minify: true })
  return output[0].code
}

describe.skipIf(isWithoutBrowser)('the packed client in a browser', { timeout: 120_000 }, () => {
  let browser: Browser
  let files: Server
  let origin: string
  let createToken = async () => ''
  beforeAll(async () => {
    browser = await openBrowser()
    const installed = await installPackage()
    const made: Record<string, () => string | Promise<string>> = {
      '/': () => page,
      '/app': () => pageWithToken,
      '/client.js': () => bundle,
      '/token': () => createToken(),
    }
    const bundle = await bundleClient(installed)
    files = createServer(async ({ url = '/' }, response) => {
      const text = (await made[url]?.()) ?? (await readFile(join(installed.folder, url)).catch(() => undefined))
      const type = /\.js$/.test(url) ? 'text/javascript' : 'text/html'
      response.writeHead(text ? 200 : 404, { 'content-type': type }).end(text)
    })
    await once(files.listen(0, '127.0.0.1'), 'listening')
    origin = `http://127.0.0.1:${(files.address() as AddressInfo).port}`
  }, 240_000)
  afterAll(async () => {
    await browser.close()
    files.close()
  })

  it.each(['ws', 'sse'])(
    'receives events on a page of another origin, without a bundler, over %s',
    async (transport) => {
      const world = await newWorld()
      const tab = await browser.newPage()
      const faults: string[] = []
      tab.on('pageerror', (error) => faults.push(error.message))
      const settings = JSON.stringify([`${world.server.url}/graphql`, world.mainKey, transport])
      await tab.goto(`${origin}/#${encodeURIComponent(settings)}`)
      await expect.poll(async () => [await tab.title(), faults]).toEqual(['started', []])
      await world.contact()
      await tab.getByText('contact.created').waitFor()
    },
  )

  it.each(['ws', 'sse'])(
    'receives each event once with an access token, through cuts of the connection, over %s',
    async (transport) => {
      const world = await newWorld()
      const proxy = await newProxy({ host: '127.0.0.1', port: Number(new URL(world.server.url).port) })
      let tokens = 0
      createToken = async () => {
        tokens += 1
        const input = { scopes: ['CONTACTS_READ'], ttlSeconds: 60 }
        const create = 'mutation ($input: AccessTokenCreateInput!) { accessTokenCreate(input: $input) { token } }'
        return (await world.run(create, { input })).accessTokenCreate.token
      }
      const tab = await browser.newPage()
      const faults: string[] = []
      tab.on('pageerror', (error) => faults.push(error.message))
      const settings = JSON.stringify([`http://127.0.0.1:${proxy.port}/graphql`, transport])
      await tab.goto(`${origin}/app#${encodeURIComponent(settings)}`)
      await expect.poll(async () => [await tab.title(), faults]).toEqual(['started', []])
      const first = tokens
      const sent: string[] = []
      for (let cut = 1; cut <= 3; cut += 1) {
        sent.push((await world.contact()).email)
        await tab.getByText(sent.at(-1) ?? '').waitFor()
        await proxy.cut()
        sent.push((await world.contact()).email)
        await proxy.heal()
        await tab.getByText(sent.at(-1) ?? '').waitFor()
      }
      expect(await tab.getByRole('listitem').allTextContents()).toEqual(sent)
      expect(tokens - first).toBeGreaterThanOrEqual(3)
      expect(faults).toEqual([])
      await tab.close()
    },
  )
})
