import { describe, expect, it } from 'vitest'
import { page } from '../funnels/documents.ts'
import { requestPage, type VisitOptions } from '../funnels/visiting.ts'
import { until } from '../runtime/process.ts'
import { createSubscriber, newMailWorld, oneClickUrl, ownUrls, type Received } from './reading.ts'
import { createSubscribers, sendCampaign, waitForStatus } from './sending.ts'

const person = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Thunderbird/140.0'

/** Asks as a mail program does: no cookie, no key, no redirect followed. */
function ask(url: string, init: RequestInit = {}) {
  return fetch(url, { redirect: 'manual', ...init, headers: { 'user-agent': person, ...init.headers } })
}

async function delivered(html: string, contact: Record<string, unknown> = {}) {
  const post = await newMailWorld()
  const { world } = post
  const who = await createSubscriber(world, contact)
  const [letter] = (await post.send({ html })) as [Received]
  const stats = async () =>
    (await world.run('{ campaigns { nodes { stats { sent opened clicked unsubscribed } } } }')).campaigns.nodes[0].stats
  const rows = (table: string) =>
    world.rows(`SELECT is_bot AS bot FROM ${table} WHERE account_id = $1 ORDER BY id`, [world.accountId])
  return { ...post, who, letter, stats, rows }
}

describe('the open pixel', () => {
  it('records an open, and is not cached', async () => {
    const { world, letter, stats, rows } = await delivered('<p>Hello</p>')
    const [pixel = ''] = ownUrls(letter, '/t/o/')
    for (const _time of [1, 2]) {
      const response = await ask(pixel)
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/gif'])
      expect(response.headers.get('cache-control')).toBe('no-store')
      expect(response.headers.get('set-cookie')).toBeNull()
      expect((await response.arrayBuffer()).byteLength).toBe(43)
    }
    expect(await stats()).toEqual({ sent: 1, opened: 1, clicked: 0, unsubscribed: 0 })
    expect(await rows('mail_open')).toHaveLength(2)
    expect(await world.announced('email.opened')).toHaveLength(1)
  })

  it('records nothing for HEAD requests and scanners', async () => {
    const { letter, stats, rows } = await delivered('<p>Hello</p>')
    const [pixel = ''] = ownUrls(letter, '/t/o/')
    expect((await ask(pixel, { method: 'HEAD' })).status).toBe(200)
    expect(await rows('mail_open')).toEqual([])
    await ask(pixel, { headers: { 'sec-purpose': 'prefetch;prerender' } })
    await ask(pixel, { headers: { 'user-agent': 'Barracuda Sentinel (EE)' } })
    expect(await rows('mail_open')).toEqual([{ bot: true }, { bot: true }])
    expect((await stats()).opened).toBe(0)
  })

  it('is at no address that was made up', async () => {
    const { letter, rows } = await delivered('<p><a href="https://shop.example/">Shop</a></p>')
    const [pixel = ''] = ownUrls(letter, '/t/o/')
    const [link = ''] = ownUrls(letter, '/t/c/')
    const token = pixel.slice(pixel.lastIndexOf('/') + 1)
    const base = pixel.slice(0, pixel.lastIndexOf('/') + 1)
    const last = token.endsWith('A') ? 'B' : 'A'
    const forged = [
      `${token.slice(0, -1)}${last}`,
      `${token}A`,
      token.slice(0, -1),
      token.toUpperCase(),
      link.slice(link.lastIndexOf('/') + 1),
      oneClickUrl(letter).split('/u/')[1] ?? '',
      'A'.repeat(30),
      '%00',
      'x'.repeat(5_000),
    ]
    for (const each of forged) expect((await ask(`${base}${each}`)).status, each).toBe(404)
    expect((await ask(link.replace(/[\w-]{4}$/, 'AAAA'))).status).toBe(404)
    expect((await ask(pixel, { method: 'POST' })).status).toBe(405)
    expect(await rows('mail_open')).toEqual([])
  })
})

