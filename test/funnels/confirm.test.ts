import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { enqueueReminders } from '../../src/funnels/index.ts'
import { settableClock } from '../../src/kernel/clock.ts'
import { temporaryFolder } from '../runtime/process.ts'
import { newServer, type Server } from '../support/server.ts'
import type { World } from '../support/world.ts'
import { newShop, page, StepUpdate } from './documents.ts'
import { idle, mailboxOf } from './mailbox.ts'
import { requestPage } from './visiting.ts'

const form = { type: 'form', id: 'join', marketingConsentText: 'Yes, write to me about bowls.' }
const start = new Date('2026-05-01T12:00:00Z')
const day = 24 * 60 * 60 * 1000
const minute = 60 * 1000

describe('an opt-in with confirmation', () => {
  let server: Server
  let messagesTo: ReturnType<typeof mailboxOf>['messagesTo']
  let findEmail: ReturnType<typeof mailboxOf>['findEmail']
  const clock = settableClock(start)
  beforeAll(async () => {
    const folder = await temporaryFolder()
    ;({ messagesTo, findEmail } = mailboxOf(folder))
    server = await newServer({ ROLES: 'api,worker', DATA_DIR: folder }, { clock })
  })

  /** Creates an opt-in page that adds a tag. It needs no script and no session. */
  async function newPage(element: object = form) {
    clock.set(start)
    const world = await newShop({ server })
    await world.run(
      `mutation { accountUpdate(input: { doubleOptIn: true, senderEmail: "shop@example.com", senderName: "Kiln" }) {
        account { doubleOptIn } } }`,
    )
    const funnel = await world.funnel()
    const step = await world.step(funnel, {
      content: page(element, { type: 'text', text: 'Hello {{FIRST_NAME:you}}' }),
    })
    const tag = await world.tag('bowls')
    await world.run(StepUpdate, { input: { id: step.id, tagIds: [tag.id] } })
    const [account] = await world.rows<{ subdomain: string }>('SELECT subdomain FROM account WHERE id = $1', [
      world.accountId,
    ])
    const path = `/p/${account?.subdomain}/${funnel.databaseId}/${step.path}`
    const postOptIn = (email: string, options: object = {}) =>
      requestPage(server, path, { form: { form: 'join', email, firstname: 'Ada', consent: 'yes' }, ...options })
    return { world, path, postOptIn, funnel, form: step.form }
  }
  const contactOf = async (world: World, email: string) =>
    (
      await world.run(
        `query ($e: String) { contacts(filter: { email: { eq: $e } }) { nodes { emailMarketing firstName tags { name }
          consents { nodes { text source ip granted } } } } }`,
        { e: email },
      )
    ).contacts.nodes[0]

  it('of an order without a consent proves the address, and grants none', async () => {
    const product = { name: 'Bowl', amount: '1', currency: 'EUR' }
    const boxes = { termsText: 'The terms of sale.', marketingConsentText: 'News, please.' }
    const { world, path } = await newPage({ type: 'order_form', id: 'buy', product, ...boxes })
    const email = 'buyer@example.com'
    const buy = (more: object = {}) =>
      requestPage(server, path, { form: { form: 'buy', email, first_name: 'Bea', terms: 'yes', ...more } })
    await buy()
    const { received, link } = await findEmail(email)
    expect(received?.subject).toBe('Please confirm your address: Ada & Co')
    const looked = await requestPage(server, link)
    expect(looked.body).toContain('Yes, this is my address.')
    expect(looked.body).not.toContain('want to get e-mail')
    const { body } = await requestPage(server, link, { form: {} })
    expect(body).toContain('Your address is confirmed.')
    expect(body).not.toContain('You will get')
    const nothing = { emailMarketing: false, consents: { nodes: [] } }
    expect(await contactOf(world, email)).toMatchObject({ ...nothing, firstName: 'Bea', tags: [{ name: 'bowls' }] })
    expect(await world.announced('funnel.opt_in')).toHaveLength(1)
  })

  it('grants the consent of a question that was ticked on a page', async () => {
    const { world, path, form } = await newPage({ type: 'order_form', id: 'buy', product: { name: 'B', amount: '1' } })
    const input = { formId: form.id, label: 'Write to me.', type: 'CONSENT' }
    const { question } = (
      await world.run(
        'mutation ($input: FormQuestionCreateInput!) { formQuestionCreate(input: $input) { question { databaseId } } }',
        { input },
      )
    ).formQuestionCreate
    const email = 'asked@example.com'
    await requestPage(server, path, { form: { form: 'buy', email, [`q${question.databaseId}`]: 'true' } })
    const { link } = await findEmail(email)
    await requestPage(server, link, { form: {} })
    expect(await contactOf(world, email)).toMatchObject({
      emailMarketing: true,
      consents: { nodes: [{ text: 'Write to me.\nYes, I want to get e-mail from Ada & Co.', ip: '127.0.0.1' }] },
    })
  })

  it('sends an e-mail, and applies nothing before it is confirmed', async () => {
    const { world, postOptIn, path, funnel } = await newPage()
    const email = 'first@example.com'
    const posted = await postOptIn(email)
    expect([posted.status, posted.headers['location']]).toEqual([303, './welcome?thanks=mail'])
    expect((await requestPage(server, `${path}?thanks=mail`)).body).toContain('check your e-mail')
    const { received, link } = await findEmail(email)
    expect([received?.from?.text, received?.subject]).toEqual([
      '"Kiln" <shop@example.com>',
      'Please confirm: e-mail from Ada & Co',
    ])
    expect(received?.html).toContain('Ada &#38; Co')
    expect(await contactOf(world, email)).toMatchObject({ emailMarketing: false, tags: [], consents: { nodes: [] } })
    expect(await world.announced('funnel.opt_in')).toEqual([])
    // A browser that typed an address is not identified by it, and sees only the typed values.
    expect((await requestPage(server, path, { cookie: posted.cookie })).body).toContain('Hello Ada')

    const looked = await requestPage(server, link)
    expect([looked.status, looked.headers['cache-control']]).toEqual([200, 'no-store'])
    expect(looked.body).toContain('f***@example.com')
    expect(looked.body).not.toContain(email)
    expect(looked.body).not.toContain('#0b1d2c')
    await world.run(
      'mutation { brandUpdate(input: { contentColor: "#0b1d2c", textColor: "#f2e8d5" }) { brand { updatedAt } } }',
    )
    const branded = await requestPage(server, link)
    const css = /<style>([\s\S]*?)<\/style>/.exec(branded.body)?.[1] ?? ''
    expect(css).toContain('body { background: #0b1d2c; color: #f2e8d5;')
    const hash = createHash('sha256').update(css).digest('base64')
    expect(branded.headers['content-security-policy']).toContain(`'sha256-${hash}'`)
    expect(await contactOf(world, email)).toMatchObject({ emailMarketing: false })
    const confirmed = await requestPage(server, link, { form: {}, cookie: posted.cookie })
    expect(confirmed.status).toBe(200)
    expect(confirmed.body).toContain('Thank you')
    expect(await contactOf(world, email)).toEqual({
      emailMarketing: true,
      firstName: 'Ada',
      tags: [{ name: 'bowls' }],
      consents: {
        nodes: [
          {
            text: 'Yes, write to me about bowls.\nYes, I want to get e-mail from Ada & Co.',
            source: `funnel:${funnel.databaseId}/welcome`,
            ip: '127.0.0.1',
            granted: true,
          },
        ],
      },
    })
    expect((await requestPage(server, path, { cookie: confirmed.cookie })).body).toContain('Hello Ada')
    // The link can be opened repeatedly and has one effect.
    await Promise.all([1, 2, 3].map(() => requestPage(server, link, { form: {} })))
    expect(await world.announced('funnel.opt_in')).toHaveLength(1)
    expect(await world.announced('contact.resubscribed')).toHaveLength(1)
    // A confirmed address is not asked again.
    const again = await postOptIn(email, { cookie: confirmed.cookie })
    expect(again.headers['location']).toBe('./welcome?thanks')
  })

  it('stores the typed values once it is confirmed, and shows them to no other browser', async () => {
    const { world, postOptIn, path } = await newPage()
    const email = 'typed@example.com'
    await world.contact({ email, firstName: 'Augusta', companyName: 'Engines' })
    const posted = await postOptIn(email)
    expect(await contactOf(world, email)).toMatchObject({ firstName: 'Augusta' })
    const { link } = await findEmail(email)
    const confirmed = await requestPage(server, link, { form: {} })
    expect(await contactOf(world, email)).toMatchObject({ firstName: 'Ada', emailMarketing: true })
    await world.run(
      'mutation ($e: String) { contactUpdate(input: { contact: { email: $e }, firstName: "Lady Ada" }) { contact { id } } }',
      { e: email },
    )
    expect((await requestPage(server, path, { cookie: confirmed.cookie })).body).toContain('Hello Lady Ada')
    expect((await requestPage(server, path, { cookie: posted.cookie })).body).toContain('Hello Ada')
  })

  it('returns 404 for forged links and for links of deleted objects, and 410 for expired links', async () => {
    const { world, postOptIn } = await newPage()
    const email = 'second@example.com'
    await postOptIn(email)
    const { link } = await findEmail(email)
    const [, account = '', submission = '', until36 = '', signature = ''] =
      /^\/c\/([^.]+)\.([^.]+)\.([^.]+)\.(.+)$/.exec(link) ?? []
    const forged = [
      `/c/${account}.${submission}.${(Number.parseInt(until36, 36) + day).toString(36)}.${signature}`,
      `/c/${account}.${(Number.parseInt(submission, 36) + 1).toString(36)}.${until36}.${signature}`,
      `/c/${account}.${submission}.${until36}.${'a'.repeat(43)}`,
      '/c/x',
      '/c/%zz',
    ]
    for (const path of forged) {
      expect([path, (await requestPage(server, path)).status]).toEqual([path, 404])
      expect((await requestPage(server, path, { form: {} })).status).toBe(404)
    }
    expect((await requestPage(server, link, { method: 'PUT' })).status).toBe(405)
    clock.set(new Date(start.getTime() + 8 * day))
    for (const options of [{}, { form: {} }]) {
      const { status, body } = await requestPage(server, link, options)
      expect([status, body.includes('has expired')]).toEqual([410, true])
    }
    expect(await contactOf(world, email)).toMatchObject({ emailMarketing: false })
    clock.set(start)
    await world.run('mutation ($e: String) { contactDelete(input: { contact: { email: $e } }) { deleted } }', {
      e: email,
    })
    expect((await requestPage(server, link, { form: {} })).status).toBe(404)
  })

  it('sends at most three e-mails a day to an address, and none to a suppressed address', async () => {
    const { world, postOptIn } = await newPage()
    await world.run('mutation { suppressionAdd(input: { email: "out@example.com" }) { suppression { email } } }')
    await postOptIn('out@example.com')
    for (let time = 0; time < 5; time += 1) await postOptIn('often@example.com')
    await findEmail('often@example.com')
    await idle(world)
    const [asked] = await world.rows<{ n: number; sent: number }>(
      'SELECT count(*)::int AS n, count(sent_at)::int AS sent FROM confirmation WHERE account_id = $1',
      [world.accountId],
    )
    expect(asked).toEqual({ n: 4, sent: 3 })
    expect(server.errors).toEqual([])
  })

  it('lets the page confirm by itself for a person, three minutes after the e-mail was sent', async () => {
    const { world, postOptIn, path } = await newPage()
    const email = 'click@example.com'
    const posted = await postOptIn(email)
    const { link } = await findEmail(email)
    await idle(world)
    const scriptOf = async (headers: Record<string, string> = {}) => {
      const { body, headers: sent } = await requestPage(server, link, { headers })
      const script = /<script>([\s\S]*?)<\/script>/.exec(body)?.[1]
      const allowed = /script-src '([^']+)'/.exec(String(sent['content-security-policy']))?.[1]
      expect(allowed).toBe(script && `sha256-${createHash('sha256').update(script).digest('base64')}`)
      expect(body).toContain('<button>')
      return script
    }
    expect(await scriptOf()).toBeUndefined()
    clock.set(new Date(start.getTime() + 3 * minute))
    expect(await scriptOf()).toContain("visibilityState !== 'visible'")
    expect(await scriptOf({ 'sec-purpose': 'prefetch;prerender' })).toBeUndefined()
    const setOneClick = (is: boolean) =>
      world.run(
        'mutation ($is: Boolean) { accountUpdate(input: { oneClickConfirmation: $is }) { account { oneClickConfirmation } } }',
        { is },
      )
    await setOneClick(false)
    expect(await scriptOf()).toBeUndefined()
    await setOneClick(true)
    expect(await contactOf(world, email)).toMatchObject({ emailMarketing: false })
    // A browser in which the address was not typed may have got the link from someone else.
    const elsewhere = await requestPage(server, link, { form: { by: 'script' } })
    expect([elsewhere.status, elsewhere.cookie]).toEqual([200, undefined])
    expect(await contactOf(world, email)).toMatchObject({ emailMarketing: true })
    const own = await requestPage(server, link, { form: { by: 'script' }, cookie: posted.cookie })
    await world.run(
      'mutation ($e: String) { contactUpdate(input: { contact: { email: $e }, firstName: "Lady Ada" }) { contact { id } } }',
      { e: email },
    )
    expect((await requestPage(server, path, { cookie: own.cookie })).body).toContain('Hello Lady Ada')
  })

  it('reminds once, of the latest opt-in, unless it was confirmed or the account does not want it', async () => {
    const { world, postOptIn } = await newPage()
    const opted = ['forgot@example.com', 'twice@example.com', 'confirmed@example.com', 'bounced@example.com']
    for (const email of [...opted, 'twice@example.com']) await postOptIn(email)
    await idle(world)
    const { link } = await findEmail('confirmed@example.com')
    await requestPage(server, link, { form: {} })
    await world.run('mutation { suppressionAdd(input: { email: "bounced@example.com" }) { suppression { email } } }')
    const counts = async () => Promise.all(opted.map(async (email) => (await messagesTo(email)).length))
    const remind = async (at: number) => {
      clock.set(new Date(start.getTime() + at))
      await Promise.all([enqueueReminders(server.system), enqueueReminders(server.system)])
      await idle(world)
      return counts()
    }
    expect(await remind(day - minute)).toEqual([1, 2, 1, 1])
    expect(await remind(day)).toEqual([2, 3, 1, 1])
    expect(await remind(3 * day)).toEqual([2, 3, 1, 1])
    const [first, second] = await messagesTo('forgot@example.com')
    expect(first?.messageId).not.toBe(second?.messageId)
    expect([second?.subject, second?.text]).toEqual([first?.subject, first?.text])
    // Reminders count as requests of the day, and its link is not followed by programs at once.
    clock.set(new Date(start.getTime() + day + minute))
    expect((await requestPage(server, (await findEmail('forgot@example.com')).link)).body).not.toContain('<script>')
    for (let time = 0; time < 3; time += 1) await postOptIn('forgot@example.com')
    await idle(world)
    expect((await messagesTo('forgot@example.com')).length).toBe(4)
    await world.run(
      'mutation { accountUpdate(input: { confirmationReminder: false }) { account { confirmationReminder } } }',
    )
    expect((await remind(3 * day))[0]).toBe(4)
    expect(server.errors).toEqual([])
  })

  it('does not identify a browser by a confirmation from another site', async () => {
    const { postOptIn, path } = await newPage()
    await postOptIn('mallory@example.com')
    const { link } = await findEmail('mallory@example.com')
    const victim = await requestPage(server, path)
    const posted = await requestPage(server, link, {
      form: {},
      cookie: victim.cookie,
      headers: { origin: 'https://mallory.example' },
    })
    expect([posted.status, posted.cookie]).toEqual([200, undefined])
  })
})
