import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { axeFaults, isWithoutBrowser, openBrowser } from '../browser/chromium.ts'
import type { World } from '../support/world.ts'
import { newConsole, openTab, type Tab } from './open-console.ts'

describe.skipIf(isWithoutBrowser)('a user of the console', { timeout: 240_000 }, () => {
  let browser: Browser
  let world: World
  let tab: Tab
  beforeAll(async () => {
    ;[browser, world] = await Promise.all([openBrowser(), newConsole()])
    tab = await openTab(browser, world)
  })
  afterAll(() => browser?.close())

  it('sees what happens, without a reload', async () => {
    await tab.go('')
    await world.contact({ email: 'live@example.com', firstName: 'Liv', lastName: 'Now' })
    await tab.page.getByText('Liv Now').waitFor()
    expect(tab.operations.filter((name) => name === 'Overview')).toHaveLength(1)
  })

  it('finds objects of all kinds by the keyboard, and opens their screens', async () => {
    const { page } = tab
    const find = async (words: string, name: string) => {
      await tab.go('')
      await page.keyboard.press('Control+k')
      await page.getByRole('textbox', { name: 'Search' }).fill(words)
      await page.getByRole('button', { name }).waitFor()
      expect(await axeFaults(page)).toEqual([])
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
    }
    const { id } = await world.contact({ email: 'emma.find@example.com', firstName: 'Emma', lastName: 'Findable' })
    await find('emma find', 'Emma Findable')
    await page.getByRole('heading', { name: 'Emma Findable' }).waitFor()
    expect(decodeURIComponent(new URL(page.url()).pathname)).toBe(`/console/contacts/${id}`)
    await world.campaign({ name: 'Spring findings' })
    await find('spring finding', 'Spring findings')
    await page.getByRole('heading', { name: 'Spring findings' }).waitFor()
    await world.order({ idOrder: 'shop-4711' })
    await find('4711', 'shop-4711')
    await page.getByRole('cell', { name: 'shop-4711' }).first().waitFor()
    const tag = await world.tag('wholesale buyers')
    await find('wholesale buy', 'wholesale buyers')
    await expect.poll(() => decodeURIComponent(new URL(page.url()).search)).toContain(`"${tag.databaseId}"`)
  })

  it('lists contacts by the keyboard, and the address contains the search', async () => {
    const { page } = tab
    await tab.go('')
    await page.keyboard.press('Control+k')
    await page.getByRole('textbox', { name: 'Search' }).fill('Liv Now')
    await page.getByRole('button', { name: 'List contacts that match' }).click()
    await page.getByRole('link', { name: 'Liv Now' }).waitFor()
    expect(new URL(page.url()).search).toContain('q=Liv')
  })

  it('changes a contact, and reads at the field why a value is refused', async () => {
    const { page } = tab
    const { id } = await world.contact({ email: 'edit@example.com', firstName: 'Old' })
    await tab.go(`/contacts/${id}`)
    const read = async () =>
      (await world.run('query ($id: ID!) { contact(ref: { id: $id }) { email firstName tags { name } } }', { id }))
        .contact
    await page.getByLabel('First name').fill('New')
    await page.keyboard.press('Tab')
    await page.getByRole('heading', { name: 'New' }).waitFor()
    await expect.poll(read).toMatchObject({ firstName: 'New' })
    await page.getByLabel('E-mail', { exact: true }).fill('not an address')
    await page.keyboard.press('Tab')
    await page.getByText('Must be a valid e-mail address.').waitFor()
    expect(await read()).toMatchObject({ email: 'edit@example.com' })
    await page.getByText('edit@example.com · added').waitFor()
    await page.getByLabel('E-mail', { exact: true }).press('Escape')
    await page.getByPlaceholder('Add a tag').fill('console-tag')
    await page.keyboard.press('Enter')
    await expect.poll(read).toMatchObject({ tags: [{ name: 'console-tag' }] })
  })

  it('keeps what was typed when the connection is lost', async () => {
    const { page } = tab
    const { id } = await world.contact({ email: 'offline@example.com', city: 'Bern' })
    await tab.go(`/contacts/${id}`)
    await page.route('**/graphql', (route) => route.abort())
    await page.getByLabel('City').fill('Basel')
    await page.keyboard.press('Tab')
    await page.getByText('The server could not be reached. Nothing was changed.').waitFor()
    await page.unroute('**/graphql')
    await tab.go(`/contacts/${id}`)
    await expect.poll(() => page.getByLabel('City').inputValue()).toBe('Basel')
  })

  it('does not overwrite what another person changed meanwhile, unless asked to', async () => {
    const { page } = tab
    const { id } = await world.contact({ email: 'shared@example.com', city: 'Bern', phone: '1' })
    const update = (input: object) =>
      world.run('mutation ($input: ContactUpdateInput!) { contactUpdate(input: $input) { contact { id } } }', {
        input: { contact: { id }, ...input },
      })
    const read = async () =>
      (await world.run('query ($id: ID!) { contact(ref: { id: $id }) { city phone } }', { id })).contact
    await tab.go(`/contacts/${id}`)
    await page.getByLabel('City').waitFor()
    await page.getByLabel('City').fill('Basel')
    await update({ phone: '2' })
    await page.keyboard.press('Tab')
    await expect.poll(read).toEqual({ city: 'Basel', phone: '2' })

    await page.getByLabel('City').fill('Biel')
    await update({ city: 'Chur' })
    await page.keyboard.press('Tab')
    await page.getByText('It was changed to “Chur” meanwhile.').waitFor()
    expect(await read()).toEqual({ city: 'Chur', phone: '2' })
    await page.getByRole('button', { name: 'Overwrite' }).click()
    await expect.poll(read).toEqual({ city: 'Biel', phone: '2' })
  })

  it('writes, checks and sends a campaign', async () => {
    const { page } = tab
    await world.contact({ email: 'reader@example.com', emailMarketing: true })
    await world.run(
      'mutation ($input: CustomFieldCreateInput!) { customFieldCreate(input: $input) { customField { id } } }',
      {
        input: { name: 'Favourite kiln', type: 'TEXT' },
      },
    )
    await tab.go('/campaigns')
    await page.getByRole('button', { name: 'New campaign' }).click()
    await page.getByLabel('All contacts').click()
    await page.getByRole('button', { name: 'Next: content' }).click()
    await page.getByLabel('Subject').fill('Fresh from the kiln')
    await page.keyboard.press('Tab')
    await page.getByRole('button', { name: 'Begin with a blank message' }).click()
    await page.getByRole('button', { name: /^Text: Hello/ }).click()
    await page.getByRole('textbox', { name: 'Text', exact: true }).pressSequentially(' your kiln is ')
    await page.getByRole('button', { name: 'Insert a field' }).click()
    await page.getByRole('menuitem', { name: 'Favourite kiln' }).click()
    await page.frameLocator('iframe[title="Preview of the message"]').getByText('your kiln is').waitFor()
    await page.getByRole('button', { name: 'Next: review' }).click()
    const send = page.getByRole('button', { name: 'Send now' })
    await expect.poll(() => send.isEnabled()).toBe(true)
    await send.click()
    await tab.confirm('Send now')
    const id = new URL(page.url()).pathname.split('/').at(-1)
    const status = async () =>
      (await world.run('query ($id: ID!) { campaign(id: $id) { status } }', { id })).campaign.status
    await expect.poll(status).toMatch(/SENDING|SENT/)
  })

  it('finds who clicked in a campaign, and adds them to a sequence', async () => {
    const { page } = tab
    const found = await world.run(
      `{ campaigns(first: 20, filter: { status: [SENT] }) { nodes { id databaseId recipients(filter: { clickedAt: { exists: true } }) { totalCount } } }
        sequences(first: 1) { nodes { id name } } }`,
    )
    const [sequence] = found.sequences.nodes
    const campaign = found.campaigns.nodes.find(
      ({ recipients }: { recipients: { totalCount: number } }) => recipients.totalCount > 0,
    )
    await tab.go(`/campaigns/${campaign.id}`)
    await page.getByRole('link', { name: 'Open in contacts' }).click()
    await page.getByRole('button', { name: /^Remove condition/ }).waitFor()
    await page
      .getByRole('checkbox', { name: /^Select .*@/ })
      .first()
      .waitFor()
    await page.getByLabel('Select all rows of this page').check()
    await page.getByRole('combobox', { name: 'Add to sequence' }).click()
    await page.getByRole('option', { name: sequence.name, exact: true }).click()
    await page.getByText(/contacts? changed/).waitFor()
    const enrolled = `query ($campaign: ID!, $sequence: ID!) { contacts(filter: {
      campaignsClicked: { any: [$campaign] }, sequences: { none: [$sequence] } }) { totalCount } }`
    const others = () => world.run(enrolled, { campaign: campaign.id, sequence: sequence.id })
    await expect.poll(async () => (await others()).contacts.totalCount).toBe(0)
  })

  it('chooses from more objects than a list shows', async () => {
    const { page } = tab
    await world.rows(
      "INSERT INTO tag (account_id, name, created_at) SELECT $1, 'many ' || lpad(n::text, 3, '0'), now() FROM generate_series(1, 120) n",
      [world.accountId],
    )
    const { id } = await world.contact({ email: 'picker@example.com' })
    await tab.go('/contacts?q=picker')
    await page.getByRole('checkbox', { name: 'Select picker@example.com' }).check()
    const choice = page.getByRole('combobox', { name: 'Add tag' })
    await choice.click()
    await page.getByText('Type a part of the name to find others').waitFor()
    await choice.fill('many 117')
    await page.getByRole('option', { name: 'many 117' }).click()
    const read = () => world.run('query ($id: ID!) { contact(ref: { id: $id }) { tags { name } } }', { id })
    await expect.poll(async () => (await read()).contact.tags).toEqual([{ name: 'many 117' }])
  })

  it('creates a tag where contacts are tagged, and none that exists', async () => {
    const { page } = tab
    await world.tag('Spring fair')
    const { id } = await world.contact({ email: 'tagged@example.com' })
    await tab.go('/contacts?q=tagged@example.com')
    await page.getByRole('checkbox', { name: 'Select tagged@example.com' }).check()
    const choice = page.getByRole('combobox', { name: 'Add tag' })
    await choice.fill('spring FAIR')
    await page.getByRole('option', { name: 'Spring fair' }).waitFor()
    expect(await page.getByRole('option').count()).toBe(1)
    await choice.fill('autumn fair')
    await page.getByRole('option', { name: 'Create “autumn fair”' }).click()
    const read = () => world.run('query ($id: ID!) { contact(ref: { id: $id }) { tags { name } } }', { id })
    await expect.poll(async () => (await read()).contact.tags).toEqual([{ name: 'autumn fair' }])
  })

  it('refunds an order', async () => {
    const { page } = tab
    await tab.go('/sales?status=COMPLETED')
    const refund = page.getByRole('button', { name: /^Refund order/ }).first()
    const idOrder = (await refund.getAttribute('aria-label'))?.replace('Refund order ', '')
    await refund.click()
    await tab.confirm('Refund')
    await page.getByText(`The order ${idOrder} was refunded.`).waitFor()
    const read = 'query ($s: String!) { orders(filter: { search: $s }) { nodes { idOrder status } } }'
    const { orders } = await world.run(read, { s: idOrder })
    expect(orders.nodes.find((each: { idOrder: string }) => each.idOrder === idOrder)).toMatchObject({
      status: 'REFUNDED',
    })
  })

  it('refunds a part of an order with a credit note, and sees revenue change without a reload', async () => {
    const { page } = tab
    const order = await world.order({ idOrder: 'part-4712', status: 'COMPLETED', amount: '50.00' })
    await world.invoice({ orderId: order.id })
    const revenue = (label: string) => page.getByText(label, { exact: true }).locator('..').innerText()
    await tab.go('/sales?q=part-4712')
    const before = await revenue('Revenue, 30 days')
    await page.getByRole('button', { name: 'Refund order part-4712' }).click()
    const amount = page.getByLabel('Amount in EUR')
    await expect.poll(() => amount.inputValue()).toBe('50.00')
    await page.getByLabel('Reason on the credit note').fill('A chip in the glaze')
    expect(await axeFaults(page)).toEqual([])
    await amount.fill('50,01')
    await tab.confirm('Refund')
    await page.getByText('Must not exceed the amount of 50 EUR that is left of the order').waitFor()
    await amount.fill('20,00')
    await tab.confirm('Refund')
    await page.getByText(/of the order part-4712 was refunded\. Credit note CN-\d+ was issued\./).waitFor()
    await page.getByText(/20[.,]00.* refunded$/).waitFor()
    await page.getByText('buyer@example.com · A chip in the glaze', { exact: true }).waitFor()
    await expect.poll(() => revenue('Revenue, 30 days')).not.toBe(before)

    await tab.go('')
    const shown = await revenue('Revenue')
    tab.operations.length = 0
    await world.run('mutation ($id: ID!) { orderRefund(input: { id: $id }) { order { status } } }', { id: order.id })
    await expect.poll(() => revenue('Revenue'), { timeout: 60_000 }).not.toBe(shown)
    expect(tab.operations.filter((name) => name === 'Overview')).toHaveLength(1)
  })

  it('signs out, and the session is over', async () => {
    await tab.go('')
    await tab.page.getByRole('button', { name: 'Sign out' }).click()
    await tab.page.getByRole('heading', { name: 'You are not signed in' }).waitFor()
    await tab.page.goto(`${world.server.url}/console`)
    await tab.page.getByRole('heading', { name: 'You are not signed in' }).waitFor()
  })
})