describe('a tracked link', () => {
  const html = `<a href="https://shop.example/a b?q=%20&amp;who={{EMAIL}}&amp;x={{FIRST_NAME:nobody}}">Shop</a>`

  it('redirects to its target, and records a click', async () => {
    const { world, who, letter, stats } = await delivered(html, { email: 'bob+x@example.com' })
    const [link = ''] = ownUrls(letter, '/t/c/')
    const response = await ask(link)
    expect([response.status, response.headers.get('location')]).toEqual([
      302,
      'https://shop.example/a%20b?q=%20&who=bob%2Bx%40example.com&x=nobody',
    ])
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('referrer-policy')).toBe('no-referrer')
    expect(await stats()).toEqual({ sent: 1, opened: 0, clicked: 1, unsubscribed: 0 })
    expect(await world.announced('email.clicked')).toMatchObject([
      {
        data: {
          contactId: who.databaseId,
          url: 'https://shop.example/a b?q=%20&who={{EMAIL}}&x={{FIRST_NAME:nobody}}',
        },
      },
    ])
  })

  it('redirects HEAD requests, scanners and deleted contacts without recording a click', async () => {
    const { world, who, letter, stats, rows } = await delivered(html)
    const [link = ''] = ownUrls(letter, '/t/c/')
    expect((await ask(link, { method: 'HEAD' })).status).toBe(302)
    expect((await ask(link, { headers: { 'user-agent': 'Mimecast/1.0' } })).status).toBe(302)
    expect((await stats()).clicked).toBe(0)
    expect(await rows('mail_click')).toEqual([{ bot: true }])
    await world.run('mutation ($id: ID!) { contactDelete(input: { contact: { id: $id } }) { deleted } }', who)
    const response = await ask(link)
    expect(response.headers.get('location')).toBe('https://shop.example/a%20b?q=%20&who=&x=nobody')
    expect(world.server.errors).toEqual([])
  })
})

describe('a message as a page', () => {
  const html = '<p>Hi {{FIRST_NAME}}</p><script>alert(1)</script><a href="{{VIEW_URL}}">In the browser</a>'

  it('shows the rendered message without scripts', async () => {
    const { letter } = await delivered(html, { firstName: 'Bob' })
    const [page = ''] = ownUrls(letter, '/t/v/')
    const response = await ask(page)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(response.headers.get('x-robots-tag')).toBe('noindex')
    expect(response.headers.get('content-security-policy')).toMatch(/^sandbox(?!.*allow-(scripts|same-origin|forms))/)
    expect(await response.text()).toBe(letter.html.trim())
    expect(letter.html).toContain('Hi Bob')
  })

  it('returns 404 for invalid tokens and deleted contacts', async () => {
    const { world, who, letter } = await delivered(html)
    const [page = ''] = ownUrls(letter, '/t/v/')
    const other = oneClickUrl(letter).split('/u/')[1]
    expect((await ask(page.replace(/[\w-]{4}$/, 'AAAA'))).status).toBe(404)
    expect((await ask(page.replace(/[\w-]+$/, other ?? ''))).status).toBe(404)
    expect((await ask(page, { method: 'POST' })).status).toBe(405)
    await world.run('mutation ($id: ID!) { contactDelete(input: { contact: { id: $id } }) { deleted } }', who)
    expect((await ask(page)).status).toBe(404)
    expect(world.server.errors).toEqual([])
  })
})

