import { describe, expect, it } from 'vitest'
import { createSubscriber, headerOf, newMailWorld, oneClickUrl, ownUrls } from './reading.ts'

describe('a message', () => {
  it('contains the HTML body and text generated from it', async () => {
    const { world, send } = await newMailWorld()
    await createSubscriber(world, { email: 'bob@example.com', firstName: 'Bob', lastName: 'Dylan, MA' })
    const html = '<!doctype html><html><body><!-- kept --><h1>News</h1><p class=x>It is  spring.</p></body></html>'
    const [received] = await send({
      html,
      subject: 'Grüße, "all"',
      fromName: 'Ada, Countess',
      fromEmail: 'ada@example.org',
    })
    if (!received) throw new Error('Nothing came.')
    expect(received.html).toContain('<!-- kept --><h1>News</h1><p class=x>It is  spring.</p>')
    expect(received.text).toContain('News\n\nIt is spring.')
    expect(received.mail.subject).toBe('Grüße, "all"')
    expect(received.mail.from?.value).toEqual([{ name: 'Ada, Countess', address: 'ada@example.org' }])
    expect(received.mail.to).toMatchObject({ value: [{ name: 'Bob Dylan, MA', address: 'bob@example.com' }] })
    expect([received.to, received.from]).toEqual(['bob@example.com', 'ada@example.org'])
    expect(received.mail.messageId).toMatch(/^<[0-9a-z]+\.[0-9a-z]+\.[0-9a-f]{24}@example\.org>$/)
    expect(received.mail.attachments).toEqual([])
  })

  it('contains the text body if there is one', async () => {
    const { world, send } = await newMailWorld()
    await createSubscriber(world, { firstName: 'Bob' })
    const [received] = await send({ html: '<p>Hello</p>', text: 'Hi {{FIRST_NAME}}, bye {{UNSUBSCRIBE_URL}}' })
    expect(received?.text).toBe(`Hi Bob, bye ${received && oneClickUrl(received)}`)
  })

  it('fills merge fields for each contact', async () => {
    const { world, send } = await newMailWorld({}, { timezone: 'Asia/Tokyo' })
    const size = await world.customField({ name: 'Shoe size' })
    await createSubscriber(world, {
      email: 'bob+x@example.com',
      firstName: '<b>Bob & "co"</b>',
      companyName: '{{EMAIL}}',
      customFields: [{ customFieldId: size.id, value: '43½' }],
    })
    await createSubscriber(world, { email: 'eve@example.com' })
    const html = `<p title="{{FIRST_NAME}}">Hi {{FIRST_NAME:there}}, size {{ field.Shoe size : unknown }}, {{COMPANY}}{{NOTHING}}.</p>
      <p>{{YEAR}}</p>`
    const letters = await send({ html, subject: 'For {{FIRST_NAME:you}}: {{FIELD.Shoe size:?}}' }, 2)
    const [bob, eve] = letters.sort((a, b) => (a.to < b.to ? -1 : 1))
    expect(bob?.html).toContain('title="&#60;b&#62;Bob &#38; &#34;co&#34;&#60;/b&#62;"')
    expect(bob?.html).toContain('Hi &#60;b&#62;Bob &#38; &#34;co&#34;&#60;/b&#62;, size 43½, {{EMAIL}}.</p>')
    expect(bob?.mail.subject).toBe('For <b>Bob & "co"</b>: 43½')
    expect(bob?.text).toContain('Hi <b>Bob & "co"</b>, size 43½, {{EMAIL}}.')
    expect(eve?.html).toContain('Hi there, size unknown, .</p>')
    expect(eve?.mail.subject).toBe('For you: ?')
    const year = new Intl.DateTimeFormat('en', { timeZone: 'Asia/Tokyo', year: 'numeric' }).format(new Date())
    expect(eve?.html).toContain(`<p>${year}</p>`)
  })

  it('does not let values inject headers, recipients or attributes', async () => {
    const { world, send } = await newMailWorld()
    const field = await world.customField({ name: 'Evil' })
    await createSubscriber(world, {
      email: 'bob@example.com',
      firstName: 'Bob\r\nBcc: eve@example.com',
      lastName: '<eve@example.com>, Eve',
      customFields: [{ customFieldId: field.id, value: 'x onclick=alert(1)' }],
    })
    const [received] = await send({ html: '<p class={{FIELD.Evil}}>Hi</p>', subject: 'Hi {{FIRST_NAME}}' })
    expect(received?.mail.subject).toBe('Hi Bob Bcc: eve@example.com')
    expect(received?.mail.headers.has('bcc')).toBe(false)
    expect(received?.mail.to).toMatchObject({ value: [{ address: 'bob@example.com' }] })
    expect(received?.html).toContain('<p class=x&#32;onclick&#61;alert(1)>')
  })

  it('tracks HTTP links and no others', async () => {
    const { world, send } = await newMailWorld()
    const site = await world.customField({ name: 'Site', type: 'URL' })
    await createSubscriber(world, { customFields: [{ customFieldId: site.id, value: 'https://bob.example/' }] })
    const html = `<a href="https://shop.example/?a=1&amp;b={{EMAIL}}">1</a><A HREF='http://shop.example/two'>2</A>
      <a href="https://shop.example/?a=1&#38;b={{EMAIL}}">3</a><a href="mailto:ada@example.com">4</a><a href="#top">5</a>
      <a href="{{FIELD.Site}}">6</a><a href="{{UNSUBSCRIBE_URL}}">7</a><img src="https://shop.example/logo.png">`
    const [received] = await send({ html })
    if (!received) throw new Error('Nothing came.')
    const [first, second, third] = ownUrls(received, '/t/c/')
    expect(ownUrls(received, '/t/c/')).toHaveLength(3)
    expect(third).toBe(first)
    expect(second).not.toBe(first)
    expect(received.html).toContain('href="mailto:ada@example.com"')
    expect(received.html).toContain('href="#top"')
    expect(received.html).toContain('href="https://bob.example/"')
    expect(received.html).toContain('src="https://shop.example/logo.png"')
    expect(ownUrls(received, '/u/')).toEqual([oneClickUrl(received)])
    expect(await world.rows('SELECT url FROM mail_link WHERE account_id = $1 ORDER BY id', [world.accountId])).toEqual([
      { url: 'https://shop.example/?a=1&b={{EMAIL}}' },
      { url: 'http://shop.example/two' },
    ])
  })

  it('ends with an unsubscribe link if the body has none, and with one pixel', async () => {
    const { world, send } = await newMailWorld()
    await createSubscriber(world)
    const [received] = await send({ html: '<html><body><p>Hello</p></body></html>' })
    if (!received) throw new Error('Nothing came.')
    expect(ownUrls(received, '/u/')).toEqual([oneClickUrl(received)])
    expect(received.text).toContain(`Unsubscribe: ${oneClickUrl(received)}`)
    expect(ownUrls(received, '/t/o/')).toHaveLength(1)
    expect(received.html).toMatch(/\/t\/o\/[\w-]+"[^>]*><\/body><\/html>\s*$/)
  })

  it('has one-line headers for one-click unsubscription', async () => {
    const { world, send } = await newMailWorld()
    await createSubscriber(world)
    const [received] = await send({ html: '<p>Hello</p>' })
    if (!received) throw new Error('Nothing came.')
    expect(received.raw).toMatch(/^List-Unsubscribe: <http:\/\/127\.0\.0\.1:\d+\/u\/[\w-]{17,60}>\r$/m)
    expect(headerOf(received, 'list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click')
  })

  it('has a return address of its own if one is configured', async () => {
    const { world, send } = await newMailWorld({ MAIL_RETURN_PATH: 'b@bounces.example.com' })
    await createSubscriber(world)
    const [received] = await send({ html: '<p>Hello</p>', fromEmail: 'ada@example.org' })
    const [token] = (received?.mail.messageId ?? '').slice(1).split('@')
    expect(received?.from).toBe(`b+${token}@bounces.example.com`)
    expect(received?.mail.from?.value[0]?.address).toBe('ada@example.org')
  })
})
