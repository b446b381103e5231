import { simpleParser } from 'mailparser'
import { describe, expect, it } from 'vitest'
import { withUtmInHtml, withUtmInText } from '../../src/mail/bodies/utm.ts'
import { newWorld, type World } from '../support/world.ts'
import { documentOf, paragraph } from './content.ts'
import { createSubscriber, headerOf, newMailWorld, ownUrls } from './reading.ts'

const SetContent = `mutation ($id: ID!, $content: JSON, $html: String, $text: String) {
  campaignContentSet(input: { id: $id, content: $content, html: $html, text: $text }) { campaign { email { html text content } } } }`
const Update = `mutation ($id: ID!, $utm: EmailUtmInput, $language: String) {
  campaignUpdate(input: { id: $id, utm: $utm, language: $language }) {
    campaign { email { language utm { source medium campaign term content } } } } }`
const Preview = 'query ($id: ID!) { campaign(id: $id) { email { preview { html text } } } }'
const Exclude =
  'mutation ($domains: [String!]) { brandUpdate(input: { utmExcludedDomains: $domains }) { brand { utmExcludedDomains } } }'
const Check = 'query ($id: ID!) { campaignCheck(id: $id) { findings { code field } } }'

const preview = async (world: World, { id }: { id: string }) =>
  (await world.run(Preview, { id })).campaign.email.preview

const utm = { source: 'news', campaign: "it's 5 & more" }
const query = 'utm_source=news&amp;utm_campaign=it%27s%205%20%26%20more'

