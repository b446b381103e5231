import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { installPackage } from '../client/installed-package.ts'
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

describe.skipIf(isWithoutBrowser)('the packed client in a browser', { timeout: 120_000 }, () => {
  let browser: Browser
  let files: Server
  let origin: string
  beforeAll(async () => {
    browser = await openBrowser()
    const { folder } = await installPackage()
    files = createServer(async ({ url = '/' }, response) => {
      const text = url === '/' ? page : await readFile(join(folder, url)).catch(() => undefined)
      const type = url === '/' ? 'text/html' : 'text/javascript'
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
})
