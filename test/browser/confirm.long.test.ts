import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { confirmationLink } from '../../src/funnels/opt-in/confirmation-link.ts'
import { newSigner } from '../../src/kernel/web/signer.ts'
import { newWorld } from '../support/world.ts'
import { isWithoutBrowser, openBrowser } from './chromium.ts'

describe.skipIf(isWithoutBrowser)('the link of a confirmation e-mail', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser?.close())

  it('confirms by itself, and by a button without scripts', async () => {
    const world = await newWorld()
    const form = await world.form()
    const askedAt = new Date()
    const newLink = async (email: string) => {
      const [contact, { databaseId: submissionId }] = [await world.contact({ email }), await world.submission(form)]
      await world.rows(
        `INSERT INTO confirmation (account_id, submission_id, form_id, contact_id, source, text, asked_at, sent_at)
         VALUES ($1, $2, $3, $4, 'form', 'Send me news.', $5, $5::timestamptz - interval '5 minutes')`,
        [world.accountId, submissionId, form.databaseId, contact.databaseId, askedAt],
      )
      const { system, url } = world.server
      const sender = {
        ...{ ...system, signer: newSigner('a secret that only tests know'), accountId: world.accountId },
        baseUrl: () => url,
      }
      const confirmed = 'SELECT FROM contact WHERE account_id = $1 AND email = $2 AND email_marketing'
      return {
        link: confirmationLink(sender, { submissionId, askedAt }),
        count: async () => (await world.rows(confirmed, [world.accountId, email])).length,
      }
    }
    const scripted = await newLink('scripted@example.com')
    const tab = await browser.newPage()
    await tab.goto(scripted.link)
    await tab.getByRole('heading', { name: 'Thank you' }).waitFor()
    expect(await scripted.count()).toBe(1)

    const plain = await newLink('plain@example.com')
    const context = await browser.newContext({ javaScriptEnabled: false })
    const other = await context.newPage()
    await other.goto(plain.link)
    expect(await plain.count()).toBe(0)
    await other.getByRole('button').click()
    await other.getByRole('heading', { name: 'Thank you' }).waitFor()
    expect(await plain.count()).toBe(1)
  }, 60_000)
})