describe('UTM parameters', () => {
  const parameters = { utm: { source: 'a', medium: 'b' }, excludedDomains: ['own.example'] }
  const added = (url: string) => /href="([^"]*)"/.exec(withUtmInHtml(`<a href="${url}">x</a>`, parameters))?.[1]

  it.each([
    ['https://x.example', 'https://x.example?utm_source=a&amp;utm_medium=b'],
    ['HTTPS://x.example/p', 'HTTPS://x.example/p?utm_source=a&amp;utm_medium=b'],
    ['https://x.example/p?q=1#part', 'https://x.example/p?q=1&amp;utm_source=a&amp;utm_medium=b#part'],
    ['https://x.example/?q=1&amp;', 'https://x.example/?q=1&amp;utm_source=a&amp;utm_medium=b'],
    ['https://x.example/?utm_source=mine', 'https://x.example/?utm_source=mine&amp;utm_medium=b'],
    [
      'https://x.example/?a=1&amp;UTM_Source=mine&utm_medium=',
      'https://x.example/?a=1&amp;UTM_Source=mine&utm_medium=',
    ],
    [
      'https://x.example/{{FIELD.a#b?c:x?y}}#z',
      'https://x.example/{{FIELD.a#b?c:x?y}}?utm_source=a&amp;utm_medium=b#z',
    ],
    ['https://x.example/?e=&#38;b#z', 'https://x.example/?e=&#38;b&amp;utm_source=a&amp;utm_medium=b#z'],
    ['https://x.example:8443/&#35;z', 'https://x.example:8443/?utm_source=a&amp;utm_medium=b&#35;z'],
    ['https://own.example/p', 'https://own.example/p'],
    ['https://www.OWN.example/p', 'https://www.OWN.example/p'],
    ['https://notown.example/', 'https://notown.example/?utm_source=a&amp;utm_medium=b'],
    ['https://{{FIELD.host}}/p', 'https://{{FIELD.host}}/p'],
    ['{{UNSUBSCRIBE_URL}}', '{{UNSUBSCRIBE_URL}}'],
    ['{{VIEW_URL}}', '{{VIEW_URL}}'],
    ['mailto:a@x.example', 'mailto:a@x.example'],
    ['#part', '#part'],
  ])('make %s to %s', (url, expected) => expect(added(url)).toBe(expected))

  it('are added to links, and not to pictures, comments and text', () => {
    const kept = '<!-- <a href="https://x.example"> --><img src="https://x.example/i.png"><p>https://x.example</p>'
    expect(withUtmInHtml(kept, parameters)).toBe(kept)
    const unquoted = "<a href=https://x.example/>x</a><area href='https://x.example'>"
    expect(withUtmInHtml(unquoted, parameters)).toBe(
      "<a href=https://x.example/?utm_source=a&amp;utm_medium=b>x</a><area href='https://x.example?utm_source=a&amp;utm_medium=b'>",
    )
    const text =
      'See https://x.example/a. (Or https://x.example/b_(c)?q={{EMAIL:a b}}, <https://own.example>) {{VIEW_URL}}'
    expect(withUtmInText(text, parameters)).toBe(
      'See https://x.example/a?utm_source=a&utm_medium=b. (Or https://x.example/b_(c)?q={{EMAIL:a b}}&utm_source=a&utm_medium=b, <https://own.example>) {{VIEW_URL}}',
    )
  })

  it('leave a link alone that would be too long to be tracked', () => {
    const url = `https://x.example/${'a'.repeat(3_960)}`
    expect(added(url)).toBe(url)
  })

  it('are set for each parameter, and shown in the preview', async () => {
    const world = await newWorld()
    const { id } = await world.campaign()
    await world.run(SetContent, { id, html: '<a href="https://x.example/">x</a>' })
    await world.run(Update, { id, utm: { ...utm, term: 'x' } })
    const { email } = (await world.run(Update, { id, utm: { term: '' } })).campaignUpdate.campaign
    expect(email.utm).toEqual({ ...utm, medium: '', term: '', content: '' })
    const { html, text } = await preview(world, { id })
    expect(html).toContain(`<a href="https://x.example/?${query}">`)
    expect(text).toContain('x [https://x.example/?utm_source=news&utm_campaign=it%27s%205%20%26%20more]')
    const domains = (await world.run(Exclude, { domains: ['Bücher.example', 'x.example'] })).brandUpdate.brand
    expect(domains.utmExcludedDomains).toEqual(['xn--bcher-kva.example', 'x.example'])
    expect((await preview(world, { id })).html).not.toContain('utm_')
    for (const wrong of ['https://x.example', 'a b', ''])
      expect((await world.fault(Exclude, { domains: [wrong] })).extensions.code).toBe('VALIDATION_ERROR')
    const { extensions } = await world.fault(Update, { id, utm: { source: 'x'.repeat(201), medium: 'a\nb' } })
    expect(Object.keys(extensions.details ?? {})).toEqual(['input.utm.source', 'input.utm.medium'])
  })

  it('are in tracked links, follow the excluded domains at once, and are copied', async () => {
    const { world, send } = await newMailWorld()
    await createSubscriber(world)
    const html = '<a href="https://x.example/?q={{EMAIL}}#z">x</a><a href="https://own.example/">y</a>'
    await world.run(Exclude, { domains: ['own.example'] })
    const [first] = await send({ html, utm })
    if (!first) throw new Error('No message was sent.')
    const targets = await Promise.all(
      ownUrls(first, '/t/c/').map(async (url) => (await fetch(url, { redirect: 'manual' })).headers.get('location')),
    )
    expect(targets).toEqual([
      expect.stringMatching(/^https:\/\/x.example\/\?q=[^&]+&utm_source=news&utm_campaign=it%27s%205%20%26%20more#z$/),
      'https://own.example/',
    ])
    const readCampaign = async () =>
      (await world.run('{ campaigns { nodes { id links { url } } } }')).campaigns.nodes[0]
    // The clicks of a message are recorded one after another.
    await expect
      .poll(async () => (await readCampaign()).links.map(({ url }: { url: string }) => url))
      .toContain('https://x.example/?q={{EMAIL}}&utm_source=news&utm_campaign=it%27s%205%20%26%20more#z')
    const { id } = await readCampaign()
    const { campaign } = (
      await world.run(
        'mutation ($id: ID!) { campaignDuplicate(input: { id: $id }) { campaign { email { utm { source campaign } } } } }',
        { id },
      )
    ).campaignDuplicate
    expect(campaign.email.utm).toEqual(utm)
  })
})

describe('the language of a message', () => {
  it('is in its HTML and in a header', async () => {
    const { world, send } = await newMailWorld()
    await createSubscriber(world)
    const [message] = await send({
      html: '<!doctype html><HTML class=x lang=en><body><p>Olá</p></body></html>',
      language: 'pt-BR',
    })
    if (!message) throw new Error('No message was sent.')
    expect(message.html).toContain('<HTML lang="pt-BR" class=x><body>')
    expect(headerOf(message, 'content-language')).toBe('pt-BR')
    const [other] = await send({ html: '<p>Hello</p>' })
    expect(other?.raw).not.toMatch(/content-language/i)
  })

  it('replaces that of HTML of blocks, is copied, and must be a tag', async () => {
    const world = await newWorld()
    const { id } = await world.campaign()
    await world.run(SetContent, { id, content: documentOf({ type: 'text', content: paragraph('Hallo') }) })
    expect((await preview(world, { id })).html).toContain('<html lang="en"')
    await world.run(Update, { id, language: 'de' })
    const { campaignDuplicate } = await world.run(
      'mutation ($id: ID!) { campaignDuplicate(input: { id: $id }) { campaign { id email { language } } } }',
      { id },
    )
    expect(campaignDuplicate.campaign.email.language).toBe('de')
    expect((await preview(world, campaignDuplicate.campaign)).html).toMatch(/<html lang="de"(?!.*lang="en")/)
    expect((await world.fault(Update, { id, language: 'a"b' })).extensions.details).toEqual({
      'input.language': ['must be a language tag such as en or pt-BR'],
    })
  })
})

