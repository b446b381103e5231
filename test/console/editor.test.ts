import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { axeFaults, isWithoutBrowser, openBrowser } from '../browser/chromium.ts'
import { picture } from '../content/pictures.ts'
import type { World } from '../support/world.ts'
import { newConsole, openTab, type Tab } from './open-console.ts'

const Create = 'mutation { campaignCreate(input: { name: "Newsletter", subject: "News" }) { campaign { id } } }'
const Content = 'query ($id: ID!) { campaign(id: $id) { email { content html text } } }'

describe.skipIf(isWithoutBrowser)('the editor of messages', { timeout: 120_000 }, () => {
  let browser: Browser
  let world: World
  let tab: Tab
  let page: Page
  beforeAll(async () => {
    ;[browser, world] = await Promise.all([openBrowser(), newConsole()])
    // Pictures have another origin than the console, as on a server with a host for each.
    tab = await openTab(browser, world, 'OWNER', world.server.url.replace('127.0.0.1', 'localhost'))
    page = tab.page
  })
  afterAll(() => browser?.close())

  const newCampaign = async (): Promise<string> => (await world.run(Create)).campaignCreate.campaign.id
  const emailOf = async (id: string) => (await world.run(Content, { id })).campaign.email
  /** The blocks that are stored. */
  const blocksOf = async (id: string) => {
    const { content } = await emailOf(id)
    return (content?.sections ?? []).flatMap((section: { columns: { blocks: object[] }[] }) =>
      section.columns.flatMap(({ blocks }) => blocks),
    )
  }
  const open = (id: string) => tab.go(`/campaigns/${id}?step=content`)
  const button = (name: string | RegExp) =>
    page.getByRole('button', { name, ...(typeof name === 'string' && { exact: true }) })
  const editor = () => page.getByRole('region', { name: 'Content of the message' })
  const begin = async (id: string) => {
    await open(id)
    await button('Begin with a blank message').click()
    await button(/^Text: Hello/).waitFor()
  }
  const add = async (name: string) => {
    await button('Add').click()
    await page.getByLabel('Search blocks').fill(name)
    await page.getByRole('option', { name, exact: true }).click()
  }

  it('begins with a template, and stores what is written in its place, with fields and formats', async () => {
    const id = await newCampaign()
    await open(id)
    expect(tab.operations.filter((name) => name === 'Campaign').length).toBeLessThanOrEqual(2)
    expect(await axeFaults(page)).toEqual([])
    await button(/^Announcement/).click()
    await button(/^Heading: /)
      .first()
      .click()
    const text = page.getByRole('textbox', { name: 'Heading' })
    await text.press('ControlOrMeta+a')
    await text.pressSequentially('Open house on ')
    await button('Bold').click()
    await text.pressSequentially('Friday')
    await button('Insert a field').click()
    await page.getByRole('menuitem', { name: 'City' }).click()
    await button('City').click()
    await page.getByLabel('If City is empty').fill('Ghent')
    await page.keyboard.press('Escape')
    await expect
      .poll(async () => (await blocksOf(id)).find(({ type }: { type: string }) => type === 'heading')?.content)
      .toEqual([
        { type: 'text', text: 'Open house on ' },
        { type: 'text', text: 'Friday', marks: [{ type: 'bold' }] },
        { type: 'mergeField', attrs: { name: 'CITY', fallback: 'Ghent' } },
      ])
    const frame = page.frameLocator('iframe[title="Preview of the message"]')
    await frame.getByText('Open house on').waitFor()
    expect(await axeFaults(page)).toEqual([])
    expect(tab.faults).toEqual([])
  })

  it('adds, moves, duplicates and removes blocks by keys, and takes each step back', async () => {
    const id = await newCampaign()
    await begin(id)
    await add('Line')
    await add('Space')
    const names = () =>
      editor()
        .locator('.block-view')
        .evaluateAll((all) => all.map((each) => each.getAttribute('data-type')))
    expect(await names()).toEqual(['text', 'divider', 'spacer', 'footer'])
    const said = () => page.locator('[aria-live=assertive]').first().textContent()
    await button('Drag Space').press('Space')
    await expect.poll(said).toContain('Space is at the place of Space')
    await page.keyboard.press('ArrowUp')
    await expect.poll(said).toContain('of Line')
    await page.keyboard.press('ArrowUp')
    await expect.poll(said).toContain('of Text: Hello')
    await page.keyboard.press('Space')
    await expect.poll(names).toEqual(['spacer', 'text', 'divider', 'footer'])
    await button('Move Space down').click()
    await button('Duplicate Space').click()
    await expect.poll(names).toEqual(['text', 'spacer', 'spacer', 'divider', 'footer'])
    await page.keyboard.press('ControlOrMeta+z')
    await page.keyboard.press('ControlOrMeta+z')
    await expect.poll(names).toEqual(['spacer', 'text', 'divider', 'footer'])
    await button('Redo').click()
    await button('Line').press('Delete')
    await expect.poll(names).toEqual(['text', 'spacer', 'footer'])
    await expect
      .poll(async () => (await blocksOf(id)).map(({ type }: { type: string }) => type))
      .toEqual(['text', 'spacer', 'footer'])
  })

  it('copies blocks to another message, and takes a pasted picture with its alternative text', async () => {
    const [one, other] = [await newCampaign(), await newCampaign()]
    await begin(one)
    await button(/^Text: Hello/).click()
    await button('Copy Text').click()
    await begin(other)
    await add('Paste the copied block')
    const bytes = [...(await picture(40, 30).png().toBuffer())]
    await editor().evaluate((element, data) => {
      const transfer = new DataTransfer()
      transfer.items.add(new File([new Uint8Array(data)], 'vase.png', { type: 'image/png' }))
      element.dispatchEvent(new ClipboardEvent('paste', { clipboardData: transfer, bubbles: true, cancelable: true }))
    }, bytes)
    await page.getByLabel('Alternative text').fill('A blue vase')
    await expect
      .poll(async () => (await blocksOf(other)).map(({ type, alt }: { type: string; alt?: string }) => alt ?? type))
      .toEqual([...['text', 'text', 'A blue vase', 'footer']])
    await button('Choose another picture').click()
    const dialog = page.getByRole('dialog', { name: 'Choose a picture' })
    await dialog.getByRole('button', { name: 'vase.png' }).click()
    expect(await axeFaults(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Crop' }).click()
    await dialog.getByText('Square').click()
    await dialog.getByRole('button', { name: 'Cut out' }).click()
    await dialog.getByRole('button', { name: 'Use this picture' }).click()
    const { media } = await world.run('{ media(filter: { search: "part" }) { nodes { width height url } } }')
    expect(media.nodes).toMatchObject([{ width: 30, height: 30 }])
    await expect.poll(async () => (await blocksOf(other))[2]?.src).toBe(media.nodes[0].url)
    expect(tab.faults).toEqual([])
  })

  it('shows a block to some contacts, with their number, and makes it reusable', async () => {
    const id = await newCampaign()
    await begin(id)
    await button(/^Text: Hello/).click()
    await page.getByText('Some contacts', { exact: true }).click()
    await button('Add condition').click()
    await page.getByLabel('Value').fill('example')
    await page.getByLabel('Value').press('Enter')
    await page.getByText(/^[\d,]+ contacts? of the account$/).waitFor()
    await expect.poll(async () => (await blocksOf(id))[0]?.showTo).toEqual({ email: { contains: 'example' } })
    await button('Make it reusable').click()
    await page.getByLabel('Name of the reusable block').fill('Greeting')
    await page.getByLabel('Name of the reusable block').press('Enter')
    await expect
      .poll(async () => (await blocksOf(id))[0])
      .toMatchObject({ type: 'reusable', showTo: { email: { contains: 'example' } } })
    await page.getByText('used in 1 message').waitFor()
    await button('Edit it everywhere').click()
    await page
      .locator('.reusable-editor')
      .getByRole('button', { name: /^Text: / })
      .click()
    await page.locator('.reusable-editor').getByRole('textbox', { name: 'Text' }).pressSequentially(' Welcome.')
    await expect
      .poll(async () =>
        JSON.stringify((await world.run('{ reusableBlocks { nodes { content } } }')).reusableBlocks.nodes),
      )
      .toContain('Welcome.')
    expect(await axeFaults(page)).toEqual([])
  })

  it('keeps what is written without a connection, and overwrites nobody', async () => {
    const id = await newCampaign()
    await begin(id)
    await button(/^Text: Hello/).click()
    const text = page.getByRole('textbox', { name: 'Text' })
    await tab.context.setOffline(true)
    await text.pressSequentially(' Mine.')
    await page.getByText('This is not saved').waitFor()
    const theirs = { version: 1, sections: [{ type: 'section', columns: [{ blocks: [{ type: 'divider' }] }] }] }
    await world.run(
      'mutation ($id: ID!, $content: JSON) { campaignContentSet(input: { id: $id, content: $content }) { campaign { id } } }',
      {
        ...{ id, content: theirs },
      },
    )
    await tab.context.setOffline(false)
    await page.getByText('This was changed meanwhile').waitFor()
    expect((await blocksOf(id)).map(({ type }: { type: string }) => type)).toEqual(['divider'])
    await page.reload()
    await button('Overwrite with mine').click()
    await expect.poll(async () => JSON.stringify(await blocksOf(id))).toContain('Mine.')
  })

  it('saves what was written when another step is opened at once, and sends nothing else than what is shown', async () => {
    const id = await newCampaign()
    await begin(id)
    await button(/^Text: Hello/).click()
    await page.getByRole('textbox', { name: 'Text', exact: true }).pressSequentially(' At once.')
    await button('Next: review').click()
    await expect.poll(async () => JSON.stringify(await blocksOf(id))).toContain('At once.')
    await page.getByText('that are not saved').waitFor({ state: 'detached' })
    await page.getByRole('tab', { name: '2. Content' }).click()
    await button(/^Text: Hello/).click()
    await tab.context.setOffline(true)
    await page.getByRole('textbox', { name: 'Text', exact: true }).pressSequentially(' Not stored.')
    await page.getByText('This is not saved').waitFor()
    await page.getByRole('tab', { name: '3. Review' }).click()
    await page.getByText('The content has changes in this browser that are not saved').waitFor()
    expect(await button('Send now').isDisabled()).toBe(true)
    await tab.context.setOffline(false)
  })

  it('takes HTML and plain text from those who have it', async () => {
    const id = await newCampaign()
    await open(id)
    await button('HTML of your own').click()
    await page.getByLabel('HTML of the message').fill('<p>Hello</p>')
    await expect.poll(async () => (await emailOf(id)).html).toBe('<p>Hello</p>')
    await page.getByText('Plain text', { exact: true }).click()
    await page.getByLabel('Text of the message').fill('Only text')
    await expect.poll(async () => emailOf(id)).toMatchObject({ text: 'Only text', content: null })
    await page.getByText('Only text').last().waitFor()
    await page.setViewportSize({ width: 360, height: 740 })
    await page.getByText('Blocks', { exact: true }).click()
    await button(/^Newsletter/).click()
    await tab.confirm('Replace')
    await button(/^Heading: /)
      .first()
      .click()
    await page.getByRole('textbox', { name: 'Heading' }).waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
    expect(await axeFaults(page)).toEqual([])
  })
})
