import { readdir } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { ours as migrations } from '../../src/db/migrate.ts'
import { sealOldSecrets } from '../../src/events/index.ts'
import { follow } from '../events/stream.ts'
import { requestPage } from '../funnels/visiting.ts'
import { until } from '../runtime/process.ts'
import { person, useUpgradedServer } from './upgraded-server.ts'
import { left } from './version-0.1.ts'

const day = 24 * 60 * 60_000
const upgraded = useUpgradedServer()
const { get, postForm, readCampaign, systemWithSecret } = upgraded
const rest = (path: string, init: RequestInit = {}, key = left.key) =>
  get(path, {
    ...init,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...init.headers },
  })

describe('the database of version 0.1 after the upgrade', () => {
  it('has all migrations, each applied once', async () => {
    const applied = await upgraded.world.rows<{ name: string }>(
      'SELECT migration_name AS name FROM _prisma_migrations WHERE finished_at IS NOT NULL ORDER BY 1',
    )
    const folders = await readdir(migrations, { withFileTypes: true })
    const names = folders.filter((entry) => entry.isDirectory()).map(({ name }) => name)
    expect(applied.map(({ name }) => name)).toEqual(names.sort())
    expect((await get('/readyz')).status).toBe(200)
  })

  it('accepts the sender domains that were in use for 30 days, and no other domain', async () => {
    const { senderDomains } = await upgraded.world.run('{ senderDomains { domain status verifiedAt acceptedUntil } }')
    const used = await upgraded.world.rows<{ domain: string }>(
      `SELECT DISTINCT lower(split_part(from_email, '@', 2)) AS domain FROM email
       WHERE account_id = $1 AND from_email <> '' ORDER BY 1`,
      [left.accountId],
    )
    expect(used.length).toBeGreaterThan(0)
    for (const { domain } of used) {
      expect(senderDomains).toContainEqual(expect.objectContaining({ domain, status: 'ACCEPTED', verifiedAt: null }))
    }
    for (const { acceptedUntil } of senderDomains) {
      const days = (Date.parse(acceptedUntil) - Date.now()) / day
      expect(days).toBeGreaterThan(29)
      expect(days).toBeLessThanOrEqual(30)
    }
  })

  it('encrypts the stored secrets of webhooks, and still signs with them', async () => {
    const stored = async () =>
      (await upgraded.world.rows<{ secret: string }>('SELECT secret FROM webhook')).map(({ secret }) =>
        secret.slice(0, 6),
      )
    expect(new Set(await stored())).toEqual(new Set(['whsec_']))
    await sealOldSecrets(systemWithSecret())
    expect(new Set(await stored())).toEqual(new Set(['sealed']))
  })

  it('returns the same on /v1 in both accounts', async () => {
    const lists = [
      ...['contacts', 'tags', 'custom-fields', 'sequences', 'campaigns', 'orders', 'transactions'],
      ...['invoices', 'credit-notes', 'subscriptions', 'funnels', 'form-submissions'],
    ]
    for (const list of lists) {
      const answer = await rest(`/v1/${list}`, {}, left.demoKey)
      expect(answer.status, list).toBe(200)
      expect(((await answer.json()) as { data: unknown[] }).data.length, list).toBeGreaterThan(0)
    }
    expect((await rest('/v1/contacts')).status).toBe(200)
  })
})

