import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../runtime/process.ts'
import { newServer } from '../support/server.ts'
import { newShop, page } from './documents.ts'
import { mailboxOf } from './mailbox.ts'
import { requestPage } from './visiting.ts'

const marketingConsentText = 'Ja, gern.'
const join = { type: 'form', id: 'join', marketingConsentText, fields: [{ name: 'last_name', required: true }] }
const document = (language: string) => ({ ...page(join), settings: { language } })

describe('the pages of an opt-in', () => {
  it('are in the language of the page, then of the contact', async () => {
    const folder = await temporaryFolder()
    const { findEmail } = mailboxOf(folder)
    const server = await newServer({ ROLES: 'api,worker', DATA_DIR: folder })
    const world = await newShop({ server })
    await world.run(
      `mutation { accountUpdate(input: { doubleOptIn: true, senderEmail: "shop@example.com" }) { account { id } } }`,
    )
    const funnel = await world.funnel()
    const step = await world.step(funnel, { content: document('de') })
    const [account] = await world.rows<{ subdomain: string }>('SELECT subdomain FROM account WHERE id = $1', [
      world.accountId,
    ])
    const path = `/p/${account?.subdomain}/${funnel.databaseId}/${step.path}`
    const headers = { 'accept-language': 'it' }
    const shown = await requestPage(server, path, { headers })
    expect(shown.body).toContain('>Nachname</label>')
    expect(shown.body).toContain('>Senden</button>')
    const wrong = { form: 'join', email: 'no address', last_name: 'Lovelace', consent: 'yes' }
    const refused = await requestPage(server, path, { headers, form: wrong })
    expect([refused.status, refused.body]).toEqual([
      422,
      expect.stringContaining('Bitte geben Sie eine gültige E-Mail-Adresse ein.'),
    ])
    const missing = await requestPage(server, path, { headers, form: { ...wrong, last_name: '', consent: '' } })
    expect(missing.body).toContain('Bitte beantworten Sie diese Frage.')
    expect(missing.body).toContain('Bitte stimmen Sie zu.')
    const program = await requestPage(server, path, { headers, json: wrong })
    expect(program.body).toContain('This must be a valid e-mail address.')

    await requestPage(server, path, {
      headers,
      form: { form: 'join', email: 'ada@example.com', last_name: 'Lovelace', consent: 'yes' },
    })
    expect((await requestPage(server, `${path}?thanks=mail`, { headers })).body).toContain('Postfach')
    const { received, link } = await findEmail('ada@example.com')
    // The browser told the language of the contact.
    expect(received?.subject).toBe('Confermi: e-mail da Ada & Co')
    expect(received?.headers.get('content-language')).toBe('it')
    expect(received?.html).toContain('<html lang="it">')
    const asked = await requestPage(server, link, { headers: { 'accept-language': 'nl' } })
    expect(asked.body).toContain('Sì, voglio ricevere e-mail da Ada &#38; Co.')
    const confirmed = await requestPage(server, link, { form: {} })
    expect(confirmed.body).toContain('Il Suo indirizzo è confermato.')
    const [consent] = await world.rows<{ text: string }>(
      "SELECT text FROM contact_consent WHERE account_id = $1 AND kind = 'EMAIL_MARKETING'",
      [world.accountId],
    )
    expect(consent?.text).toContain('Sì, voglio ricevere e-mail da Ada & Co.')
    const none = await requestPage(server, '/p/none/1/none', { headers: { 'accept-language': 'es' } })
    expect(none.body).toContain('Página no encontrada')
  })

  it('have a button and labels that the account wrote, and are laid out from right to left', async () => {
    const server = await newServer()
    const world = await newShop({ server })
    const funnel = await world.funnel()
    const content = { ...page({ ...join, buttonText: 'انضم' }), settings: { language: 'ar' } }
    const step = await world.step(funnel, { content })
    const [account] = await world.rows<{ subdomain: string }>('SELECT subdomain FROM account WHERE id = $1', [
      world.accountId,
    ])
    const shown = await requestPage(server, `/p/${account?.subdomain}/${funnel.databaseId}/${step.path}`)
    expect(shown.body).toContain('<html lang="ar" dir="rtl">')
    expect(shown.body).toContain('>انضم</button>')
  })
})
