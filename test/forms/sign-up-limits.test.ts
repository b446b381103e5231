import { beforeAll, describe, expect, it } from 'vitest'
import { newOptInFunnel } from '../funnels/opt-in.ts'
import { requestPage } from '../funnels/visiting.ts'
import { newServer } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'
import { newBrowser } from './http-browser.ts'

const fromAddress = (ip: string) => ({ 'x-forwarded-for': ip })

describe('sign-ups', () => {
  let world: World
  beforeAll(async () => {
    const env = { PUBLIC_RATE_PER_EMAIL: '2', PUBLIC_FLOOD_PER_IP: '5', TRUST_PROXY: '1' }
    world = await newWorld({ server: await newServer(env), subdomain: 'limited' })
  })

  it('are limited by e-mail address, in all its spellings, on forms and funnels of an account together', async () => {
    const form = await world.form({ questions: [{ label: 'Your e-mail', type: 'EMAIL' }] })
    const question = form.questions[0]?.databaseId as number
    const send = (email: string, ip: string) =>
      newBrowser(world.server).send(`/f/${form.databaseId}`, { answers: { [question]: email } }, fromAddress(ip))
    const { path, mail } = await newOptInFunnel({ world })
    const join = (ip: string) =>
      requestPage(world.server, path, {
        form: { form: 'join', [mail]: 'Ada@Example.com', consent: 'yes' },
        headers: fromAddress(ip),
      })
    expect((await send('ada@example.com', '10.0.0.1')).status).toBe(200)
    expect((await join('10.0.0.2')).status).toBe(303)
    const refused = await send('ADA@example.com', '10.0.0.3')
    expect([refused.status, refused.json()]).toEqual([
      429,
      {
        message: expect.stringMatching(
          /^Too many answers were sent with this e-mail address. Please try again in \d+ /,
        ),
      },
    ])
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60)
    const page = await join('10.0.0.4')
    expect([page.status, page.body]).toEqual([429, expect.stringContaining('Please try again in')])
    const shown = await requestPage(world.server, `/f/${form.databaseId}`, {
      form: { [`q${question}`]: 'ada@example.com' },
      headers: { ...fromAddress('10.0.0.5'), accept: 'text/html' },
    })
    expect([shown.status, shown.body]).toEqual([429, expect.stringContaining('Please try again in')])
    expect((await send('grace@example.com', '10.0.0.3')).status).toBe(200)
    const other = await world.other()
    const theirs = await other.form({ questions: [{ label: 'Your e-mail', type: 'EMAIL' }] })
    const answers = { [theirs.questions[0]?.databaseId as number]: 'ada@example.com' }
    expect((await newBrowser(world.server).send(`/f/${theirs.databaseId}`, { answers })).status).toBe(200)
  })

  it('from one network are a flood of its own: others need no proof', async () => {
    const form = await world.form({ questions: [{ label: 'Well?', type: 'SHORT_TEXT' }] })
    const send = (ip: string) =>
      newBrowser(world.server).send(
        `/f/${form.databaseId}`,
        { answers: { [form.questions[0]?.databaseId as number]: 'x' } },
        fromAddress(ip),
      )
    const statuses: number[] = []
    for (let turn = 1; turn <= 6; turn += 1) statuses.push((await send(`2001:db8:9:1::${turn}`)).status)
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
    expect((await send('2001:db8:9:2::1')).status).toBe(200)
  })
})

describe('refused domains', () => {
  const Refuse = `mutation ($domains: [String!]) {
    accountUpdate(input: { refusedDomains: $domains }) { account { refusedDomains } } }`

  it('are a setting of the account, in one form and order, which the audit log records', async () => {
    const own = await newWorld()
    expect((await own.run('{ account { refusedDomains } }')).account.refusedDomains).toEqual([])
    const set = await own.run(Refuse, { domains: ['trash.example', 'Bücher.example', ' TRASH.example '] })
    expect(set.accountUpdate.account.refusedDomains).toEqual(['trash.example', 'xn--bcher-kva.example'])
    const { auditLog } = await own.run('{ auditLog(first: 1) { nodes { action fields } } }')
    expect(auditLog.nodes).toEqual([{ action: 'accountUpdate', fields: ['refusedDomains'] }])
    const wrong = await own.fault(Refuse, { domains: ['trash.example', 'a b'] })
    expect(wrong.extensions.details).toEqual({
      'input.refusedDomains.1': ['must be a domain name such as example.com'],
    })
    const many = await own.fault(Refuse, { domains: Array.from({ length: 1_001 }, (_, n) => `d${n}.example`) })
    expect(many.extensions.details).toEqual({ 'input.refusedDomains': ['must be at most 1000'] })
    await own.run(Refuse, { domains: [] })
    expect((await own.run('{ account { refusedDomains } }')).account.refusedDomains).toEqual([])
  })

  it('are refused by pages with an error at the field, and not by the API', async () => {
    const own = await newWorld({ subdomain: 'refusing' })
    await own.run(Refuse, { domains: ['trash.example'] })
    const form = await own.form({ questions: [{ label: 'Your e-mail', type: 'EMAIL', required: true }] })
    const id = form.questions[0]?.databaseId as number
    const path = `/f/${form.databaseId}`
    const words = (domain: string) => `must not be an address at ${domain}`
    const send = (email: string) => newBrowser(own.server).send(path, { answers: { [id]: email } })
    for (const email of ['a@trash.example', 'a@sub.TRASH.example']) {
      const refused = await send(email)
      expect([refused.status, refused.json()['details']]).toEqual([
        422,
        { [`answers.${id}`]: [words('trash.example')] },
      ])
    }
    expect((await send('a@nottrash.example')).status).toBe(200)
    const shown = await requestPage(own.server, path, {
      form: { [`q${id}`]: 'b@trash.example', at: String(id), website_url: '' },
      headers: { accept: 'text/html' },
    })
    expect([shown.status, shown.body]).toEqual([
      422,
      expect.stringContaining('Please enter an address that is not at trash.example.'),
    ])

    const funnel = await newOptInFunnel({ world: own })
    const join = { form: 'join', [funnel.mail]: 'c@trash.example', consent: 'yes' }
    const page = await requestPage(own.server, funnel.path, { form: join })
    expect([page.status, page.body]).toEqual([
      422,
      expect.stringContaining('Please enter an address that is not at trash.example.'),
    ])
    const json = await requestPage(own.server, funnel.path, { json: join })
    expect(JSON.parse(json.body).details).toEqual({ [funnel.mail]: [`This ${words('trash.example')}.`] })
    await own.run(Refuse, { domains: ['other.example'] })
    expect((await requestPage(own.server, funnel.path, { form: join })).status).toBe(303)
    await own.run(Refuse, { domains: ['trash.example'] })
    expect((await requestPage(own.server, funnel.path, { form: { ...join, x: '2' } })).status).toBe(422)

    await own.submission(form, { answers: [{ questionId: id, value: 'd@trash.example' }], complete: true })
    await own.contact({ email: 'e@trash.example' })
    const contacts = await own.rows<{ email: string }>(
      'SELECT email FROM contact WHERE account_id = $1 ORDER BY email',
      [own.accountId],
    )
    expect(contacts.map(({ email }) => email.split('@')[0])).toEqual(['a', 'c', 'd', 'e'])
  })
})
