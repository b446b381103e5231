import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { axeFaults, desktop, isWithoutBrowser, openBrowser, phone } from '../browser/chromium.ts'
import { newUser, signIn, signInAgain } from '../support/session.ts'
import type { World } from '../support/world.ts'
import { newConsole, openTab, type Tab } from './open-console.ts'

describe.skipIf(isWithoutBrowser)('a user of the console', { timeout: 240_000 }, () => {
  let browser: Browser
  let world: World
  let tab: Tab
  beforeAll(async () => {
    ;[browser, world] = await Promise.all([openBrowser(), newConsole()])
    tab = await openTab(browser, world)
    // The demonstration data has an owner who never signs in.
    await world.rows('UPDATE "user" SET removed_at = now() WHERE account_id = $1 AND signed_in_at IS NULL', [
      world.accountId,
    ])
  }, 240_000)
  afterAll(() => browser?.close())

  const overflow = () => tab.page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
  const usersNow = async () =>
    (await world.run('{ users(filter: { removed: false }) { nodes { email role } } }')).users.nodes as {
      email: string
      role: string
    }[]
  const roleOf = async (email: string) => (await usersNow()).find((user) => user.email === email)?.role

  it('invites a person with a role, sends the invitation again, and withdraws it', async () => {
    const { page } = tab
    await tab.go('/settings?tab=users')
    await page.getByLabel('E-mail of the new user').fill('no address')
    await page.keyboard.press('Enter')
    await page.getByText('Must be a valid e-mail address.').waitFor()
    await page.getByLabel('E-mail of the new user').fill('invited@example.com')
    await page.getByRole('combobox', { name: 'Role of the new user' }).click()
    await page.getByRole('option', { name: 'Analyst' }).click()
    await page.getByRole('button', { name: 'Invite' }).click()
    const pending = page.getByRole('table', { name: 'Pending invitations' })
    await pending.getByText('invited@example.com').waitFor()
    expect(await roleOf('invited@example.com')).toBe('ANALYST')
    const sent = () => world.announced('user.invited')
    const before = (await sent()).length
    await page.getByRole('button', { name: 'Send again to invited@example.com' }).click()
    await expect.poll(async () => (await sent()).length).toBe(before + 1)
    expect(await axeFaults(page)).toEqual([])
    await page.getByRole('button', { name: 'Withdraw invited@example.com' }).click()
    await tab.confirm('Withdraw')
    await pending.getByText('invited@example.com').waitFor({ state: 'detached' })
    expect(await roleOf('invited@example.com')).toBeUndefined()
  })

  it('invites an analyst, who signs in with the link and can read everything but change nothing', async () => {
    const { url } = world.server
    await tab.go('/settings?tab=users')
    await tab.page.getByLabel('E-mail of the new user').fill('analyst.new@example.com')
    await tab.page.getByRole('combobox', { name: 'Role of the new user' }).click()
    await tab.page.getByRole('option', { name: 'Analyst' }).click()
    await tab.page.getByRole('button', { name: 'Invite' }).click()
    const mailOf = async () =>
      /analyst\.new@example\.com<[\s\S]*?href="(\/dev\/mail\/[^"]+)"/.exec(
        await (await fetch(`${url}/dev/mail`)).text(),
      )?.[1]
    await expect.poll(mailOf).toBeDefined()
    const mail = await (await fetch(`${url}${await mailOf()}`)).text()
    const link = /\/console\/sign-in\/[\w-]+/.exec(mail)?.[0] ?? ''

    const context = await browser.newContext({ viewport: desktop, locale: 'en-GB' })
    const page = await context.newPage()
    await page.goto(`${url}${link}`)
    await page.getByRole('button').click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.getByText('analyst.new@example.com').waitFor()
    const ids = await world.run(
      '{ contacts(first: 1) { nodes { id } } draft: campaigns(first: 1, filter: { status: [DRAFT] }) { nodes { id } } forms(first: 1) { nodes { id } } }',
    )
    const [contact, draft] = [ids.contacts.nodes[0].id, ids.draft.nodes[0].id]
    const changes =
      /^(New|Add|Create|Save|Send(?!ing)|Schedule|Publish|Remove|Delete|Refund|Complete|Invite|Withdraw|Import|Check again)/
    for (const path of [`/contacts/${contact}`, '/contacts', `/campaigns/${draft}`, '/sales', '/settings?tab=users']) {
      await page.goto(`${url}/console${path}`)
      await page.locator('#main [aria-busy=true]').waitFor({ state: 'detached' })
      await page.locator('#main section, #main table').first().waitFor()
      const enabled = await page.locator('#main button:enabled:not([aria-disabled=true])').all()
      const names = await Promise.all(
        enabled.map(async (each) => (await each.textContent()) || each.getAttribute('aria-label')),
      )
      expect(
        names.filter((name) => changes.test(name ?? '')),
        path,
      ).toEqual([])
      if (path.includes(draft) || path.includes(contact)) {
        expect(await page.locator('#main input:enabled:not([placeholder^="Preview"])').count(), path).toBe(0)
      }
    }
    const ask = (query: string, input: object) =>
      page.evaluate(
        async (body) =>
          (
            await fetch('/graphql', {
              method: 'POST',
              body,
              headers: { 'content-type': 'application/json', 'x-campanile-console': '1' },
            })
          ).json(),
        JSON.stringify({ query, variables: { input } }),
      )
    const [me] = await world.rows<{ id: number }>('SELECT id FROM "user" WHERE email = \'analyst.new@example.com\'')
    for (const [name, input] of [
      ['contactUpdate', { contact: { id: contact }, firstName: 'Changed' }],
      ['campaignSend', { id: draft }],
      ['userUpdate', { id: me?.id, role: 'OWNER' }],
      ['userInvite', { email: 'friend@example.com', role: 'OWNER' }],
      ['apiKeyCreate', { name: 'mine' }],
    ] as const) {
      const type = `${name[0]?.toUpperCase()}${name.slice(1)}Input`
      const { errors } = await ask(`mutation ($input: ${type}!) { ${name}(input: $input) { __typename } }`, input)
      expect(errors?.[0]?.extensions?.code, name).toBe('FORBIDDEN')
    }
    expect(await roleOf('analyst.new@example.com')).toBe('ANALYST')
    await context.close()
    // The link was used, and does not sign another browser in.
    const again = await fetch(`${url}${link}`, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'sec-fetch-site': 'same-origin' },
    })
    expect(again.headers.getSetCookie()).toEqual([])
  })

  it('changes a role, reads why a change is refused, and removes a user', async () => {
    const { page } = tab
    const colleague = await signIn(world, 'EDITOR', 'colleague@example.com')
    await tab.go('/settings?tab=users')
    const choose = async (email: string, role: string) => {
      await page.getByRole('combobox', { name: `Role of ${email}` }).click()
      await page.getByRole('option', { name: role }).click()
    }
    await choose(colleague.email, 'Administrator')
    await expect.poll(() => roleOf(colleague.email)).toBe('ADMIN')
    const owners = (await usersNow()).filter(({ role }) => role === 'OWNER')
    expect(owners).toHaveLength(1)
    await choose(owners[0]?.email ?? '', 'Analyst')
    await page.getByText('The account must keep an owner.').waitFor()
    expect(await roleOf(owners[0]?.email ?? '')).toBe('OWNER')
    await page.getByRole('button', { name: `Remove ${colleague.email}` }).click()
    await tab.confirm('Remove')
    await expect.poll(() => roleOf(colleague.email)).toBeUndefined()
    await page.setViewportSize({ width: 360, height: 780 })
    await expect.poll(overflow).toBeLessThanOrEqual(0)
    const beyond = `[...document.querySelectorAll('[role=region]')].filter((each) => each.scrollWidth > each.clientWidth)
      .map((each) => each.ariaLabel)`
    await expect.poll(() => page.evaluate(beyond)).toEqual([])
    await page.setViewportSize(desktop)
  })

  it('ends the other sessions, and keeps the current one', async () => {
    const { page } = tab
    const me = (await usersNow()).find(({ role }) => role === 'OWNER')
    const [row] = await world.rows<{ id: number }>('SELECT id FROM "user" WHERE account_id = $1 AND email = $2', [
      world.accountId,
      me?.email,
    ])
    const mine = { id: row?.id ?? 0, email: me?.email ?? '' }
    for (let count = 0; count < 2; count += 1) await signInAgain(world, mine)
    await tab.go('/settings?tab=users')
    const sessions = page.getByRole('table', { name: 'Your sessions' })
    await expect.poll(() => sessions.getByRole('row').count()).toBe(4)
    await sessions.getByRole('button', { name: 'End the session of' }).first().click()
    await expect.poll(() => sessions.getByRole('row').count()).toBe(3)
    await page.getByRole('button', { name: 'End all others' }).click()
    await expect.poll(() => sessions.getByRole('row').count()).toBe(2)
    await sessions.getByText('This one').waitFor()
  })

  it('imports a file with a mapping of its columns, and sees the progress and the lines with errors', async () => {
    const { page } = tab
    await newUser(world, 'ANALYST')
    await tab.go('/contacts')
    await page.getByRole('link', { name: 'Import' }).click()
    await page.getByRole('heading', { name: 'Import contacts' }).waitFor()
    const csv =
      'sep=;\nE-mail;Vorname;Mail;Notes\nlena@example.com;Lena;;"a; b"\nnot an address;Max;;x\nomar@example.com;Omar;;5" y\n'
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) })
    const target = (column: string) => page.getByRole('combobox', { name: `Field of the column ${column}` })
    await expect.poll(() => target('E-mail').inputValue()).toBe('E-mail')
    await page.getByText('a; b').waitFor()
    await target('Vorname').click()
    await page.getByRole('option', { name: 'First name' }).click()
    await page.getByRole('combobox', { name: 'Encoding' }).click()
    await page.getByRole('option', { name: 'Windows-1252' }).click()
    await expect.poll(() => target('Vorname').inputValue()).toBe('By its name')
    await target('Vorname').click()
    await page.getByRole('option', { name: 'First name' }).click()
    await page.getByRole('combobox', { name: 'Order of dates' }).click()
    await page.getByRole('option', { name: 'Day, month, year' }).click()
    expect(await axeFaults(page)).toEqual([])
    await page.getByRole('button', { name: 'Check the file' }).click()
    await page.getByRole('button', { name: 'Import 3 rows' }).click()
    await page.getByText('3 of 3 rows: 2 created, 0 updated, 0 unchanged, 1 with errors, 1 warning').waitFor()
    const errors = page.getByRole('table', { name: 'Lines that were not imported' })
    const last = errors.getByRole('row').last()
    await expect.poll(() => last.innerText()).toMatch(/^4\s+E-mail\s+Must be a valid e-mail address\.$/)
    expect(await axeFaults(page)).toEqual([])
    const groups = page.getByRole('table', { name: 'Errors and warnings' })
    await expect
      .poll(() => groups.getByRole('row').last().innerText())
      .toMatch(/^Mail\s+Is column 3 and contains the same field as column 1 “E-mail”.*\s+Warning\s+1\s+2$/)
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download the rows with errors' }).click()
    expect((await download).suggestedFilename()).toMatch(/^import-\d+-failed-rows\.csv$/)
    await page.setViewportSize(phone)
    await expect.poll(overflow).toBeLessThanOrEqual(0)
    await page.setViewportSize(desktop)
    const { contacts } = await world.run(
      '{ contacts(filter: { email: { eq: "lena@example.com" } }) { nodes { firstName } } }',
    )
    expect(contacts.nodes).toEqual([{ firstName: 'Lena' }])
    await page.getByRole('button', { name: 'Import another file' }).click()
    await page.getByRole('table', { name: 'Last imports' }).getByText('people.csv').waitFor()
  })

  it('opens an import that waits for a review', async () => {
    const { page } = tab
    await tab.go('/contacts/import')
    await page.getByRole('button', { name: 'gallery-subscribers.csv' }).click()
    const status = page.getByRole('table', { name: 'What was found' }).getByRole('row').filter({ hasText: 'Status' })
    await expect
      .poll(() => status.innerText())
      .toMatch(/1 has unsubscribed, 1 bounces: gets no e-mail, 2 accept e-mail$/)
    expect(await page.getByText('0 of 4 rows').isVisible()).toBe(false)
    expect(await axeFaults(page)).toEqual([])
  })

  it('sees what columns say about consent before the import, and changes the mapping', async () => {
    const { page } = tab
    await tab.go('/contacts/import')
    const csv = 'Email,Unsubscribed from all email,Newsletter\nleft@example.com,true,\nstays@example.com,,no\n'
    const file = { name: 'consents.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) }
    await page.locator('input[type=file]').setInputFiles(file)
    await page.getByRole('switch', { name: 'New contacts accept marketing by e-mail' }).check()
    await page.getByRole('button', { name: 'Check the file' }).click()
    const found = page.getByRole('table', { name: 'What was found' })
    const rowOf = (column: string) => found.getByRole('row').filter({ hasText: column }).innerText()
    await expect.poll(() => rowOf('Unsubscribed')).toMatch(/Refuses e-mail\s+1 has unsubscribed$/)
    expect(await rowOf('Newsletter')).toMatch(/Not imported\s+Its name is about consent$/)
    await page.getByText('Is this about consent?').waitFor()
    expect(await axeFaults(page)).toEqual([])
    await page.getByRole('button', { name: 'Change the file or the fields' }).click()
    await page.getByRole('combobox', { name: 'Field of the column Newsletter' }).click()
    await page.getByRole('option', { name: 'Accepts e-mail' }).click()
    await page.getByRole('button', { name: 'Check the file' }).click()
    await expect.poll(() => rowOf('Newsletter')).toMatch(/Accepts e-mail\s+1 refuses e-mail$/)
    await page.getByRole('button', { name: 'Import 2 rows' }).click()
    await page.getByText('2 of 2 rows: 2 created').waitFor()
    const { contacts } = await world.run(
      '{ contacts(filter: { email: { in: ["left@example.com", "stays@example.com"] } }) { nodes { emailMarketing } } }',
    )
    expect(contacts.nodes).toEqual([{ emailMarketing: false }, { emailMarketing: false }])
  })

  it('creates a field for a column, and a tag for all contacts of the file', async () => {
    const { page } = tab
    await tab.go('/contacts/import')
    const csv = 'email,Glaze\nglazed@example.com,celadon\n'
    const file = { name: 'glazes.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) }
    await page.locator('input[type=file]').setInputFiles(file)
    const field = page.getByRole('combobox', { name: 'Field of the column Glaze' })
    await field.click()
    await page.getByRole('option', { name: 'New field…' }).click()
    const dialog = page.getByRole('dialog', { name: 'New field of contacts' })
    const name = dialog.getByRole('textbox', { name: 'Name' })
    await expect.poll(() => name.inputValue()).toBe('Glaze')
    await name.fill('')
    await dialog.getByRole('button', { name: 'Create field' }).click()
    await dialog.getByText('Must not be empty').waitFor()
    expect(await axeFaults(page)).toEqual([])
    await name.fill('Glaze of the kiln')
    await dialog.getByRole('button', { name: 'Create field' }).click()
    await dialog.waitFor({ state: 'detached' })
    await expect.poll(() => field.inputValue()).toBe('Glaze of the kiln')
    await page.getByRole('combobox', { name: 'Tags for all imported contacts' }).fill('glazers')
    await page.getByRole('option', { name: 'Create “glazers”' }).click()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Check the file' }).click()
    await page.getByRole('button', { name: 'Import 1 row' }).click()
    await page.getByText('1 of 1 row: 1 created').waitFor()
    const { contact } = await world.run(`{ contact(ref: { email: "glazed@example.com" }) {
      tags { name } customFields { value customField { name } } } }`)
    expect(contact).toEqual({
      tags: [{ name: 'glazers' }],
      customFields: [{ value: 'celadon', customField: { name: 'Glaze of the kiln' } }],
    })
  })

  it('reads why a file or a mapping was refused', async () => {
    const { page } = tab
    await tab.go('/contacts/import')
    await page.getByRole('button', { name: 'Check the file' }).click()
    await page.getByText('Choose a file first.').waitFor()
    const file = { name: 'x.csv', mimeType: 'text/csv', buffer: Buffer.from('Name,City\nAda,Paris\n') }
    await page.locator('input[type=file]').setInputFiles(file)
    await page.getByRole('button', { name: 'Check the file' }).click()
    await page.getByRole('alert').filter({ hasText: 'The file could not be imported' }).waitFor()
    expect(tab.faults.filter((fault) => !fault.includes('422'))).toEqual([])
  })
})
