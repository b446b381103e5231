import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { settableClock } from '../../src/kernel/clock.ts'
import { newOptInFunnel } from '../funnels/opt-in.ts'
import { requestPage } from '../funnels/visiting.ts'
import { newServer, type Server } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'
import { newBrowser } from './http-browser.ts'
import { hiddenFields, solve } from './solving.ts'

const start = new Date('2026-05-01T12:00:00Z')
const clock = settableClock(start)

/** The second sign-up of each form in a minute is a flood. */
const env = { PUBLIC_FLOOD_PER_FORM: '1', PUBLIC_RATE_PER_FORM: '40', TRUST_PROXY: '1' }

let servers: [Server, Server]
let world: World
beforeAll(async () => {
  const first = await newServer(env, { clock })
  servers = [first, await newServer({ ...env, DATABASE_URL: first.databaseUrl }, { clock })]
  world = await newWorld({ server: first })
})

/** Creates a form, and floods it in both processes: from then on, each sign-up needs a proof. */
async function newFloodedForm(questions: object[] = [{ label: 'Your e-mail', type: 'EMAIL' }]) {
  const form = await world.form({ questions })
  const path = `/f/${form.databaseId}`
  const ids = form.questions.map(({ databaseId }) => String(databaseId))
  let sent = 0
  const send = (more: object = {}, { server = servers[0], ip = '10.0.0.1' } = {}) => {
    sent += 1
    const answers = { [ids[0] as string]: `person-${form.databaseId}-${sent}@example.com` }
    const headers = { 'x-forwarded-for': ip }
    return newBrowser(server).send(path, { answers, client_submission_id: `sent ${sent}`, ...more }, headers)
  }
  for (const server of servers) expect((await send({ complete: false, answers: {} }, { server })).status).toBe(200)
  const challengeOf = async (...options: Parameters<typeof send>) => {
    const response = await send(...options)
    expect(response.status).toBe(429)
    return response.json()['challenge']
  }
  const completed = async () =>
    (
      await world.rows<{ id: number; marketing: boolean | null }>(
        `SELECT s.id, c.email_marketing AS marketing FROM submission s
         LEFT JOIN contact c ON c.account_id = s.account_id AND c.id = s.contact_id
         WHERE s.account_id = $1 AND s.form_id = $2 AND s.status = 'COMPLETED' ORDER BY s.id`,
        [world.accountId, form.databaseId],
      )
    ).map(({ marketing }) => marketing)
  return { form, path, ids, send, challengeOf, completed }
}

const countRows = async () => {
  const tables = ['submission', 'contact', 'visitor', 'answer', 'idempotency_key', 'outbox_event']
  const sums = tables.map((table) => `SELECT count(*) FROM ${table} WHERE account_id = ${world.accountId}`)
  return (await world.rows<{ n: string }>(`SELECT sum(count) AS n FROM (${sums.join(' UNION ALL ')}) s`))[0]?.n
}

