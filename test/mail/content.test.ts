import { simpleParser } from 'mailparser'
import { describe, expect, it } from 'vitest'
import { defaultStyle } from '../../src/content/rendering.ts'
import { compileContent } from '../../src/mail/compile/compile.ts'
import { mjmlOf } from '../../src/mail/compile/mjml.ts'
import { styleOf } from '../../src/mail/compile/style.ts'
import { until } from '../runtime/process.ts'
import { newWorld, type World } from '../support/world.ts'
import { documentOf, newsletter, paragraph } from './content.ts'
import { newMailWorld } from './reading.ts'

const SetContent = `mutation ($id: ID!, $content: JSON, $html: String, $text: String) {
  campaignContentSet(input: { id: $id, content: $content, html: $html, text: $text }) {
    campaign { email { content html text } } } }`
const Read = 'query ($id: ID!) { campaign(id: $id) { email { content html text htmlUrl } } }'

const emailOf = async (world: World, campaign: { id: string }) =>
  (await world.run(Read, { ...campaign })).campaign.email

/** The messages of the error for a document. */
async function faultsOf(world: World, campaign: { id: string }, content: unknown): Promise<string[]> {
  const { message, extensions } = await world.fault(SetContent, { id: campaign.id, content })
  expect(extensions.code, message).toBe('VALIDATION_ERROR')
  return extensions.details?.['input.content'] ?? [JSON.stringify(extensions.details)]
}

