import { afterEach, describe, expect, it } from 'vitest'
import { threadLimits } from '../../src/kernel/work/thread-pool.ts'
import { storedMedia } from '../content/stored.ts'
import { newWorld, type World } from '../support/world.ts'
import { CampaignContentSet, CampaignCreate, CampaignSchedule, CampaignSend, draft, later } from './documents.ts'

const usual = threadLimits.milliseconds
afterEach(() => {
  threadLimits.milliseconds = usual
})

const Check = `query ($id: ID!) { campaignCheck(id: $id) {
  canSend findings { code severity message field mergeField offset } } }`
const link = '<a href="{{UNSUBSCRIBE_URL}}">Unsubscribe</a>'

const check = async (world: World, id: string) => (await world.run(Check, { id })).campaignCheck
const codes = async (world: World, id: string): Promise<string[]> =>
  (await check(world, id)).findings.map(({ code }: { code: string }) => code)

/** Creates a campaign without fault, with one recipient. `input` overrides its fields. */
async function campaign(input: { html?: string; text?: string; [field: string]: unknown } = {}, options: object = {}) {
  const { html = `<p>Hello {{FIRST_NAME:there}}</p>${link}`, text, ...fields } = input
  const world = await newWorld(options)
  await world.contact({ emailMarketing: true })
  const { id, databaseId } = await draft(world, { audience: { sendToAll: true }, ...fields })
  await world.run(CampaignContentSet, { input: { id, html, ...(text !== undefined && { text }) } })
  return { world, id, databaseId }
}