describe('a flooded form', () => {
  it('needs a proof that is valid once, in all processes, and stores nothing without one', async () => {
    const { send, challengeOf, completed } = await newFloodedForm()
    const before = await countRows()
    const refused = await send()
    expect([refused.status, Number(refused.headers.get('retry-after')) > 60]).toEqual([429, true])
    expect(refused.json()['message']).toContain('Solve the challenge')
    const proof = await solve(refused.json()['challenge'])
    expect(await countRows()).toBe(before)
    expect((await send({ campanile_proof: proof })).status).toBe(200)
    for (const server of servers) expect((await send({ campanile_proof: proof }, { server })).status).toBe(429)
    // What one process asked for, the other accepts once.
    const second = await solve(await challengeOf({}, { server: servers[1] }))
    expect((await send({ campanile_proof: second })).status).toBe(200)
    for (const server of servers) expect((await send({ campanile_proof: second }, { server })).status).toBe(429)
    expect(await completed()).toEqual([false, false])
    const both = await solve(await challengeOf())
    const statuses = await Promise.all(
      servers.map(async (server) => (await send({ campanile_proof: both }, { server })).status),
    )
    expect(statuses.sort()).toEqual([200, 429])
  })

  it('accepts no proof that is forged, of another form, wrong or expired', async () => {
    const { send, challengeOf, completed } = await newFloodedForm()
    const proof = JSON.parse(await solve(await challengeOf()))
    const changed = (change: object) => {
      const parameters = { ...proof.challenge.parameters, ...change }
      return JSON.stringify({ ...proof, challenge: { ...proof.challenge, parameters } })
    }
    const other = await newFloodedForm()
    const forged = [
      changed({ cost: 1 }),
      changed({ nonce: '0'.repeat(32) }),
      changed({ data: { ...proof.challenge.parameters.data, until: 9e15 } }),
      JSON.stringify({ ...proof, solution: { ...proof.solution, counter: proof.solution.counter + 1 } }),
      JSON.stringify({ ...proof, solution: { counter: 1e99, derivedKey: 'x' } }),
      await solve(await other.challengeOf()),
      ...['{}', '[', '"', 'null', 'x'.repeat(10_000)],
    ]
    for (const each of forged) expect([each, (await send({ campanile_proof: each })).status]).toEqual([each, 429])
    clock.set(new Date(start.getTime() + 11 * 60_000))
    expect((await send({ campanile_proof: JSON.stringify(proof) })).status).toBe(429)
    clock.set(start)
    expect((await send({ campanile_proof: JSON.stringify(proof) })).status).toBe(200)
    expect(await completed()).toHaveLength(1)
    expect(servers.flatMap(({ errors }) => errors)).toEqual([])
  })

  it('leaves the limit of the form to those who solve a challenge, and answers that continue are free', async () => {
    const { send, challengeOf } = await newFloodedForm([
      { label: 'Your e-mail', type: 'EMAIL' },
      { label: 'Your name', type: 'SHORT_TEXT' },
    ])
    const proof = await solve(await challengeOf())
    const own = { client_submission_id: 'own', complete: false }
    for (let turn = 0; turn < 50; turn += 1) await challengeOf({}, { ip: `10.0.1.${turn}` })
    expect((await send({ ...own, campanile_proof: proof })).status).toBe(200)
    expect((await send({ ...own, answers: {} })).status).toBe(200)
  })

  it('shows a page that sends the same post again, in the sandbox of its policy', async () => {
    const { form, path, ids, completed } = await newFloodedForm()
    const browser = newBrowser(servers[0])
    await browser.open(path)
    const email = `"><script>@&'${form.databaseId}`
    const body = { [`q${ids[0]}`]: email, at: ids[0] as string, website_url: '' }
    const post = (fields: Record<string, string>) =>
      browser.open(path, {
        method: 'POST',
        body: String(new URLSearchParams(fields)),
        headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
      })
    const shown = await post({ ...body, [`q${ids[0]}`]: `ada-${form.databaseId}@example.com` })
    expect([shown.status, shown.headers.get('retry-after') !== null]).toEqual([429, true])
    const script = /<script>([\s\S]*?)<\/script>/.exec(shown.text)?.[1] ?? ''
    const hash = createHash('sha256').update(script).digest('base64')
    expect(shown.headers.get('content-security-policy')).toContain(`script-src 'sha256-${hash}'`)
    const { campanile_proof: unsolved = '', ...rest } = hiddenFields(shown.text)
    expect(rest).toEqual({ ...body, [`q${ids[0]}`]: `ada-${form.databaseId}@example.com` })
    const { challenge } = JSON.parse(unsolved)
    expect((await post({ ...rest, campanile_proof: await solve(challenge) })).text).toContain('Thank you!')
    expect(await completed()).toEqual([false])
    const hostile = await post(body)
    expect(hostile.text).not.toContain('"><script>@')
    expect(hiddenFields(hostile.text)[`q${ids[0]}`]).toBe(email)
  })

  it('takes a post of another site for one also when the page of the challenge repeats it', async () => {
    const questions = [
      { label: 'Your e-mail', type: 'EMAIL' },
      { label: 'Your name', type: 'SHORT_TEXT', contactField: 'FIRST_NAME' },
    ]
    const own = await world.form({ questions })
    const [mail, name] = own.questions.map(({ databaseId }) => `q${databaseId}`) as [string, string]
    const email = `victim-${own.databaseId}@example.com`
    const known = await requestPage(servers[0], `/f/${own.databaseId}`, { form: { [mail]: email, [name]: 'Ada' } })
    const { path, ids } = await newFloodedForm(questions)
    const { cookie } = known
    const post = (site: string, fields: Record<string, string>) =>
      requestPage(servers[0], path, { cookie, form: fields, headers: { 'sec-fetch-site': site, accept: 'text/html' } })
    const shown = hiddenFields((await post('cross-site', { [`q${ids[1]}`]: 'Mallory' })).body)
    const { challenge } = JSON.parse(shown['campanile_proof'] ?? '')
    const proof = { campanile_proof: await solve(challenge) }
    expect((await post('same-origin', { ...shown, ...proof })).status).toBe(303)
    const contact = 'query ($e: String) { contacts(filter: { email: { eq: $e } }) { nodes { firstName } } }'
    const nameOf = async () => (await world.run(contact, { e: email })).contacts.nodes[0].firstName
    expect(await nameOf()).toBe('Ada')
    const mine = hiddenFields((await post('same-origin', { [`q${ids[1]}`]: 'Lady Ada' })).body)
    const solved = await solve(JSON.parse(mine['campanile_proof'] ?? '').challenge)
    await post('same-origin', { ...mine, campanile_proof: solved })
    expect(await nameOf()).toBe('Lady Ada')
  })
})