describe('the content of a message', () => {
  it('becomes its HTML and its text, and is returned as it was set', async () => {
    const world = await newWorld()
    const campaign = await world.campaign()
    const { html, text, content } = (await world.run(SetContent, { id: campaign.id, content: newsletter }))
      .campaignContentSet.campaign.email
    expect(content).toEqual(newsletter)
    expect(html).toMatch(/^<!doctype html><html lang="en"/)
    expect(html).toContain('<title>News from the tower</title>')
    expect(html).toContain('Hello {{FIRST_NAME:friend &#38; &#60;all&#62;}}, 1 &#60; 2 and <strong>')
    expect(html).toContain('href="https://example.com/?a=1&#38;b={{FIRST_NAME}}"')
    expect(html).toContain('<ul style="margin:0 0 12px;padding:0 0 0 24px"><li><p style="margin:0">One</p><ol')
    expect(html).toContain('alt="A &#34;tower&#34;"')
    expect(html).toContain('<a href="{{UNSUBSCRIBE_URL}}"')
    expect(html).toContain('<td style="color:#990000">Own HTML</td></tr></table>')
    expect(html).not.toMatch(/<script|alert|fdd|[\ufdd0\ufdd1]|mj-(?!column|outlook|full)|fonts\./)
    expect(text).toMatch(
      /^News from the tower\n=+\n\nHello \{\{FIRST_NAME:friend & <all>\}\}, 1 < 2 and a link \[https:/,
    )
    expect(text).toContain('- One\n  1. Nested\n- Two')
    expect(text).toContain('Read & more: https://example.com/read?x=1&y=2')
    expect(text).toContain('Campanile\n1 Bell Street\nUnsubscribe: {{UNSUBSCRIBE_URL}}')
    const published = await fetch((await emailOf(world, campaign)).htmlUrl)
    expect(await published.text()).toBe(html)
  })

  it('has at most one link on each part of a text', async () => {
    const world = await newWorld()
    const campaign = await world.campaign()
    const mark = (href: string) => ({ type: 'link', attrs: { href } })
    const content = (...marks: readonly object[]) =>
      documentOf({ type: 'heading', content: [{ type: 'text', text: 'x', marks }] })
    const links = [mark('https://a.example'), { type: 'bold' }, mark('https://b.example')]
    expect(await faultsOf(world, campaign, content(...links))).toEqual([
      'sections.0.columns.0.blocks.0.content.0.marks must have at most one link',
    ])
    await world.run(SetContent, { id: campaign.id, content: content(...links.slice(0, 2)) })
  })

  it('is accepted as JSON text, replaced by HTML, and copied', async () => {
    const world = await newWorld()
    const campaign = await world.campaign()
    const document = documentOf({ type: 'text', content: paragraph('Hello') })
    await world.run(SetContent, { id: campaign.id, content: JSON.stringify(document) })
    const { campaignDuplicate: copy } = await world.run(
      'mutation ($id: ID!) { campaignDuplicate(input: { id: $id }) { campaign { id email { content html } } } }',
      { id: campaign.id },
    )
    await world.run(SetContent, { id: campaign.id, html: '<p>By hand</p>' })
    expect(await emailOf(world, campaign)).toMatchObject({ content: null, html: '<p>By hand</p>' })
    expect(copy.campaign.email).toMatchObject({ content: document, html: expect.stringContaining('Hello') })
    await world.run(SetContent, { id: campaign.id, content: document })
    expect(await emailOf(world, campaign)).toMatchObject({ content: document, text: 'Hello\n' })
    expect(await faultsOf(world, campaign, document).catch(() => 'accepted')).toBe('accepted')
    const both = await world.fault(SetContent, { id: campaign.id, content: document, html: '<p>x</p>' })
    expect(both.extensions.details?.['input.content']).toEqual([expect.stringContaining('combined with html or text')])
    expect((await world.fault(SetContent, { id: campaign.id })).extensions.details).toHaveProperty(['input.html'])
  })

  it('contains custom fields whose names HTML escapes', async () => {
    const world = await newWorld()
    await world.customField({ name: "R&D's <lead>" })
    const campaign = await world.campaign()
    const name = "FIELD.R&D's <lead>"
    const content = [{ type: 'mergeField', attrs: { name, fallback: 'nobody' } }]
    await world.run(SetContent, { id: campaign.id, content: documentOf({ type: 'heading', content }) })
    const query = `query ($id: ID!) { campaign(id: $id) { email { preview { html } } }
      campaignCheck(id: $id) { findings { code } } }`
    const { campaignCheck } = await world.run(query, { id: campaign.id })
    expect(campaignCheck.findings.map(({ code }: { code: string }) => code)).not.toContain('MERGE_FIELD_UNKNOWN')
  })

  it('of a stage is set in the same way', async () => {
    const world = await newWorld()
    const stage = await world.stage(await world.sequence())
    const document = documentOf({ type: 'text', content: paragraph('Hello') })
    const { sequenceStageContentSet } = await world.run(
      `mutation ($id: ID!, $content: JSON) { sequenceStageContentSet(input: { id: $id, content: $content,
        subject: "Hi", preheader: "Soon", replyTo: "bob@example.com" }) { email { content text preheader replyTo } } }`,
      { id: stage.id, content: document },
    )
    expect(sequenceStageContentSet.email).toEqual({
      ...{ content: document, text: 'Hello\n', preheader: 'Soon', replyTo: 'bob@example.com' },
    })
  })

  it('can be without links and pictures that are not known yet, which are not shown', async () => {
    const world = await newWorld()
    const campaign = await world.campaign()
    const content = documentOf(
      { type: 'image', src: '', alt: 'A vase' },
      { type: 'button', text: 'Read more', href: '' },
      { type: 'product', name: 'Bowl', href: '', button: 'Buy' },
      { type: 'video', src: '', alt: 'A film', href: '' },
      { type: 'social', links: [{ network: 'X', href: '' }] },
    )
    await world.run(
      'mutation ($id: ID!, $content: JSON) { campaignContentSet(input: { id: $id, content: $content }) { campaign { id } } }',
      {
        ...{ id: campaign.id, content },
      },
    )
    const { html, text } = await emailOf(world, campaign)
    expect(html).toContain('Bowl')
    expect(html).not.toMatch(/<img|<a |Read more|Buy|>X</)
    expect(text).toBe('Bowl\n\nA film\n')
  })

  it('has its schema in the graph', async () => {
    const world = await newWorld()
    const { messageSchema } = await world.run('{ messageSchema }')
    expect(messageSchema).toMatchObject({ title: 'Message', properties: { sections: { type: 'array' } } })
  })

  it('is shown before it is saved, as a contact would see it', async () => {
    const world = await newWorld()
    const campaign = await world.campaign()
    const Preview = `query ($id: ID!, $content: JSON) {
      campaign(id: $id) { email { preview(content: $content) { html text } } } }`
    const { preview } = (await world.run(Preview, { id: campaign.id, content: newsletter })).campaign.email
    expect(preview.html).toContain('Hello Ada, 1 &#60; 2')
    expect(await emailOf(world, campaign)).toMatchObject({ content: null, html: '<p>Hello</p>' })
    const fault = await world.fault(Preview, { id: campaign.id, content: documentOf({ type: 'x' }) })
    expect(fault.extensions.code).toBe('VALIDATION_ERROR')
  })
})

describe('a document that is invalid', () => {
  it('is refused with the path of each fault', async () => {
    const world = await newWorld()
    const campaign = await world.campaign()
    const at = 'sections.0.columns.0.blocks.0'
    const cases: [object, string][] = [
      [{ type: 'mj-raw', content: 'x' }, `${at}.type must be one of heading, text, image`],
      [{ type: 'button', text: 'x', href: 'javascript:alert(1)' }, `${at}.href must be an http or https URL`],
      [{ type: 'button', text: 'x', href: 'https://e.example/ a' }, `${at}.href must be an http or https URL`],
      [{ type: 'image', src: 'data:image/png;base64,x', alt: '' }, `${at}.src must be an http or https URL`],
      [{ type: 'image', src: 'https://e.example/x.png' }, `${at}.alt is required`],
      [{ type: 'spacer', height: 5, onclick: 'x' }, `${at} must not contain onclick`],
      [{ type: 'divider', color: 'red;background:url(x)' }, `${at}.color must be a colour`],
      [{ type: 'divider', color: '#12345' }, `${at}.color must be a colour`],
      [
        { type: 'text', content: { type: 'doc', content: [{ type: 'table' }] } },
        `${at}.content.content.0.type must be`,
      ],
      [{ type: 'heading', content: [{ type: 'text', text: '' }] }, `${at}.content.0.text must not be empty`],
      [
        { type: 'heading', content: [{ type: 'mergeField', attrs: { name: 'a}}' } }] },
        `${at}.content.0.attrs.name must be`,
      ],
      [{ type: 'html', html: '<div>'.repeat(100) }, `${at}.html must not have so many elements inside each other`],
    ]
    for (const [block, expected] of cases) {
      expect(await faultsOf(world, campaign, documentOf(block as never))).toEqual([expect.stringContaining(expected)])
    }
    for (const [document, expected] of [
      [{}, 'version must be 1'],
      [{ version: 1, sections: [] }, 'sections must not be empty'],
      [
        { version: 1, sections: [{ type: 'section', columns: Array(5).fill({ blocks: [] }) }] },
        'must have 1 to 4 columns',
      ],
      [
        { version: 1, sections: [{ type: 'section', columns: Array(2).fill({ width: 7, blocks: [] }) }] },
        'at most 12 twelfths',
      ],
      ['{', 'must be an object or the JSON text of an object'],
    ] as const) {
      expect((await faultsOf(world, campaign, document)).join()).toContain(expected)
    }
  })

  it('is refused if it is too deep, too large, or has too many blocks', async () => {
    const world = await newWorld()
    const campaign = await world.campaign()
    const list = (depth: number): object => ({
      type: 'bulletList',
      content: [{ type: 'listItem', content: [depth === 0 ? { type: 'paragraph' } : list(depth - 1)] }],
    })
    const withList = (depth: number) => documentOf({ type: 'text', content: { type: 'doc', content: [list(depth)] } })
    await world.run(SetContent, { id: campaign.id, content: withList(3) })
    expect((await faultsOf(world, campaign, withList(4))).join()).toContain('lists are nested at most 4 deep')
    const deep = JSON.stringify(withList(40))
    expect((await faultsOf(world, campaign, deep)).join()).toContain('must have at most 30 levels')
    const spacers = (count: number) => documentOf(...Array<{ type: string }>(count).fill({ type: 'spacer' }))
    await world.run(SetContent, { id: campaign.id, content: spacers(500) })
    expect((await faultsOf(world, campaign, spacers(501))).join()).toContain('at most 500')
    const long = documentOf(
      ...(Array<object>(3).fill({ type: 'text', content: paragraph('x'.repeat(99_000)) }) as never[]),
    )
    expect(await faultsOf(world, campaign, long)).toEqual(['must have at most 262144 bytes'])
  })
})

describe('preheader and address for answers', () => {
  it('are in the message that is sent, and in its preview', async () => {
    const { world, sink } = await newMailWorld()
    const contact = await world.contact({ firstName: 'Bob', email: 'bob@example.com', emailMarketing: true })
    const details = { preheader: 'For {{FIRST_NAME:you}} & co', replyTo: 'answers@example.com' }
    const campaign = await world.campaign({ subject: 'News', fromEmail: 'ada@example.com', ...details })
    await world.run(SetContent, { id: campaign.id, content: newsletter })
    const { preview } = (
      await world.run(
        'query ($id: ID!, $contactId: ID) { campaign(id: $id) { email { preheader preview(contactId: $contactId) { html text } } } }',
        { id: campaign.id, contactId: contact.id },
      )
    ).campaign.email
    expect(preview.html).toMatch(/<body[^>]*><div style="display:none;[^"]*" aria-hidden="true">For Bob &#38; co&#847;/)
    expect(preview.text).not.toContain('For Bob')
    const Send =
      'mutation ($id: ID!) { campaignSend(input: { id: $id, audience: { sendToAll: true } }) { campaign { id } } }'
    await world.run(Send, { id: campaign.id })
    await until(async () => sink.taken.length > 0)
    const mail = await simpleParser(sink.taken[0]?.raw ?? '', { skipTextToHtml: true })
    expect(mail.replyTo?.text).toBe('answers@example.com')
    // Links and the pixel are those of the message; all else is what the preview showed.
    const plain = (html: string) =>
      html
        .replace(/href="[^"]*"/g, 'href')
        .replace(/<img src="[^"]*\/t\/o\/[^>]*>/, '')
        .trim()
    expect(plain(String(mail.html))).toBe(plain(preview.html))
    expect(mail.text).toContain('Hello Bob, 1 < 2 and a link')
  })

  it('are refused if they are no line or no address', async () => {
    const world = await newWorld()
    const create = (input: object) =>
      world.fault('mutation ($input: CampaignCreateInput!) { campaignCreate(input: $input) { campaign { id } } }', {
        input: { name: 'x', ...input },
      })
    expect((await create({ preheader: 'a\nb' })).extensions.details).toHaveProperty(['input.preheader'])
    expect((await create({ preheader: 'x'.repeat(256) })).extensions.details).toHaveProperty(['input.preheader'])
    expect((await create({ replyTo: 'nobody' })).extensions.details).toHaveProperty(['input.replyTo'])
  })
})

