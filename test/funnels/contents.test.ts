import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { pageSchema } from '../../src/funnels/content/page-document.ts'
import type { World } from '../support/world.ts'
import { ContentSet, inPage, newShop, Publish, page, subdomain } from './documents.ts'

const link = (href: unknown) => page({ type: 'button', text: 'Go', href })
const faultsOf = async (world: World, id: string, content: unknown): Promise<string[]> => {
  const { extensions } = await world.fault(ContentSet, { input: { id, content } })
  expect(extensions.code).toBe('VALIDATION_ERROR')
  return extensions.details?.['input.content'] ?? []
}
const stepOf = async (world: World) => world.step(await world.funnel())
const deep = (levels: number): unknown => (levels === 0 ? 1 : { a: deep(levels - 1) })

const everyElement = [
  { type: 'title', text: 'Bowls', level: 1, align: 'center' },
  { type: 'text', html: '<p>Straight from the <em>fire</em>.</p>' },
  { type: 'image', src: '/d/abc', alt: 'A bowl', href: 'https://example.com', width: 640 },
  { type: 'button', text: 'Next', action: 'next_step' },
  { type: 'video', src: 'https://youtu.be/x', provider: 'youtube' },
  { type: 'form', buttonText: 'Send', marketingConsentText: 'I agree.', fields: [{ name: 'email', required: true }] },
  { type: 'order_form', product: { name: 'Bowl', amount: '12.50', currency: 'EUR' } },
  { type: 'countdown', until: '2026-12-24T18:00:00+01:00' },
  { type: 'countdown', minutes: 15, href: '#late' },
  { type: 'list', items: ['One', { text: 'Two', href: 'mailto:a@example.com' }], ordered: true },
  { type: 'divider' },
  { type: 'spacer', height: 40 },
  { type: 'html', html: '<b>x</b>' },
  { type: 'menu', items: [{ text: 'Home', href: '/' }] },
]

