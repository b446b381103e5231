import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { axeFaults, isWithoutBrowser, openBrowser } from '../browser/chromium.ts'
import { picture } from '../content/pictures.ts'
import type { World } from '../support/world.ts'
import { newConsole, openTab, type Tab } from './open-console.ts'

const file = (name: string, buffer: Buffer) => ({ name, mimeType: 'image/png', buffer })

describe.skipIf(isWithoutBrowser)('the media library of the console', { timeout: 120_000 }, () => {
  let browser: Browser
  let world: World
  let tab: Tab
  beforeAll(async () => {
    ;[browser, world] = await Promise.all([openBrowser(), newConsole()])
    tab = await openTab(browser, world)
  })
  afterAll(() => browser?.close())

  const cards = (name: string) => tab.page.locator('.media-card', { hasText: name })

  it('stores files that are chosen or dropped, says why one is refused, and shows them with one query', async () => {
    const { page } = tab
    await tab.go('/media')
    expect(tab.operations.filter((name) => name === 'MediaFiles')).toHaveLength(1)
    const [one, two] = [await picture(700, 30).png().toBuffer(), await picture(41, 30).png().toBuffer()]
    await page
      .locator('input[type=file]')
      .setInputFiles([file('chosen.png', one), file('broken.png', Buffer.from('x'))])
    await cards('chosen.png').waitFor()
    await page.getByRole('alert').getByText('broken.png was not stored. The file must be a PNG').waitFor()
    const data = await page.evaluateHandle(
      (bytes) => {
        const transfer = new DataTransfer()
        transfer.items.add(new File([new Uint8Array(bytes)], 'dropped.png', { type: 'image/png' }))
        return transfer
      },
      [...two],
    )
    await page.dispatchEvent('.drop-area', 'drop', { dataTransfer: data })
    await cards('dropped.png').waitFor()
    expect(await axeFaults(page)).toEqual([])
  })

  it('changes the texts of a file, shows its places, replaces it there, and deletes it when it has none', async () => {
    const { page } = tab
    const { nodes } = (await world.run('{ media(filter: { name: { eq: "chosen.png" } }) { nodes { id url } } }')).media
    const campaign = await world.campaign({ name: 'With picture' })
    const set =
      'mutation ($id: ID!, $html: String) { campaignContentSet(input: { id: $id, html: $html }) { campaign { id } } }'
    await world.run(set, { id: campaign.id, html: `<img src="${nodes[0].url}" alt="">` })
    await tab.go('/media?q=chosen')
    expect(await cards('').count()).toBe(1)
    await cards('chosen.png').click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Alternative text').fill('A narrow picture')
    await dialog.getByLabel('Name').fill('renamed.png')
    await dialog.getByLabel('Name').press('Enter')
    const read = async () => {
      const { mediaItem } = await world.run(
        'query ($id: ID!) { mediaItem(id: $id) { name alternativeText } }',
        nodes[0],
      )
      return mediaItem
    }
    await expect.poll(read).toEqual({ name: 'renamed.png', alternativeText: 'A narrow picture' })
    await dialog.getByRole('link', { name: 'With picture' }).waitFor()
    expect(await dialog.getByRole('button', { name: 'Delete' }).count()).toBe(0)
    expect(await axeFaults(page)).toEqual([])
    await dialog.getByRole('combobox', { name: 'Replace with another file, and delete' }).fill('dropped')
    await page.getByRole('option', { name: 'dropped.png' }).click()
    await page
      .getByRole('dialog', { name: 'Delete “renamed.png”?' })
      .getByText(/^1 place will have the other file/)
      .waitFor()
    await tab.confirm('Replace and delete')
    await page.getByText('No file matches.').waitFor()
    const { media } = await world.run('{ media(filter: { name: { eq: "dropped.png" } }) { nodes { hash } } }')
    const { html } = (await world.run('query ($id: ID!) { campaign(id: $id) { email { html } } }', { id: campaign.id }))
      .campaign.email
    expect(html).toContain(`/${media.nodes[0].hash}/`)
    await world.run('mutation ($id: ID!) { campaignDelete(input: { id: $id }) { deletedCampaignId } }', campaign)
    await tab.go('/media?q=dropped')
    await cards('dropped.png').click()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog', { name: 'Delete “dropped.png”?' }).getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No file matches.').waitFor()
  })
})
