import { describe, expect, it } from 'vitest'
import { createSubscriber, newMailWorld, oneClickUrl, type Received } from './reading.ts'

const Update = 'mutation ($input: ContactUpdateInput!) { contactUpdate(input: $input) { contact { locale } } }'

describe('what a contact reads', () => {
  it('is in its language: dates in messages, and the pages of their links, before that of the browser', async () => {
    const post = await newMailWorld({}, { timezone: 'Europe/Berlin' })
    const { world } = post
    const who = await createSubscriber(world, { email: 'bob@example.com', locale: 'de-AT' })
    const [received] = (await post.send({ html: '<p>{{MONTH_NAME}}: {{TODAY_DATE}}</p>' })) as [Received]
    const month = new Intl.DateTimeFormat('de-AT', { month: 'long', timeZone: 'Europe/Berlin' }).format()
    expect(received.html).toMatch(new RegExp(`<p>${month}: \\d+\\. ${month} \\d{4}</p>`))

    const url = oneClickUrl(received)
    const show = async (language: string, init: RequestInit = {}) => {
      const response = await fetch(url, { ...init, headers: { 'accept-language': language } })
      return response.text()
    }
    const shown = await show('fr')
    expect(shown).toContain('<html lang="de" dir="ltr">')
    expect(shown).toContain('b***@example.com von allen E-Mails von Ada &#38; Co abmelden?')
    const save = new URLSearchParams({ page: 'save', frequency: 'ANY', language: 'pl' })
    expect(await show('fr', { method: 'POST', body: save })).toContain('Ustawienia zostały zapisane.')
    await world.run(Update, { input: { contact: { id: who.id }, locale: '' } })
    expect(await show('fr')).toContain('>Se désabonner</button>')
    expect(await show('')).toContain('>Unsubscribe</button>')
    const left = await show('nl', { method: 'POST', body: new URLSearchParams({ page: 'all' }) })
    expect(left).toContain('b***@example.com is afgemeld voor alle e-mails van Ada &#38; Co.')
    const [consent] = await world.rows<{ text: string }>(
      'SELECT text FROM contact_consent WHERE account_id = $1 AND NOT granted',
      [world.accountId],
    )
    expect(consent?.text).toBe('Afmelden voor alle e-mails van Ada & Co?')
  })

  it('is in the language of the message before that of the contact, and from right to left if it is written so', async () => {
    const post = await newMailWorld()
    await createSubscriber(post.world, { email: 'bob@example.com', locale: 'de' })
    const html = '<html><body><p>{{DAY_NAME}}</p></body></html>'
    const [received] = (await post.send({ html, language: 'he' })) as [Received]
    expect(received.html).toContain('<html lang="he" dir="rtl">')
    expect(received.html).toContain(
      `<p>${new Intl.DateTimeFormat('he', { weekday: 'long', timeZone: 'Europe/Paris' }).format()}`,
    )
    // A body without an unsubscribe link gets one.
    await createSubscriber(post.world, { email: 'eve@example.com' })
    const added = (await post.send({ html: '<p>x</p>', language: 'pl-PL' }, 2)) as [Received, Received]
    expect(added[0].html).toContain('>Wypisz się</a>')
    expect(added[0].text).toMatch(/-- \nWypisz się: http/)
    const [other] = (await post.send({ html: '<html dir="auto"><p>x</p></html>', language: 'ar' })) as [Received]
    expect(other.html).toContain('<html lang="ar" dir="auto">')
  })
})
