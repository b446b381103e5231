import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newServer } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'
import { axeFaults, isWithoutBrowser, openBrowser, phone } from './chromium.ts'

describe.skipIf(isWithoutBrowser)('in a browser', { timeout: 120_000 }, () => {
  let browser: Browser
  let world: World
  beforeAll(async () => {
    ;[browser, world] = await Promise.all([openBrowser(), newWorld()])
  })
  afterAll(() => browser.close())

  /** Opens a page. Collects its requests to `/graphql`, the URLs that it requests, and what its policy blocks. */
  async function open(path: string, { url }: { readonly url: string } = world.server) {
    const context = await browser.newContext()
    const page = await context.newPage()
    const urls: string[] = []
    const keys: (string | undefined)[] = []
    const faults: string[] = []
    page.on('request', (request) => {
      urls.push(request.url())
      if (request.method() === 'POST') keys.push(request.headers()['authorization'])
    })
    page.on('console', (message) => message.type() === 'error' && faults.push(message.text()))
    page.on('pageerror', (error) => faults.push(error.message))
    await page.goto(`${url}${path}`)
    return { page, urls, keys, faults }
  }

  const run = (page: Page) => page.getByRole('button', { name: /execute query/i }).click()
  const result = (page: Page) => page.locator('.result-window')

  it('GraphiQL shows the schema without a key', async () => {
    const { page, keys, faults } = await open('/graphql')
    await page.getByRole('button', { name: 'Show Documentation Explorer' }).click()
    await page.getByRole('link', { name: 'Query', exact: true }).first().click()
    await page.getByText('contacts', { exact: true }).first().waitFor()
    expect(keys.filter((key) => key !== undefined)).toEqual([])
    expect(faults).toEqual([])
    await run(page)
    await result(page).getByText('UNAUTHORIZED').waitFor()
  })

  it('GraphiQL executes with the key of the fragment, and keeps it out of the address and the storage', async () => {
    const { page, urls, keys, faults } = await open(`/graphql#key=${world.mainKey}`)
    await run(page)
    await result(page).getByText('ada@example.com').waitFor()
    expect(keys.at(-1)).toBe(`Bearer ${world.mainKey}`)
    expect(page.url()).not.toContain(world.mainKey)
    expect(urls.filter((url) => url.includes(world.mainKey))).toEqual([])
    const stored = await page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, history.state])',
    )
    expect(stored).not.toContain(world.mainKey)
    expect(faults).toEqual([])

    // The address is typed again in the same window: the browser does not load the page for a new fragment alone.
    const other = await world.key()
    await page.goto(`${world.server.url}/graphql#key=${other}`)
    await expect.poll(() => page.url()).not.toContain(other)
    await run(page)
    await expect.poll(() => keys.at(-1)).toBe(`Bearer ${other}`)
  })

  it('the start page of a server without the console leads to GraphiQL, and is readable for all', async () => {
    const server = await newServer({ CONSOLE: 'off' })
    const { page, urls, faults } = await open('/', server)
    expect(await axeFaults(page, 'moderate')).toEqual([])
    await page.setViewportSize(phone)
    expect(await axeFaults(page, 'moderate')).toEqual([])
    expect(urls.filter((url) => !url.startsWith(server.url))).toEqual([])
    expect(faults).toEqual([])
    await page.getByRole('link', { name: 'GraphiQL' }).click()
    await page.getByRole('button', { name: /execute query/i }).waitFor()
  })
})