describe('a message of plain text alone', () => {
  const text = 'Hello {{FIRST_NAME:you}} <3\n\nhttps://x.example/?a=1&b=2.'

  it('has one part, with an unsubscribe link and without a pixel', async () => {
    const { world, sink, send } = await newMailWorld()
    await createSubscriber(world, { firstName: 'Ada' })
    const [message] = await send({ html: '', text, utm: { source: 'news' } })
    if (!message) throw new Error('No message was sent.')
    expect(message.raw).toMatch(/^Content-Type: text\/plain; charset=utf-8\r?$/m)
    expect(message.raw).not.toMatch(/multipart|text\/html|\/t\/o\//)
    expect(message.text).toMatch(
      /^Hello Ada <3\n\nhttps:\/\/x\.example\/\?a=1&b=2&utm_source=news\.\n\n-- \nUnsubscribe: http/,
    )
    const [view] = await send({
      html: '',
      text: 'Hi <b>\n{{VIEW_URL}} {{UNSUBSCRIBE_URL}} https://x.example/?"><script>',
    })
    const page = await fetch(/http\S+\/t\/v\/\S+/.exec(view?.text ?? '')?.[0] ?? '')
    expect(page.headers.get('content-security-policy')).toContain('sandbox')
    const html = await page.text()
    expect(html).toContain('Hi &#60;b&#62;\n<a href="http')
    expect(html).not.toContain('<script>')
    const { campaigns } = await world.run('{ campaigns(first: 1) { nodes { id } } }')
    const CampaignTest =
      'mutation ($id: ID!) { campaignTest(input: { id: $id, emails: ["me@example.com"] }) { results { answer } } }'
    await world.run(CampaignTest, campaigns.nodes[0])
    const test = await simpleParser(sink.taken.at(-1)?.raw ?? '', { skipTextToHtml: true })
    expect([test.html, test.text]).toEqual([false, expect.stringContaining('Hi <b>')])
  })

  it('replaces HTML and blocks, and is replaced by them', async () => {
    const world = await newWorld()
    const { id } = await world.campaign({ subject: 'x', fromEmail: 'ada@example.com' })
    const set = async (input: object) =>
      (await world.run(SetContent, { id, ...input })).campaignContentSet.campaign.email
    const content = documentOf({ type: 'text', content: paragraph('Blocks') })
    await set({ content })
    expect(await set({ html: '', text })).toEqual({ html: null, text, content: null })
    expect(await preview(world, { id })).toEqual({ html: '', text: expect.stringContaining('Hello Ada <3') })
    const codes = (await world.run(Check, { id })).campaignCheck.findings.map(({ code }: { code: string }) => code)
    expect(codes).toEqual(['NO_AUDIENCE', 'UNSUBSCRIBE_LINK_MISSING'])
    const { campaignDuplicate } = await world.run(
      'mutation ($id: ID!) { campaignDuplicate(input: { id: $id }) { campaign { email { html text } } } }',
      { id },
    )
    expect(campaignDuplicate.campaign.email).toEqual({ html: null, text })
    expect(await set({ content })).toMatchObject({ content, text: 'Blocks\n' })
    expect(await set({ html: '<p>x</p>' })).toMatchObject({ html: '<p>x</p>', content: null })
    for (const input of [{ html: '' }, { html: '', text: ' ' }, { text }])
      expect((await world.fault(SetContent, { id, ...input })).extensions.details).toHaveProperty(['input.html'])
  })

  it('can be that of an active stage', async () => {
    const world = await newWorld()
    const { id } = await world.stage(await world.sequence())
    await world.run(
      'mutation ($id: ID!, $text: String) { sequenceStageContentSet(input: { id: $id, subject: "x", html: "", text: $text }) { email { html } } }',
      { id, text },
    )
    const update = 'mutation ($id: ID!) { sequenceStageUpdate(input: { id: $id, active: true }) { stage { active } } }'
    expect((await world.run(update, { id })).sequenceStageUpdate.stage.active).toBe(true)
  })
})
