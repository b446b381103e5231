import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { axeFaults, desktop, isWithoutBrowser, openBrowser, phone } from '../browser/chromium.ts'
import type { World } from '../support/world.ts'
import { newConsole, openTab, type Tab } from './open-console.ts'

describe.skipIf(isWithoutBrowser)('the console leads on', { timeout: 120_000 }, () => {
  let browser: Browser
  let world: World
  let tab: Tab
  beforeAll(async () => {
    ;[browser, world] = await Promise.all([openBrowser(), newConsole()])
    tab = await openTab(browser, world)
  })
  afterAll(() => browser?.close())

  const button = (name: string | RegExp) => tab.page.getByRole('button', { name })
  const sentCampaign = async () => {
    const { campaigns } = await world.run(
      '{ campaigns(first: 1, filter: { status: [SENT] }) { nodes { id email { html } } } }',
    )
    return campaigns.nodes[0] as { id: string; email: { html: string } }
  }

  it('from the name of a key and its scopes to the key', async () => {
    const { page } = tab
    await tab.go('/settings?tab=keys')
    await page.getByLabel('Name of the new key').fill('Shop')
    await button('Create key').click()
    await page.getByText('Choose what the key may read or change.').waitFor()
    await page.getByRole('radiogroup', { name: 'Access to Contacts' }).getByText('Read and change').click()
    expect(await axeFaults(page)).toEqual([])
    await button('Create key').click()
    await page.getByRole('status').getByText(/^cmp_/).waitFor()
    const { apiKeys } = await world.run('{ apiKeys(first: 1) { nodes { name scopes } } }')
    expect(apiKeys.nodes).toEqual([{ name: 'Shop', scopes: ['CONTACTS_READ', 'CONTACTS_WRITE'] }])
  })

  it('to the text that a browser may not copy', async () => {
    const { page } = tab
    const { id } = await world.form()
    await tab.go(`/forms/${id}`)
    // As over HTTP, on a host other than the own one.
    await page.evaluate(
      "Object.defineProperty(navigator, 'clipboard', { value: { writeText: () => Promise.reject(new Error('not allowed')) } })",
    )
    await button('Copy link').click()
    await page.getByText(/^The browser does not allow copying\. Copy it from here: http/).waitFor()
  })

  it('to a new object without saying that it does not exist', async () => {
    const { page } = tab
    await tab.go('/campaigns')
    await page.evaluate(`window.headings = new Set(); new MutationObserver(() => {
      for (const each of document.querySelectorAll('h1')) headings.add(each.textContent)
    }).observe(document.body, { subtree: true, childList: true, characterData: true })`)
    await page.route('**/graphql', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 300))
      await route.continue()
    })
    await button('New campaign').click()
    await page.getByRole('heading', { name: 'New campaign', level: 1 }).waitFor()
    await page.unroute('**/graphql')
    expect(await page.evaluate('[...headings]')).not.toContain('Not found')
  })

  it('from a value that could not be saved to another attempt, also after the screen was loaded again', async () => {
    const { page } = tab
    const { id } = await world.contact({ email: 'unsaved@example.com', city: 'Bern' })
    await tab.go(`/contacts/${id}`)
    await page.route('**/graphql', (route) => route.abort())
    await page.getByLabel('City').fill('Basel')
    await page.keyboard.press('Tab')
    await button('Save again').waitFor()
    await page.unroute('**/graphql')
    await tab.go(`/contacts/${id}`)
    await page.getByText('Not saved.').waitFor()
    await button('Save again').click()
    const read = async () =>
      (await world.run('query ($id: ID!) { contact(ref: { id: $id }) { city } }', { id })).contact.city
    await expect.poll(read).toBe('Basel')
    await page.getByText('Not saved.').waitFor({ state: 'detached' })
  })

  it('to the contact that a test message shows', async () => {
    const { page } = tab
    const { id: campaignId } = await world.campaign({ subject: 'For {{FIRST_NAME}}' })
    await world.contact({ email: 'zelda@example.com', firstName: 'Zelda' })
    await tab.go(`/campaigns/${campaignId}?step=review`)
    await page.getByRole('combobox', { name: 'Preview as a contact' }).fill('zelda')
    await page.getByRole('option', { name: /zelda@example.com/ }).click()
    await page.getByText('The test shows the data of Zelda').waitFor()
    await page.getByLabel('Addresses for a test').fill('me@example.com, you@example.com')
    await button('Send a test').click()
    const mails = async () => (await fetch(`${world.server.url}/dev/mail`)).text()
    await expect.poll(mails).toContain('[Test] For Zelda')
  })

  it('from a campaign that was cancelled to its copy, and not to sending it', async () => {
    const { campaigns } = await world.run(
      '{ campaigns(filter: { search: "cancelled" }) { nodes { id check { canSend } } } }',
    )
    const { id } = campaigns.nodes.find(({ check }: { check: object | null }) => check === null)
    await tab.go(`/campaigns/${id}?step=review`)
    await tab.page.getByText('Duplicate it to send it.').waitFor()
    expect(await tab.page.getByText('The campaign can be sent.').count()).toBe(0)
  })

  it('from a figure of a report to its contacts, and to links that no one followed', async () => {
    const { page } = tab
    const { id } = await sentCampaign()
    await tab.go(`/campaigns/${id}`)
    await page.getByRole('link', { name: 'Bounced' }).click()
    await page.getByRole('table', { name: 'Contacts: Bounced' }).or(page.getByText('No message: bounced.')).waitFor()
    expect(new URL(page.url()).searchParams.get('show')).toBe('bounced')
    const html = '<p><a href="https://example.com/unseen">See</a></p>'
    const draft = await world.campaign()
    await world.run(
      'mutation ($input: CampaignContentSetInput!) { campaignContentSet(input: $input) { campaign { id } } }',
      { input: { id: draft.id, html } },
    )
    await world.rows("UPDATE campaign SET status = 'SENT', sent_at = now() WHERE account_id = $1 AND id = $2", [
      world.accountId,
      draft.databaseId,
    ])
    await tab.go(`/campaigns/${draft.id}`)
    await page.getByRole('table', { name: 'Links' }).getByText('example.com/unseen').waitFor()
  })

  it('from a list that may not be read to the reason, and not to an empty list', async () => {
    const analyst = await openTab(browser, world, 'ANALYST')
    await analyst.go('/settings?tab=keys')
    await analyst.page.getByText('This could not be read.').waitFor()
    expect(await analyst.page.getByText('There are no keys').count()).toBe(0)
    await analyst.context.close()
  })

  it('from a lost connection to another attempt, and not to an empty list', async () => {
    const { page } = tab
    await tab.go('/settings')
    await page.route('**/graphql', (route) => route.abort())
    await page.getByRole('link', { name: 'Campaigns' }).click()
    await button('Try again').waitFor()
    expect(await page.getByText('There are no campaigns').count()).toBe(0)
    await page.unroute('**/graphql')
    await button('Try again').click()
    await page.getByRole('table', { name: 'Campaigns' }).waitFor()
  })

  it('from a stage that is not complete to what it lacks, by its name', async () => {
    const { page } = tab
    const { id } = await world.sequence()
    await tab.go(`/sequences/${id}`)
    await button('Add stage').click()
    await page.getByRole('menuitem', { name: 'E-mail' }).click()
    await page.getByLabel('Subject', { exact: true }).fill('Welcome')
    await page.keyboard.press('Tab')
    await page.getByLabel('Step 1 is active').press('Space')
    await page.getByText(/Content: Is required for the active stage “Step 1”/).waitFor()
  })

  it('to the hottest lead first', async () => {
    await tab.go('')
    const { submissions } = await world.run(
      '{ submissions(first: 6, filter: { bucket: [HOT] }, orderBy: { field: SCORE, direction: DESC }) { nodes { score } } }',
    )
    const scores = submissions.nodes.map(({ score }: { score: string }) => Number(score))
    const shown = await tab.page
      .locator('section', { has: tab.page.getByRole('heading', { name: 'Hot leads' }) })
      .getByText(/ points?$/)
      .allTextContents()
    expect(shown.map((text) => Number.parseFloat(text.replace(',', '')))).toEqual(scores)
  })

  it('from a contact to all its data, to the contact that gets it, and to its erasure', async () => {
    const { page } = tab
    const twice = await world.contact({ email: 'ada.old@example.com', firstName: 'Ada', lastName: 'Old' })
    const kept = await world.contact({ email: 'ada.kept@example.com', firstName: 'Ada', lastName: 'Kept' })
    const choose = async (item: string) => {
      await button('More actions').click()
      await page.getByRole('menuitem', { name: item }).click()
      await page.getByRole('menu').waitFor({ state: 'detached' })
    }
    await tab.go(`/contacts/${twice.id}`)
    const [download] = await Promise.all([page.waitForEvent('download'), choose('Export all data')])
    expect(download.suggestedFilename()).toMatch(/[.]zip$/)
    await choose('Merge into another contact')
    const dialog = page.getByRole('dialog')
    expect(await axeFaults(page)).toEqual([])
    const merge = dialog.getByRole('button', { name: 'Merge', exact: true })
    expect(await merge.isDisabled()).toBe(true)
    await dialog.getByLabel('Contact that remains').pressSequentially('ada')
    await page.getByRole('option', { name: 'Ada Kept <ada.kept@example.com>' }).click()
    expect(await page.getByRole('option', { name: /Ada Old/ }).count()).toBe(0)
    await merge.click()
    await page.getByRole('heading', { name: 'Ada Kept' }).waitFor()
    const idOf = async (id: string) =>
      (await world.run('query ($id: ID!) { contact(ref: { id: $id }) { email } }', { id })).contact?.email
    expect([await idOf(twice.id), await idOf(kept.id)]).toEqual([undefined, 'ada.kept@example.com'])
    await choose('Erase this person')
    expect(await axeFaults(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Erase', exact: true }).click()
    await page.getByRole('heading', { name: 'Contacts', exact: true }).waitFor()
    expect(await idOf(kept.id)).toBeUndefined()
  })

  it('from the seller to what invoices say, and never over what another person wrote meanwhile', async () => {
    const { page } = tab
    await tab.go('/settings?tab=invoices')
    const write = async (name: string, text: string) => {
      await page.getByRole('textbox', { name, exact: true }).fill(text)
      await page.getByRole('textbox', { name, exact: true }).blur()
    }
    const stored = async () =>
      (await world.run('{ billingProfile { address vatNumber footer vatRounding } }')).billingProfile
    await write('Postal address', '1 Bell Street\n1000 Tower')
    await write('VAT number', 'FR12345678901')
    await page.getByLabel('VAT is rounded').selectOption('for each line')
    const saved = { address: '1 Bell Street\n1000 Tower', vatNumber: 'FR12345678901', vatRounding: 'LINE' }
    await expect.poll(stored).toMatchObject(saved)
    expect(await axeFaults(page)).toEqual([])
    await tab.settled()
    await world.run('mutation { billingProfileUpdate(input: { footer: "Theirs" }) { billingProfile { footer } } }')
    await write('Footer of each page', 'Ours')
    await page.getByText(/changed/).waitFor()
    expect(await stored()).toMatchObject({ ...saved, footer: 'Theirs' })
  })

  it('from an account without a time zone to one for all that is typed and shown', async () => {
    const { page } = tab
    await world.run('mutation { accountUpdate(input: { timezone: null }) { account { id } } }')
    const { campaigns } = await world.run('{ campaigns(first: 1, filter: { status: [SENT] }) { nodes { id } } }')
    const copy = 'mutation ($id: ID!) { campaignDuplicate(input: { id: $id }) { campaign { id } } }'
    const { id } = (await world.run(copy, { id: campaigns.nodes[0].id })).campaignDuplicate.campaign
    await tab.go(`/campaigns/${id}?step=review`)
    const field = page.getByRole('textbox', { name: 'Send later' })
    await field.fill('2027-01-15T18:00')
    await page.getByText('In the time zone Europe/Paris').waitFor()
    await button('Schedule').click()
    // The domain of the sender is not verified.
    await tab.confirm('Schedule')
    await page.getByText('Will be sent 15 Jan 2027, 18:00 (Europe/Paris).').waitFor()
    const { campaign } = await world.run('query ($id: ID!) { campaign(id: $id) { scheduledFor } }', { id })
    expect(campaign.scheduledFor).toBe('2027-01-15T17:00:00.000Z')
    await tab.go('')
    await page.getByText('Times are in Europe/Paris until the account has a time zone of its own.').waitFor()
    expect(await axeFaults(page)).toEqual([])
    await button('Use America/New York').click()
    await page.getByText('In which time zone do you work?').waitFor({ state: 'detached' })
    expect((await world.run('{ account { timezone } }')).account.timezone).toBe('America/New_York')
  })

  it('from a part of its name to a time zone', async () => {
    const { page } = tab
    await tab.go('/settings')
    await page.getByRole('combobox', { name: 'Time zone' }).fill('lisbon')
    await page.getByRole('option', { name: 'Europe/Lisbon' }).click()
    const read = async () => (await world.run('{ account { timezone } }')).account.timezone
    await expect.poll(read).toBe('Europe/Lisbon')
    await page.getByRole('combobox', { name: 'Currency' }).fill('swiss')
    await page.getByRole('option', { name: 'CHF – Swiss Franc' }).waitFor()
    await page.keyboard.press('Escape')
  })

  it('to the import that runs', async () => {
    const { page } = tab
    await tab.go('/contacts/import')
    const file = { name: 'newest.csv', mimeType: 'text/csv', buffer: Buffer.from('email\nnewest@example.com\n') }
    await page.locator('input[type=file]').setInputFiles(file)
    await button('Check the file').click()
    await page.getByRole('table', { name: 'Last imports' }).getByText('newest.csv').waitFor()
  })

  it('from a session and the audit log to words', async () => {
    const { page } = tab
    await world.rows('UPDATE session SET user_agent = $2 WHERE account_id = $1', [
      world.accountId,
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
    ])
    await tab.go('/settings?tab=users')
    await page.getByRole('table', { name: 'Your sessions' }).getByText('Chrome 141 on Linux').first().waitFor()
    await tab.go('/settings?tab=audit%20log')
    await page.getByRole('table', { name: 'Audit log' }).getByText('Account changed').first().waitFor()
  })

  it('through a question that names the object, and can be declined', async () => {
    const { page } = tab
    const { id } = await world.campaign({ name: 'Kept' })
    await tab.go(`/campaigns/${id}`)
    const drop = async () => {
      await button('More actions').click()
      await page.getByRole('menuitem', { name: 'Delete' }).click()
      await page.getByRole('dialog', { name: 'Delete “Kept”?' }).waitFor()
    }
    await drop()
    await page.getByRole('menu').waitFor({ state: 'detached' })
    expect(await axeFaults(page)).toEqual([])
    await tab.confirm('Cancel')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await drop()
    await tab.confirm('Delete')
    await page.waitForURL(/\/campaigns$/)
    const { campaign } = await world.run('query ($id: ID!) { campaign(id: $id) { id } }', { id })
    expect(campaign).toBeNull()
  })

  it('on a phone from the content of a campaign to sending it', async () => {
    const { page } = tab
    const { id } = await world.campaign()
    await page.setViewportSize(phone)
    await tab.go(`/campaigns/${id}`)
    await button('Next: content').click()
    await page.getByRole('heading', { name: 'Content', level: 2 }).waitFor()
    await button('Next: review').click()
    await button('Send now').waitFor()
    await page.setViewportSize(desktop)
  })
})
