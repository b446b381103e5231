import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { newShop, page } from '../funnels/documents.ts'
import { requestPage } from '../funnels/visiting.ts'
import { createSubscriber, newMailWorld, oneClickUrl } from '../mail/reading.ts'
import { newWorld, type World } from '../support/world.ts'

const Update = 'mutation ($input: BrandUpdateInput!) { brandUpdate(input: $input) { brand { updatedAt } } }'
const brand = { contentColor: '#0b1d2c', textColor: '#f2e8d5', accentColor: '#ffdd00', font: 'GEORGIA' }

/** Returns the CSS of a page, which its policy must allow by its hash. */
function cssOf({ body, headers }: { body: string; headers: object }): string {
  const css = /<style>([\s\S]*?)<\/style>/.exec(body)?.[1] ?? ''
  const hash = createHash('sha256').update(css).digest('base64')
  expect(new Headers(headers as Record<string, string>).get('content-security-policy')).toContain(`'sha256-${hash}'`)
  return css
}

async function newPath(world: World, settings: object): Promise<string> {
  const funnel = await world.funnel()
  const step = await world.step(funnel, { content: { ...page({ type: 'title', text: 'Hello' }), settings } })
  const [account] = await world.rows<{ subdomain: string }>('SELECT subdomain FROM account WHERE id = $1', [
    world.accountId,
  ])
  return `/p/${account?.subdomain}/${funnel.databaseId}/${step.path}`
}

describe('a funnel page', () => {
  let world: World
  beforeAll(async () => {
    world = await newShop()
  })
  const styleOf = async (path: string) => {
    const { body, headers } = await requestPage(world.server, path)
    return {
      etag: headers['etag'],
      csp: String(headers['content-security-policy']).replace(/sha256-[^']+/g, ''),
      css: body,
    }
  }

  it('has the colours and the font of the brand at once, under the same policy', async () => {
    const path = await newPath(world, {})
    const before = await styleOf(path)
    expect(before.css).not.toContain('Georgia')
    await world.run(Update, { input: brand })
    const after = await styleOf(path)
    for (const text of ['#0b1d2c', '#f2e8d5', '--c-accent:#ffdd00', "--font:'Georgia','Times',serif"])
      expect(after.css.replace(/&#39;|, */g, (part) => (part.startsWith(',') ? ',' : "'"))).toContain(text)
    expect(after.csp).toBe(before.csp)
    expect(after.etag).not.toBe(before.etag)
    await world.run(Update, { input: { accentColor: '#00aa88' } })
    expect((await styleOf(path)).css).toContain('--c-accent:#00aa88')
  })

  it('keeps its own colours and font, and takes no text colour for a background of its own', async () => {
    await world.run(Update, { input: brand })
    const path = await newPath(world, { backgroundColor: '#ffffff', fontFamily: 'Verdana', accentColor: '#112233' })
    const { css } = await styleOf(path)
    expect(css).not.toMatch(/#f2e8d5|#0b1d2c|#ffdd00|Georgia/)
    expect(css).toContain('--c-accent:#112233')
    const query = '{ funnels(first: 2) { nodes { steps { preview } } } }'
    const steps = (await world.run(query)).funnels.nodes.flatMap((each: { steps: { preview: string }[] }) => each.steps)
    expect(steps.filter(({ preview }: { preview: string }) => preview?.includes('#0b1d2c'))).toHaveLength(1)
  })
})

describe('the unsubscribe page', () => {
  it('has the colours and the font of the brand', async () => {
    const { world, send } = await newMailWorld()
    await createSubscriber(world)
    const [message] = await send({ html: '<p>x</p>' })
    if (!message) throw new Error('No message was sent.')
    const read = async () => (await fetch(oneClickUrl(message))).text()
    expect(await read()).not.toContain('Georgia')
    await world.run(Update, { input: brand })
    const html = await read()
    expect(html).toContain('body { background: #0b1d2c; color: #f2e8d5; font-family: Georgia, Times, serif }')
    expect(html).toContain('button { background: #ffdd00; color: #000000 }')
  })
})

describe('the page of a form', () => {
  it('has the colours and the font of the brand, also in its preview, its result and its faults', async () => {
    const world = await newWorld()
    const questions = [{ label: 'Which kiln?', type: 'SHORT_TEXT', required: true }]
    const form = await world.form({ questions })
    const path = `/f/${form.databaseId}`
    expect(cssOf(await requestPage(world.server, path))).not.toContain('Georgia')
    await world.run(Update, { input: brand })
    const shown = await requestPage(world.server, path)
    const css = cssOf(shown)
    expect(css).toContain('body { background: #0b1d2c; font-family: Georgia, Times, serif }')
    for (const value of ['--c-text: #f2e8d5', '--c-accent: #ffdd00', '--c-on-accent: #16181d', 'color-scheme: dark'])
      expect(css).toContain(value)
    const name = /name="(q\d+)"/.exec(shown.body)?.[1] ?? ''
    const at = /name="at" value="(\d+)"/.exec(shown.body)?.[1] ?? ''
    const refused = await requestPage(world.server, path, { form: { at, [name]: '' }, cookie: shown.cookie })
    expect(refused.status).toBe(422)
    expect(cssOf(refused)).toContain('#0b1d2c')
    const done = await requestPage(world.server, path, { form: { at, [name]: 'Gas' }, cookie: shown.cookie })
    const result =
      done.status === 303 ? await requestPage(world.server, path, { cookie: done.cookie || shown.cookie }) : done
    expect(result.body).toContain('Thank you!')
    expect(cssOf(result)).toContain('#0b1d2c')
    const { form: previewed } = await world.run('query ($id: ID!) { form(id: $id) { preview } }', { id: form.id })
    expect(previewed.preview).toContain('#0b1d2c')
    const wrong = await requestPage(world.server, path, { form: 'x', headers: { 'content-type': 'text/plain' } })
    expect(wrong.status).toBe(415)
    // An error is of the server, and so is its style.
    expect(cssOf(wrong)).not.toContain('#0b1d2c')
  })
})