describe('campaignCheck', () => {
  it('returns no finding for a campaign without fault', async () => {
    const { world, id, databaseId } = await campaign()
    expect(await check(world, id)).toEqual({ canSend: true, findings: [] })
    expect(await check(world, String(databaseId))).toEqual({ canSend: true, findings: [] })
    const list = (await world.run('{ campaigns { nodes { check { canSend findings { code } } } } }')).campaigns
    expect(list.nodes).toEqual([{ check: { canSend: true, findings: [] } }])
  })

  it('returns all that is missing, with the fields to correct', async () => {
    const world = await newWorld()
    const input = { name: 'News', subject: ' ', fromEmail: '' }
    const { id } = (await world.run(CampaignCreate, { input })).campaignCreate.campaign
    const { canSend, findings } = await check(world, id)
    expect(canSend).toBe(false)
    expect(findings).toMatchObject([
      { code: 'NO_SUBJECT', severity: 'ERROR', field: 'SUBJECT', message: 'subject is not set yet.', offset: null },
      { code: 'SENDER_MISSING', severity: 'ERROR', field: 'FROM_EMAIL', message: 'fromEmail is not set yet.' },
      { code: 'NO_CONTENT', severity: 'ERROR', field: 'HTML', message: 'html is not set yet.', mergeField: null },
      { code: 'NO_AUDIENCE', severity: 'ERROR', field: 'AUDIENCE' },
    ])
  })

  it('finds what readers of a message cannot see, read or follow', async () => {
    const html = `<img src="http://example.com/a.png"><img src="https://example.com/b.png" alt=""><a href="#">x</a>
      <a name="top"></a><a href=" ">y</a><a href="www.example.com/a">z</a><a href="mailto:a@b.example">m</a>
      <a href="{{EMAIL}}">s</a><map><area href="shop.example:8080/x"></map>${link}`
    const { world, id } = await campaign({ html, preheader: '' })
    expect((await check(world, id)).findings).toMatchObject([
      { code: 'NO_PREHEADER', severity: 'WARNING', field: 'PREHEADER' },
      { code: 'PICTURE_WITHOUT_ALT', message: 'html has 1 pictures without an alternative text.' },
      { code: 'PICTURE_NOT_SECURE', field: 'HTML' },
      { code: 'LINK_WITHOUT_TARGET', message: 'html has 2 links that lead nowhere.' },
      { code: 'LINK_WITHOUT_SCHEME', message: expect.stringMatching(/^html has 2 links .* https:/) },
    ])
    const text = { type: 'doc', content: [] }
    const blocks = [
      { type: 'text', content: text, color: '#bbbbbb' },
      { type: 'text', content: text, color: '#333333' },
      { type: 'heading', level: 1, content: [], color: '#888888' },
      { type: 'button', text: 'x', href: 'https://example.com', color: '#dddddd', backgroundColor: '#eeeeee' },
      { type: 'image', src: '', alt: '' },
      { type: 'button', text: 'x', href: '' },
      { type: 'footer' },
    ]
    const content = { version: 1, sections: [{ type: 'section', columns: [{ blocks }] }] }
    await world.run(CampaignContentSet, { input: { id, content } })
    const query = 'query ($id: ID!) { campaignCheck(id: $id) { findings { code field path } } }'
    const path = (block: number) => `sections.0.columns.0.blocks.${block}`
    expect((await world.run(query, { id })).campaignCheck.findings).toEqual([
      { code: 'NO_PREHEADER', field: 'PREHEADER', path: null },
      { code: 'LOW_CONTRAST', field: 'CONTENT', path: path(0) },
      { code: 'LOW_CONTRAST', field: 'CONTENT', path: path(3) },
      { code: 'BLOCK_INCOMPLETE', field: 'CONTENT', path: path(4) },
      { code: 'BLOCK_INCOMPLETE', field: 'CONTENT', path: path(5) },
    ])
  })

  it('finds pictures of the media library above 200 kB, with the block that shows them', async () => {
    const { world, id } = await campaign({ html: link, preheader: 'Hi' })
    const heavy = await storedMedia(world, 'heavy.png')
    const query = 'query ($id: ID!) { mediaItem(id: $id) { url variants { url } } }'
    const { url, variants } = (await world.run(query, { id: heavy.id })).mediaItem
    const setSize = (bytes: number) =>
      world.rows(
        'UPDATE media_file f SET bytes = $2 FROM media m WHERE m.id = f.media_id AND m.hash = f.hash AND m.account_id = $1',
        [world.accountId, bytes],
      )
    await setSize(200_001)
    const check = async () =>
      (
        await world.run(
          'query ($id: ID!) { campaignCheck(id: $id) { findings { code message field path url bytes } } }',
          { id },
        )
      ).campaignCheck.findings.filter(({ code }: { code: string }) => code !== 'PICTURE_NOT_SECURE')
    const html = `${link}<img src="${url}" alt=""><img src="${variants[0].url}" alt=""><a href="${url}">x</a>`
    await world.run(CampaignContentSet, { input: { id, html } })
    const finding = { code: 'PICTURE_HEAVY', url, bytes: 200_001 }
    const message = `html has a picture with 201 kB, which takes long to load: ${url}.`
    expect(await check()).toEqual([{ ...finding, message, field: 'HTML', path: null }])
    const blocks = [{ type: 'footer' }, { type: 'image', src: url, alt: '' }]
    const content = { version: 1, sections: [{ type: 'section', columns: [{ blocks }] }] }
    await world.run(CampaignContentSet, { input: { id, content } })
    expect(await check()).toMatchObject([{ ...finding, field: 'CONTENT', path: 'sections.0.columns.0.blocks.1' }])
    await setSize(200_000)
    expect(await check()).toEqual([])
  })

  it('distinguishes an audience without contacts from one without consent', async () => {
    const { world, id } = await campaign({ audience: { filter: { tags: { any: ['2000000000'] } } } })
    expect(await codes(world, id)).toEqual(['NO_AUDIENCE'])
    const tagId = (await world.tag()).id
    await world.contact({ addTagIds: [tagId] })
    const other = await draft(world, { audience: { filter: { tags: { any: [tagId] } } } })
    await world.run(CampaignContentSet, { input: { id: other.id, html: link } })
    expect(await codes(world, other.id)).toEqual(['NO_OPTED_IN'])
  })

  it('reports that the audience excludes something that was deleted', async () => {
    const { world, id } = await campaign({
      audience: { filter: { emailMarketing: true, tags: { none: [2_000_000_000, 2_000_000_001] } } },
    })
    const details = {
      'input.audience': [2_000_000_000, 2_000_000_001].map((tag) => `excludes the Tag ${tag}, which was deleted`),
    }
    expect((await check(world, id)).findings).toEqual(
      details['input.audience'].map((problem) =>
        expect.objectContaining({ code: 'AUDIENCE_INVALID', message: `audience ${problem}.` }),
      ),
    )
    const { extensions } = await world.fault(CampaignSend, { input: { id } })
    expect(extensions).toMatchObject({ code: 'VALIDATION_ERROR', details })
  })

  it('warns of a body without an unsubscribe link', async () => {
    const { world, id } = await campaign({ html: '<p>Hello</p>', text: 'Hello' })
    const { canSend, findings } = await check(world, id)
    expect(canSend).toBe(true)
    expect(findings).toMatchObject([
      { code: 'UNSUBSCRIBE_LINK_MISSING', severity: 'WARNING', field: 'HTML' },
      { code: 'UNSUBSCRIBE_LINK_MISSING', severity: 'WARNING', field: 'TEXT' },
    ])
  })

  it('warns of unknown and broken merge fields once per text, with their positions', async () => {
    const html = `<p>{{ nickname : you }} {{NICKNAME}}</p>{{FIELD.Size}} {{FIELD.Nothing}} {{FIRST_NAME}</p>
      {{first-name}} {{VIEW_URL}} {{YEAR}} ${link}`
    const { world, id } = await campaign({ subject: '{{LAST_NAME, {{COMPANY}}', html })
    await world.customField({ name: 'Size' })
    const { canSend, findings } = await check(world, id)
    expect(canSend).toBe(true)
    const at = (field: string, code: string, mergeField: string, offset: number) => ({
      ...{ code, field, mergeField, offset, severity: 'WARNING', message: expect.stringContaining(mergeField) },
    })
    expect(findings).toEqual([
      at('SUBJECT', 'MERGE_FIELD_BROKEN', '{{LAST_NAME,', 0),
      at('HTML', 'MERGE_FIELD_UNKNOWN', '{{NICKNAME}}', 3),
      at('HTML', 'MERGE_FIELD_UNKNOWN', '{{FIELD.Nothing}}', html.indexOf('{{FIELD.Nothing')),
      at('HTML', 'MERGE_FIELD_BROKEN', '{{FIRST_NAME}', html.indexOf('{{FIRST_NAME}')),
      at('HTML', 'MERGE_FIELD_BROKEN', '{{first-name}}', html.indexOf('{{first-name')),
    ])
  })

  it('warns of merge fields of other systems, and of those that it cannot read', async () => {
    const foreign = [
      ...['*|FNAME|*', '*|IF:FNAME|*', '%FIRSTNAME%', '%recipient.first_name%', '%%First Name%%', '$[FNAME|Friend]$'],
      ...[
        '{{ contact.first_name }}',
        "{{ person|lookup:'City' }}",
        '{% if person %}',
        '[Name,fallback=you]',
        '{$name}',
      ],
      ...['[[firstname]]', '{!firstname}', '{{ .Subscriber.Email }}', '{email}'],
    ]
    const url = '<a href="https://a.example/?n=%7b{nick-name%7D%7D&amp;e=%7B%7BEMAIL%7D%7D">x</a>'
    const rest = '<style>a [name] { color: red } input[name] { top: 0 }</style> 20% off, 5%a, a*|b, %C3%A9 [1] {a}'
    const { world, id } = await campaign({ html: `<p>${foreign.join(' ')}</p>${url}${rest}${link}` })
    const { canSend, findings } = await check(world, id)
    expect(canSend).toBe(true)
    const broken = findings.filter(({ code }: { code: string }) => code === 'MERGE_FIELD_BROKEN')
    expect(broken.map(({ mergeField }: { mergeField: string }) => mergeField)).toEqual([
      ...foreign,
      '%7b{nick-name%7D%7D',
    ])
    expect(findings).toHaveLength(broken.length)
  })

  it('lists at most 50 merge fields', async () => {
    const html = Array.from({ length: 2_000 }, (_, n) => `{{UNKNOWN_${n}}}`).join(' ')
    const { world, id } = await campaign({ html: `${html}${link}` })
    expect(await codes(world, id)).toEqual(Array.from({ length: 50 }, () => 'MERGE_FIELD_UNKNOWN'))
  })

  it('warns of HTML that has more than 102 kB in a message', async () => {
    // Tracked links are longer than the links in the body.
    const html = `${'<a href="https://a.example/">a</a>'.repeat(1_800)}${link}`
    expect(html.length).toBeLessThan(62_000)
    const { world, id } = await campaign({ html })
    expect(await check(world, id)).toMatchObject({
      canSend: true,
      findings: [{ code: 'SIZE_OVER_102_KB', severity: 'WARNING', field: 'HTML' }],
    })
    const { world: other, id: shorter } = await campaign({ html: `<p>${'é'.repeat(49_000)}</p>${link}` })
    expect(await codes(other, shorter)).toEqual([])
    const { world: third, id: longer } = await campaign({ html: `<p>${'é'.repeat(51_000)}</p>${link}` })
    expect(await codes(third, longer)).toEqual(['SIZE_OVER_102_KB'])
  })

  it('returns CONTENT_INVALID for a body that cannot be sent', async () => {
    const { world, id, databaseId } = await campaign()
    const store = (body: string) =>
      world.rows(
        `UPDATE document d SET body = $3 FROM campaign c JOIN email e ON e.account_id = c.account_id AND e.id = c.email_id
         WHERE c.account_id = $1 AND c.id = $2 AND d.account_id = c.account_id AND d.id = e.html_document_id`,
        [world.accountId, databaseId, Buffer.from(body)],
      )
    await store('<ul><li>'.repeat(400))
    const { canSend, findings } = await check(world, id)
    expect(canSend).toBe(false)
    expect(findings).toMatchObject([
      { code: 'CONTENT_INVALID', severity: 'ERROR', field: 'HTML', message: expect.stringContaining('at most 200') },
    ])
    threadLimits.milliseconds = 1
    await store(`${'<p>And so on.</p>'.repeat(20_000)}${link}`)
    expect((await check(world, id)).findings).toMatchObject([
      { code: 'CONTENT_INVALID', message: expect.stringContaining('more than 0.001 seconds') },
    ])
  })

  it('returns QUOTA_EXCEEDED only if new recipients of the month or messages exceed what remains', async () => {
    const { world, id } = await campaign({}, { limits: { monthlyRecipients: 1 } })
    const { id: sent } = await draft(world, { audience: { sendToAll: true } })
    expect(await codes(world, id)).toEqual([])
    await world.run(CampaignSend, { input: { id: sent } })
    expect(await codes(world, id)).toEqual([])
    await world.contact({ emailMarketing: true })
    expect(await codes(world, id)).toEqual(['QUOTA_EXCEEDED'])
    const { findings } = await check(world, id)
    const refusal = await world.fault(CampaignSend, { input: { id } })
    expect([refusal.extensions.code, refusal.message]).toEqual(['QUOTA_EXCEEDED', findings[0].message])
    const small = await campaign({}, { limits: { emails: 0 } })
    expect(await codes(small.world, small.id)).toEqual(['QUOTA_EXCEEDED'])
  })

  it('returns null after a campaign was sent, and checks one that failed without its audience', async () => {
    const { world, id, databaseId } = await campaign()
    await world.run(CampaignSchedule, { input: { id, scheduledFor: later } })
    expect(await codes(world, id)).toEqual([])
    await world.run(CampaignSend, { input: { id } })
    expect(await check(world, id)).toBeNull()
    await world.rows('UPDATE contact SET email_marketing = false WHERE account_id = $1', [world.accountId])
    const fail = (code: string) =>
      world.rows(
        "UPDATE campaign SET status = 'ERROR', error_code = $3::campaign_error WHERE account_id = $1 AND id = $2",
        [world.accountId, databaseId, code],
      )
    await fail('PROVIDER_DOWN')
    expect(await codes(world, id)).toEqual([])
    await fail('CANCELLED')
    expect(await check(world, id)).toBeNull()
  })

  it("returns null for another account's campaign", async () => {
    const { id, databaseId } = await campaign()
    const world = await newWorld()
    expect(await check(world, id)).toBeNull()
    expect(await check(world, String(databaseId))).toBeNull()
  })
})

describe('campaignSend', () => {
  it.each([
    [{ subject: '' }, 'NO_SUBJECT'],
    [{ fromEmail: '' }, 'SENDER_MISSING'],
    [{ audience: {} }, 'NO_AUDIENCE'],
  ])('refuses a campaign with %o for the reason that campaignCheck returns', async (input, code) => {
    const { world, id } = await campaign(input)
    const { canSend, findings } = await check(world, id)
    expect([canSend, findings]).toMatchObject([false, [{ code }]])
    const { message, extensions } = await world.fault(CampaignSend, { input: { id } })
    expect([extensions.code, message]).toEqual(['VALIDATION_ERROR', `Invalid input: ${findings[0].message}`])
    const [{ field }] = findings
    const name = field.toLowerCase().replace(/_./g, (part: string) => part.slice(1).toUpperCase())
    const place = name === 'audience' ? { path: 'input.audience' } : { path: 'input.id', member: name }
    expect(extensions).toMatchObject({ fields: [place] })
  })
})