describe('clients of version 0.1', () => {
  it('can read with their keys what they could read before, and no more', async () => {
    const emails = '{ contacts(first: 1) { nodes { email } } }'
    for (const key of [left.key, left.readKey, left.demoKey])
      expect((await upgraded.world.run(emails, {}, { key })).contacts.nodes).toHaveLength(1)
    const write = 'mutation { tagCreate(input: { name: "by a reader" }) { tag { id } } }'
    expect((await upgraded.world.fault(write, {}, { key: left.readKey })).extensions.code).toBe('FORBIDDEN')
    expect((await upgraded.world.run(write)).tagCreate.tag.id).toEqual(expect.any(String))
    expect((await upgraded.world.fault(emails, {}, { key: left.disabledKey })).extensions.code).toBe('UNAUTHORIZED')
  })

  it('find objects by their IDs', async () => {
    const named = {
      [left.contacts[0]?.id ?? '']: 'Contact',
      [left.drip]: 'Sequence',
      [left.campaignOver]: 'Campaign',
      [left.form.id]: 'Form',
      [left.form.questions[0]?.id ?? '']: 'Question',
      [left.begunByApi.id]: 'Submission',
      [left.order.id]: 'Order',
      [left.invoice.id]: 'Invoice',
      [left.importDone]: 'ContactImport',
      [left.webhooks.good.id]: 'Webhook',
      [left.idempotent.tag.id]: 'Tag',
    }
    const { nodes } = await upgraded.world.run('query ($ids: [ID!]!) { nodes(ids: $ids) { id __typename } }', {
      ids: Object.keys(named),
    })
    expect(nodes).toEqual(Object.entries(named).map(([id, __typename]) => ({ id, __typename })))
    expect(await (await rest(`/v1/contact?contact_id=${left.idempotentRest.body.data.id}`)).json()).toMatchObject({
      data: { email: 'rest@people.example' },
    })
  })

  it('continue lists after their cursors', async () => {
    const document = `query ($after: String) { contacts(first: 2, after: $after,
      orderBy: { field: EMAIL, direction: ASC }) { nodes { email } } }`
    const { contacts } = await upgraded.world.run(document, { after: left.contactsCursor })
    expect(contacts.nodes).toEqual(left.contactsCursorNext)
  })

  it('get the first result again for an idempotency key and for a provider event', async () => {
    const create = 'mutation ($input: TagCreateInput!) { tagCreate(input: $input) { tag { id name } } }'
    const { input, tag } = left.idempotent
    expect((await upgraded.world.run(create, { input })).tagCreate.tag).toEqual(tag)
    expect((await upgraded.world.fault(create, { input: { ...input, name: 'another' } })).extensions.code).toBe(
      'VALIDATION_ERROR',
    )

    const headers = { 'idempotency-key': 'r-1' }
    const body = JSON.stringify({ email: 'rest@people.example' })
    const again = await rest('/v1/contact', { method: 'POST', headers, body })
    expect({ status: again.status, body: await again.json() }).toEqual(left.idempotentRest)

    const record = 'mutation ($input: OrderRecordInput!) { orderRecord(input: $input) { order { id databaseId } } }'
    const order = {
      ...{ idOrder: 'K-1', amount: '12.00', providerEvent: { provider: 'shop', eventId: 'evt-1' } },
      customer: { email: person(1), firstName: 'Ada', lastName: 'Lovelace' },
    }
    expect((await upgraded.world.run(record, { input: order })).orderRecord.order).toEqual(left.order)
  })

  it('resume the event log after an old cursor, with every event once and in order', async () => {
    const document = `subscription ($after: String) { events(after: $after, types: [CONTACT_CREATED]) {
      cursor ... on ContactEvent { contact { email } } } }`
    const following = await follow({ server: upgraded.server, key: left.key }, document, { after: left.eventCursor })
    // The first event got its position from 0.1. The others were written without a sequencer, or after the upgrade.
    const expected = ['w2@hooked.example', 'u1@unstamped.example', 'u2@unstamped.example']
    await following.find(({ data }) => data.events.contact?.email === 'i30@import.example')
    const emails: string[] = following.got.map(({ data }) => data.events.contact.email)
    expect(emails.filter((email) => expected.includes(email))).toEqual(expected)
    expect(new Set(emails).size).toBe(emails.length)
    await until(async () => (await upgraded.world.rows('SELECT FROM outbox_event WHERE position IS NULL')).length === 0)
    const [positions] = await upgraded.world.rows<{ all: number; distinct: number }>(
      'SELECT count(position)::int AS all, count(DISTINCT position)::int AS distinct FROM outbox_event',
    )
    expect(positions?.distinct).toBe(positions?.all)
  })

  it('open their links: documents, exports, tracking, unsubscription, confirmation', async () => {
    const pdf = await get(left.invoice.document)
    expect([pdf.status, pdf.headers.get('content-type')]).toEqual([200, 'application/pdf'])
    const csv = await get(left.exportLink)
    expect([csv.status, (await csv.text()).includes(person(1))]).toEqual([200, true])

    const before = (await readCampaign(left.campaignOver)).stats
    const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' }
    expect((await get(left.letters.p10.open, { headers })).status).toBe(200)
    const click = await get(left.letters.p10.click, { headers })
    expect([click.status, click.headers.get('location')]).toEqual([302, 'https://kiln.example/shop'])
    expect((await get(left.letters.p11.unsubscribe)).status).toBe(200)
    expect((await postForm(left.letters.p11.unsubscribe, 'List-Unsubscribe=One-Click')).status).toBe(200)
    const { contact } = await upgraded.world.run('query ($id: ID!) { contact(ref: { id: $id }) { emailMarketing } }', {
      id: left.contacts[1]?.id,
    })
    expect(contact.emailMarketing).toBe(false)
    expect((await readCampaign(left.campaignOver)).stats).toEqual({
      ...before,
      opened: before.opened + 1,
      clicked: before.clicked + 1,
      unsubscribed: before.unsubscribed + 1,
    })

    expect((await get(left.confirm)).status).toBe(200)
    expect((await postForm(left.confirm, '')).status).toBe(200)
    const { contacts } = await upgraded.world.run(`{ contacts(filter: { email: { eq: "asks@people.example" } }) {
      nodes { emailMarketing tags { name } } } }`)
    expect(contacts.nodes).toEqual([{ emailMarketing: true, tags: [{ name: 'bowls' }] }])
  })

  it('continue a form that a browser had begun, and are identified as visitors of a page', async () => {
    const { databaseId, questions, cookie } = left.form
    const response = await get(`/f/${databaseId}`, {
      method: 'POST',
      headers: { cookie, accept: 'application/json', 'content-type': 'application/json' },
      body: JSON.stringify({ answers: [{ question_id: questions[1]?.databaseId, answer: 'begun@people.example' }] }),
    })
    expect([response.status, await response.json()]).toMatchObject([200, { submission: { status: 'completed' } }])
    const { submissions } = await upgraded.world.run(
      `query ($id: ID!) { submissions(filter: { forms: { any: [$id] }, status: COMPLETED }) {
      nodes { answers { values } } } }`,
      { id: left.form.id },
    )
    expect(submissions.nodes).toHaveLength(1)
    expect(submissions.nodes[0].answers.map(({ values }: { values: string[] }) => values)).toEqual([
      ['large'],
      ['begun@people.example'],
    ])

    const known = await requestPage(upgraded.server, left.page.path, { cookie: left.page.cookie })
    expect([known.status, known.cookie]).toEqual([200, undefined])
    expect((await requestPage(upgraded.server, left.page.path)).cookie).toEqual(expect.any(String))
  })
})

describe('the log', () => {
  it('contains no error', () => {
    expect(upgraded.server.errors).toEqual([])
  })
})