describe('funnelStepContentSet', () => {
  it('saves and publishes a version, including properties that the schema does not define', async () => {
    const world = await newShop()
    const { id } = await stepOf(world)
    const content = { ...page(...everyElement, { type: 'divider', mine: { x: [1] } }), editor: 'v9' }
    const input = { id, content, title: 'Bowls', description: 'All of them.' }
    expect((await world.run(ContentSet, { input })).funnelStepContentSet).toEqual({
      version: 1,
      step: { title: 'Bowls', description: 'All of them.', content, publishedVersion: 1 },
    })
    const asText = { id, content: JSON.stringify(page({ type: 'title', text: 'New' })), publish: false }
    const { funnelStepContentSet } = await world.run(ContentSet, { input: asText })
    expect(funnelStepContentSet).toMatchObject({ version: 2, step: { content, publishedVersion: 1, title: 'Bowls' } })
    const { node } = await world.run(
      'query ($id: ID!) { node(id: $id) { ... on FunnelStep { versions { version content createdAt } } } }',
      { id },
    )
    expect(node.versions.map(({ version }: { version: number }) => version)).toEqual([2, 1])
    expect(node.versions[1].content).toEqual(content)
  })

  it.each([
    ['an unknown element', page({ type: 'marquee' }), `${inPage}.0.type must be one of title`],
    ['an element without a type', page({ text: 'x' }), `${inPage}.0.type must be one of`],
    ['a heading without text', page({ type: 'title' }), `${inPage}.0.text`],
    ['a section that is none', { version: 1, root: [{ type: 'row', children: [] }] }, 'root.0.type'],
    [
      'an element right in a section',
      { version: 1, root: [{ type: 'section', children: [{ type: 'title', text: 'x' }] }] },
      'root.0.children.0.type',
    ],
    ['another version', { version: 2, root: [] }, 'version'],
    ['text', '"x"', ''],
    ['text that is no JSON', '{', 'JSON'],
    ['a list', [], ''],
    ['a number', 1, ''],
    ['NUL in JSON text', JSON.stringify(page({ type: 'title', text: 'a\0' })), `${inPage}.0.text must not contain`],
    [
      'a name that cannot be stored in JSON text',
      JSON.stringify(page({ type: 'divider', 'a\0': 1 })),
      `${inPage}.0 must not have a property`,
    ],
    [
      'an endless number',
      JSON.stringify(page({ type: 'spacer', height: 7 })).replace('7', '1e999'),
      `${inPage}.0.height`,
    ],
    ['__proto__', JSON.stringify(page({ type: 'divider', x: 1 })).replace('"x"', '"__proto__"'), '__proto__'],
    ['what is too deep', { version: 1, root: [], x: deep(12) }, '12 levels'],
    ['too many nodes', page(...Array.from({ length: 1_998 }, () => ({ type: 'divider' }))), '2000 nodes'],
    ['too many bytes', page({ type: 'divider', x: 'x'.repeat(512 * 1024) }), '524288 bytes'],
  ])('returns VALIDATION_ERROR with the place for %s', async (_what, content, place) => {
    const world = await newShop()
    const { id } = await stepOf(world)
    expect((await faultsOf(world, id, content))[0]).toContain(place)
    expect(await world.rows('SELECT 1 FROM step_version WHERE account_id = $1', [world.accountId])).toEqual([])
  })

  it.each([
    ['NUL', page({ type: 'title', text: 'a\0' })],
    ['half a character', page({ type: 'title', text: 'x', more: { y: '\ud800' } })],
    ['a name that cannot be stored', page({ type: 'divider', 'a\0': 1 })],
  ])('returns VALIDATION_ERROR with the field for %s in any variable', async (_what, content) => {
    const world = await newShop()
    const { id } = await stepOf(world)
    const { extensions } = await world.fault(ContentSet, { input: { id, content } })
    expect(extensions.code).toBe('VALIDATION_ERROR')
    expect(Object.keys(extensions.details ?? {})).toEqual([expect.stringMatching(/^input\.content\.root\.0/)])
    expect(await world.rows('SELECT 1 FROM step_version WHERE account_id = $1', [world.accountId])).toEqual([])
  })

  it('accepts content at the limits', async () => {
    const world = await newShop()
    const { id } = await stepOf(world)
    const within = [
      { version: 1, root: [], x: deep(11) },
      page(...Array.from({ length: 1_997 }, () => ({ type: 'divider' }))),
      page({ type: 'divider', x: 'é'.repeat(262_050) }),
      page({ type: 'divider', constructor: 1, toString: 2 }),
    ]
    for (const content of within) await world.run(ContentSet, { input: { id, content } })
  })

  it('returns QUERY_TOO_COMPLEX for deeply nested content', async () => {
    const world = await newShop()
    const { id } = await stepOf(world)
    const { extensions } = await world.fault(ContentSet, { input: { id, content: deep(65) } })
    expect(extensions.code).toBe('QUERY_TOO_COMPLEX')
    const text = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`
    expect((await faultsOf(world, id, text))[0]).toContain('12 levels')
  })

  it.each([
    'https://example.com/a?b=c#d',
    'HTTP://EXAMPLE.COM',
    'mailto:a@example.com',
    'tel:+33123',
    '#top',
    '/thanks',
    'thanks',
    '../x',
    '?a=b',
    '',
  ])('accepts the link %j', async (href) => {
    const world = await newShop()
    const { id } = await stepOf(world)
    await world.run(ContentSet, { input: { id, content: link(href) } })
  })

  it.each([
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    ' javascript:alert(1)',
    'java\nscript:alert(1)',
    '\u0001javascript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'file:///etc/passwd',
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/a\tb',
    'blob:x',
    'https://',
    7,
  ])('returns VALIDATION_ERROR for the link %j', async (href) => {
    const world = await newShop()
    const { id } = await stepOf(world)
    expect((await faultsOf(world, id, link(href)))[0]).toContain(`${inPage}.0.href`)
  })

  it('returns VALIDATION_ERROR for such a link in every known property', async () => {
    const world = await newShop()
    const { id } = await stepOf(world)
    const bad = 'javascript:alert(1)'
    const elements = [
      { type: 'image', src: bad },
      { type: 'video', src: bad },
      { type: 'form', action: bad },
      { type: 'order_form', action: bad },
      { type: 'countdown', href: bad },
      { type: 'menu', items: [{ text: 'x', href: bad }] },
    ]
    expect(await faultsOf(world, id, page(...elements))).toHaveLength(elements.length)
    expect(await faultsOf(world, id, page({ type: 'list', items: [{ text: 'x', href: bad }] }))).toHaveLength(1)
  })

  it('keeps the last hundred versions and the published one', async () => {
    const world = await newShop()
    const { id, databaseId } = await stepOf(world)
    await world.run(ContentSet, { input: { id, content: page() } })
    await world.rows(
      `INSERT INTO step_version (account_id, step_id, version, content, created_at)
       SELECT $1, $2, n, '{}', now() FROM generate_series(2, 150) n`,
      [world.accountId, databaseId],
    )
    await world.run(ContentSet, { input: { id, content: page(), publish: false } })
    const kept = await world.rows<{ version: number }>(
      'SELECT version FROM step_version WHERE account_id = $1 ORDER BY version',
      [world.accountId],
    )
    expect(kept.map(({ version }) => version)).toEqual([1, ...Array.from({ length: 99 }, (_, index) => index + 53)])
  })

  it('numbers concurrent versions without gaps', async () => {
    const world = await newShop()
    const { id } = await stepOf(world)
    const saved = await Promise.all(
      Array.from({ length: 8 }, () => world.run(ContentSet, { input: { id, content: page() } })),
    )
    expect(saved.map(({ funnelStepContentSet }) => funnelStepContentSet.version).sort()).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8,
    ])
  })

  it("returns NOT_FOUND for another account's step", async () => {
    const world = await newShop()
    const { id } = await stepOf(await world.other({ subdomain: subdomain() }))
    expect((await world.fault(ContentSet, { input: { id, content: page() } })).extensions.code).toBe('NOT_FOUND')
    expect((await world.fault(Publish, { input: { id } })).extensions.code).toBe('NOT_FOUND')
  })
})

describe('funnelStepPublish', () => {
  it('publishes an earlier version, or the newest by default', async () => {
    const world = await newShop()
    const { id } = await stepOf(world)
    expect((await world.fault(Publish, { input: { id } })).extensions.code).toBe('NOT_FOUND')
    const [one, two] = [page({ type: 'title', text: '1' }), page({ type: 'title', text: '2' })]
    await world.run(ContentSet, { input: { id, content: one } })
    await world.run(ContentSet, { input: { id, content: two, publish: false } })
    const publish = async (input: object) =>
      (await world.run(Publish, { input: { id, ...input } })).funnelStepPublish.step
    expect(await publish({})).toEqual({ content: two, publishedVersion: 2 })
    expect(await publish({ version: 1 })).toEqual({ content: one, publishedVersion: 1 })
    for (const version of [0, 3, -1, 2_147_483_647]) {
      expect((await world.fault(Publish, { input: { id, version } })).extensions.code).toBe('NOT_FOUND')
    }
  })
})

describe('pageSchema', () => {
  it('equals the committed file', async () => {
    const committed = JSON.parse(await readFile('src/funnels/content/page.schema.json', 'utf8'))
    expect(committed).toEqual(JSON.parse(JSON.stringify(pageSchema)))
    const world = await newShop()
    expect(await world.run('{ pageSchema }')).toEqual({ pageSchema: committed })
  })
})