describe('a flooded form without a script', () => {
  const consent = { label: 'I agree', type: 'CONSENT' }

  it('waits for a confirmation by e-mail, a few for each network, and each challenge counts once', async () => {
    const { ids, send, challengeOf, completed } = await newFloodedForm([
      { label: 'Your e-mail', type: 'EMAIL' },
      { ...consent },
    ])
    const wait = async (ip: string) => {
      const unsolved = JSON.stringify({ challenge: await challengeOf({}, { ip }) })
      const answers = { [ids[0] as string]: `w-${ids[0]}-${Math.random()}@example.com`, [ids[1] as string]: true }
      const once = await send({ answers, campanile_proof: unsolved }, { ip })
      const again = await send({ campanile_proof: unsolved }, { ip })
      return [once, again].map(({ status }) => status)
    }
    expect(await wait('10.0.2.1')).toEqual([200, 429])
    const waiting = () =>
      world.rows<{ text: string }>(
        `SELECT text FROM confirmation w JOIN submission s ON s.account_id = w.account_id AND s.id = w.submission_id
         WHERE w.account_id = $1 AND s.client_submission_id LIKE 'sent %' AND text = 'I agree'`,
        [world.accountId],
      )
    expect(await waiting()).toHaveLength(1)
    const statuses: number[] = []
    for (let turn = 0; turn < 4; turn += 1) statuses.push((await wait('10.0.2.1'))[0] as number)
    expect(statuses).toEqual([200, 200, 429, 429])
    expect((await wait('10.0.2.2'))[0]).toBe(200)
    expect(await completed()).toEqual([false, false, false, false])
  })

  it('accepts no answers without an address, because nothing could confirm them', async () => {
    const { path, ids, send, challengeOf } = await newFloodedForm([{ label: 'Well?', type: 'SHORT_TEXT' }])
    const answers = { [ids[0] as string]: 'spam' }
    const unsolved = JSON.stringify({ challenge: await challengeOf({ answers }) })
    expect((await send({ answers, campanile_proof: unsolved })).status).toBe(429)
    const page = await requestPage(servers[0], path, { form: { [`q${ids[0]}`]: 'spam' } })
    expect(page.body).not.toContain('<button')
    expect((await send({ answers, campanile_proof: await solve(JSON.parse(unsolved).challenge) })).status).toBe(200)
  })
})

describe('a flooded page of a funnel', () => {
  it('asks for a proof, or for a confirmation', async () => {
    const action = 'https://shop.example/thanks'
    const elements = [{ type: 'form', id: 'join', marketingConsentText: 'Yes, write to me.', action }]
    const funnel = await newOptInFunnel({ world, elements })
    const { path, mail } = funnel
    const fields = (n: number) => ({ form: 'join', [mail]: `join-${n}@example.com`, consent: 'yes' })
    const post = (form: Record<string, string>) => requestPage(servers[0], path, { form })
    expect((await post(fields(1))).headers['location']).toBe(action)
    const shown = await post(fields(2))
    expect([shown.status, Number(shown.headers['retry-after']) > 60]).toEqual([429, true])
    expect(shown.headers['content-security-policy']).toContain("form-action 'self' https://shop.example;")
    const { campanile_proof: unsolved = '', ...rest } = hiddenFields(shown.body)
    expect(rest).toEqual(fields(2))
    const solved = { ...rest, campanile_proof: await solve(JSON.parse(unsolved).challenge) }
    expect((await post(solved)).headers['location']).toBe(action)
    const again = await post(solved)
    expect(again.status).toBe(429)
    // The button sends the challenge as it is.
    expect((await post(hiddenFields(again.body))).status).toBe(303)
    const json = await requestPage(servers[0], path, { json: fields(3) })
    const proof = await solve(JSON.parse(json.body).challenge)
    expect([json.status, JSON.parse(json.body).message]).toEqual([429, expect.stringContaining('challenge')])
    const accepted = await requestPage(servers[0], path, { json: { ...fields(3), campanile_proof: proof } })
    expect(JSON.parse(accepted.body)).toMatchObject({ message: 'Taken.', to_confirm: false })
    const unproven = (await requestPage(servers[0], path, { json: fields(4) })).body
    const sent = { ...fields(4), campanile_proof: JSON.stringify({ challenge: JSON.parse(unproven).challenge }) }
    expect(JSON.parse((await requestPage(servers[0], path, { json: sent })).body)).toMatchObject({ to_confirm: true })
    const marketing = await world.rows<{ email: string; marketing: boolean }>(
      "SELECT email, email_marketing AS marketing FROM contact WHERE account_id = $1 AND email LIKE 'join-%' ORDER BY email",
      [world.accountId],
    )
    expect(marketing.map((each) => each.marketing)).toEqual([true, true, true, false])
  })
})