describe('the compiled HTML', () => {
  it('has the elements, sizes and comments of the reference compiler', async () => {
    const content = newsletter as never
    const { source, fill } = mjmlOf(content, styleOf(content, defaultStyle))
    const compiled = compileContent({ document: newsletter, brand: defaultStyle, reusable: {} })
    const { default: mjml2html } = await import('mjml')
    const { html, errors } = await mjml2html(source, { validationLevel: 'strict', fonts: {}, keepComments: true })
    expect(errors).toEqual([])
    // The reference joins conditional comments that follow each other, indents, and has another order of attributes.
    const tagsOf = (text: string) =>
      [...text.matchAll(/<\/?[a-z][^>]*>/gi)].map(([tag]) => {
        const [name = '', ...attributes] = tag.match(/[^\s"=<>]+(?:="[^"]*")?/g) ?? []
        return `${name} ${attributes
          .filter((attribute) => attribute !== 'class=""')
          .sort()
          .join(' ')}`.trim()
      })
    const outline = (text: string) => {
      const body = text.slice(text.indexOf('<body'))
      return {
        tags: tagsOf(body.replace(/<!--[\s\S]*?-->/g, '')).map((tag) => tag.split(' ')[0]),
        widths: [...body.matchAll(/(?<!max-)width:[0-9.]+(?:px|%)/g)].map(([width]) => width),
        outlook: [...body.matchAll(/<!--\[if mso \| IE\]>([\s\S]*?)<!\[endif\]-->/g)].flatMap(([, inner = '']) =>
          tagsOf(inner),
        ),
      }
    }
    expect(outline('html' in compiled ? compiled.html : '')).toEqual(outline(fill(html)))
  })
})