describe('a click', () => {
  it('identifies the browser on funnel pages, unless it comes from a bot', async () => {
    const { world, send: sendAll } = await newMailWorld({ HOST: 'localhost' })
    await createSubscriber(world, { email: 'ada@example.com', firstName: 'Ada', phone: '+44 1' })
    const funnel = await world.funnel()
    const step = await world.step(funnel, { content: page({ type: 'text', text: 'Phone: {{PHONE:none}}' }) })
    const [account] = await world.rows<{ subdomain: string }>('SELECT subdomain FROM account WHERE id = $1', [
      world.accountId,
    ])
    const path = `/p/${account?.subdomain}/${funnel.databaseId}/${step.path}`
    const own = new URL(world.server.url).host
    const host = `${account?.subdomain}.${own}`
    const hostedPath = `/${funnel.databaseId}/${step.path}`
    const [letter] = (await sendAll({
      html: `<p><a href="http://${own}${path}">Here</a> <a href="http://${host}${hostedPath}">there</a></p>`,
    })) as [Received]
    const [here = '', there = ''] = [...letter.html.matchAll(/"http:\/\/[^/]+(\/t\/c\/[\w-]+)/g)].map((each) => each[1])
    const follow = (link: string, options: VisitOptions = {}) =>
      requestPage(world.server, link, { ...options, headers: { host: own, ...options.headers } })
    expect((await follow(here, { headers: { 'user-agent': 'Barracuda Sentinel (EE)' } })).cookie).toBeUndefined()
    expect((await follow(here, { method: 'HEAD' })).cookie).toBeUndefined()
    const clicked = await follow(here)
    expect(clicked.headers['location']).toBe(`http://${own}${path}`)
    expect((await follow(path, { cookie: clicked.cookie })).body).toContain('Phone: +44 1')
    // A page on the account's own host has cookies of its own: the click is made there once more, and counted once.
    const first = await follow(there)
    expect([first.headers['location'], first.cookie]).toEqual([`http://${host}${there}?there`, undefined])
    const second = await follow(`${there}?there`, { headers: { host } })
    expect(second.headers['location']).toBe(`http://${host}${hostedPath}`)
    expect((await follow(hostedPath, { headers: { host }, cookie: second.cookie })).body).toContain('Phone: +44 1')
    const clicks = 'SELECT is_bot AS bot FROM mail_click WHERE account_id = $1 ORDER BY is_bot'
    expect(await world.rows(clicks, [world.accountId])).toEqual([{ bot: false }, { bot: false }, { bot: true }])
  })

  it('replaces the identity of a visitor who only typed the address', async () => {
    const { world, send: sendAll } = await newMailWorld()
    const form = await world.form({ questions: [{ label: 'E-mail', type: 'EMAIL' }] })
    const funnel = await world.funnel()
    const step = await world.step(funnel, { content: page({ type: 'text', text: 'Phone: {{PHONE:none}}' }) })
    const [account] = await world.rows<{ subdomain: string }>('SELECT subdomain FROM account WHERE id = $1', [
      world.accountId,
    ])
    const path = `/p/${account?.subdomain}/${funnel.databaseId}/${step.path}`
    const typed = await requestPage(world.server, `/f/${form.databaseId}`, {
      form: { [`q${form.questions[0]?.databaseId}`]: 'ada@example.com' },
    })
    const document = `mutation { contactUpdate(input: { contact: { email: "ada@example.com" }, phone: "+44 1", emailMarketing: true }) {
      contact { id } } }`
    await world.run(document)
    expect((await requestPage(world.server, path, { cookie: typed.cookie })).body).toContain('Phone: +44 1')
    const [letter] = (await sendAll({ html: '<p><a href="https://example.com/">Shop</a></p>' })) as [Received]
    const clicked = await ask(ownUrls(letter, '/t/c/')[0] ?? '')
    expect((await requestPage(world.server, path, { cookie: typed.cookie })).body).toContain('Phone: none')
    const cookie = clicked.headers.get('set-cookie')?.split(';')[0]
    expect((await requestPage(world.server, path, { cookie })).body).toContain('Phone: +44 1')
  })
})

describe('the unsubscribe link', () => {
  const Contact = `query ($ref: ContactRefInput!) { contact(ref: $ref) { emailMarketing
    consents { nodes { kind granted source text ip } } sequences { name } } }`

  it('shows a page that changes nothing', async () => {
    const { world, who, letter } = await delivered('<p>Hello</p>', { email: 'bob@example.com' })
    for (const method of ['GET', 'HEAD', 'GET']) {
      const response = await ask(oneClickUrl(letter), { method })
      expect(response.status).toBe(200)
      expect(response.headers.get('set-cookie')).toBeNull()
      expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
      const page = await response.text()
      if (method === 'HEAD') continue
      expect(page).toContain('b***@example.com')
      expect(page).toContain('Ada &#38; Co')
      expect(page).not.toContain('bob@example.com')
    }
    expect((await world.run(Contact, { ref: { id: who.id } })).contact.emailMarketing).toBe(true)
  })

  it.each([
    ['a mail program', 'List-Unsubscribe=One-Click', 'list-unsubscribe', ''],
    ['the page', 'page=yes', 'unsubscribe-page', 'Unsubscribe from all e-mail from Ada & Co?'],
  ])('is taken by %s with one POST, once however often', async (_who, body, source, text) => {
    const { world, who, letter, stats } = await delivered('<p>Hello</p>')
    const sequence = await world.sequence()
    await world.stage(sequence, { active: true })
    await world.subscribe(who, sequence)
    const post = () =>
      ask(oneClickUrl(letter), {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      })
    const responses = await Promise.all([post(), post(), post()])
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200])
    const { contact } = await world.run(Contact, { ref: { id: who.id } })
    expect(contact).toMatchObject({ emailMarketing: false, sequences: [] })
    const withdrawn = contact.consents.nodes.filter(({ granted }: { granted: boolean }) => !granted)
    expect(withdrawn).toEqual([
      { kind: 'EMAIL_MARKETING', granted: false, source, text, ip: expect.stringContaining('127.0.0.1') },
    ])
    expect((await stats()).unsubscribed).toBe(1)
    const noted = () =>
      world.rows('SELECT unsubscribed_at AS at FROM mail_recipient WHERE account_id = $1', [world.accountId])
    const first = await noted()
    expect((await post()).status).toBe(200)
    expect(await noted()).toEqual(first)
    expect(await world.announced('contact.unsubscribed')).toHaveLength(1)
    expect(world.server.errors).toEqual([])
  })

  it('accepts multipart one-click requests', async () => {
    const { world, letter } = await delivered('<p>Hello</p>')
    const form = new FormData()
    form.set('List-Unsubscribe', 'One-Click')
    expect((await ask(oneClickUrl(letter), { method: 'POST', body: form })).status).toBe(200)
    const sources = await world.rows('SELECT source FROM contact_consent WHERE account_id = $1 AND NOT granted', [
      world.accountId,
    ])
    expect(sources).toEqual([{ source: 'list-unsubscribe' }])
  })

  it('returns 404 for deleted messages, and accepts only its own requests', async () => {
    const { world, who, letter } = await delivered('<p>Hello</p>')
    const url = oneClickUrl(letter)
    expect((await ask(url.replace(/[\w-]{4}$/, 'AAAA'), { method: 'POST' })).status).toBe(404)
    expect((await ask(url, { method: 'DELETE' })).status).toBe(405)
    expect((await ask(url, { method: 'POST', body: 'x'.repeat(100_000) })).status).toBe(413)
    expect((await world.run(Contact, { ref: { id: who.id } })).contact.emailMarketing).toBe(true)
    await world.run('mutation ($id: ID!) { contactDelete(input: { contact: { id: $id } }) { deleted } }', who)
    expect((await ask(url, { method: 'POST' })).status).toBe(404)
    expect((await ask(url)).status).toBe(404)
    expect(world.server.errors).toEqual([])
  })

  it('works while a campaign is being sent: only messages in flight are still sent', async () => {
    const firstLeft = Promise.withResolvers<void>()
    let asked = 0
    // At the half of the second campaign, waits until the first contacts have unsubscribed.
    const beforeAnswer = () => {
      asked += 1
      return asked > 200 + 100 ? firstLeft.promise : undefined
    }
    const { world, sink, send: sendAll } = await newMailWorld({}, {}, { delay: 20, beforeAnswer })
    await createSubscribers(world, 200)
    const ways = new Map((await sendAll({ html: '<p>First</p>' }, 200)).map((each) => [each.to, oneClickUrl(each)]))
    const before = sink.taken.length
    const { id } = await sendCampaign(world)
    await until(() => sink.taken.length >= before + 10)
    const written = new Set(sink.taken.slice(before).map(({ to }) => to))
    const leaving = [...ways].filter(([to]) => !written.has(to)).slice(-60)
    const answered = new Map<string, number>()
    for (let n = 0; n < leaving.length; n += 10) {
      const some = leaving.slice(n, n + 10)
      const init = { method: 'POST', body: 'List-Unsubscribe=One-Click' }
      await Promise.all(
        some.map(async ([to, url]) => {
          const { status } = await ask(url, init)
          expect({ status, errors: world.server.errors }).toEqual({ status: 200, errors: [] })
          answered.set(to, sink.taken.length)
        }),
      )
      firstLeft.resolve()
    }
    const { sentTo } = await waitForStatus(world, id, 'SENT')
    const second = sink.taken.slice(before)
    expect([second.length, new Set(second.map(({ to }) => to)).size]).toEqual([sentTo, sentTo])
    // In flight are as many as there are connections, each of which answers after the same time.
    const late = sink.taken.filter(({ to }, place) => place >= before && place - (answered.get(to) ?? place) > 30)
    expect(late).toEqual([])
    expect(sentTo).toBeLessThan(200)
  })
})
