import { describe, expect, it } from 'vitest'
import { newOptInFunnel } from '../funnels/opt-in.ts'
import { requestPage } from '../funnels/visiting.ts'
import { createSubscriber, newMailWorld } from '../mail/reading.ts'
import { send } from '../rest/client.ts'
import { newServer } from '../support/server.ts'
import { newUser } from '../support/session.ts'
import { newWorld, type World } from '../support/world.ts'
import { eraseContact, waitForErasure } from './erasure.ts'
import { importCsv } from './imports.ts'
import { spellings } from './spellings.ts'

const [typed, ...others] = spellings

const Create = 'mutation ($input: ContactCreateInput!) { contactCreate(input: $input) { contact { id email } } }'
const Upsert =
  'mutation ($input: ContactUpsertInput!) { contactUpsert(input: $input) { created contact { id email city } } }'
const Update = 'mutation ($input: ContactUpdateInput!) { contactUpdate(input: $input) { contact { email } } }'
const Read = 'query ($ref: ContactRefInput!) { contact(ref: $ref) { id email } }'
const Suppress = 'mutation ($email: String!) { suppressionAdd(input: { email: $email }) { suppression { email } } }'
const Allow = 'mutation ($email: String!) { suppressionRemove(input: { email: $email }) { email } }'

const stored = (world: World, table = 'contact') =>
  world.rows<{ email: string }>(`SELECT email FROM ${table} WHERE account_id = $1`, [world.accountId])

describe('the spellings of an address are one contact', () => {
  it('in contactCreate, contactUpsert, contactUpdate and contact', async () => {
    const world = await newWorld()
    const { contact } = (await world.run(Create, { input: { email: typed } })).contactCreate
    for (const email of others) {
      expect((await world.fault(Create, { input: { email } })).extensions.code, email).toBe('CONTACT_EXISTS')
      const result = (await world.run(Upsert, { input: { email, city: email } })).contactUpsert
      expect(result).toEqual({ created: false, contact: { ...contact, city: email } })
      expect((await world.run(Read, { ref: { email } })).contact).toEqual(contact)
    }
    const other = await world.contact({ email: 'eve@example.com' })
    const taken = await world.fault(Update, { input: { contact: { id: other.id }, email: others[0] } })
    expect(taken.extensions.code).toBe('CONTACT_EXISTS')
    const respelled = await world.run(Update, { input: { contact: { id: contact.id }, email: others[0] } })
    expect(respelled.contactUpdate.contact.email).toBe(others[0])
  })

  it('in concurrent upserts', async () => {
    const world = await newWorld()
    const upserts = [...spellings, ...spellings].map((email) => world.run(Upsert, { input: { email } }))
    const results = (await Promise.all(upserts)).map(({ contactUpsert }) => contactUpsert)
    expect(results.filter(({ created }) => created)).toHaveLength(1)
    expect(await stored(world)).toHaveLength(1)
  })

  it('in the REST API', async () => {
    const world = await newWorld()
    const call = (method: string, path: string, input: object) =>
      send(world.server.url, method, path, { key: world.mainKey, ...input })
    const created = await call('POST', '/v1/contact', { body: { email: typed } })
    expect(created.status).toBe(201)
    for (const email of others) {
      expect((await call('POST', '/v1/contact', { body: { email } })).status).not.toBe(500)
      const { body } = await call('GET', '/v1/contact', { query: { email } })
      expect(body.data).toMatchObject({ id: created.body.data.id, email: typed })
    }
    expect(await stored(world)).toEqual([{ email: typed }])
  })

  it('in an import, and as rows of one file', async () => {
    const world = await newWorld({ server: await newServer({ ROLES: 'api,worker' }) })
    const csv = ['email,city', ...spellings.map((email) => `${email},Kyiv`)].join('\n')
    expect(await importCsv(world, csv)).toMatchObject({ created: 1, updated: others.length, failed: 0 })
    const again = await importCsv(world, ['email,city', `${others[0]},Lviv`].join('\n'))
    expect(again).toMatchObject({ created: 0, updated: 1, failed: 0 })
    expect(await stored(world)).toEqual([{ email: typed }])
  })

  it('in form submissions and opt-ins', async () => {
    const { world, path, mail, first } = await newOptInFunnel()
    const form = await world.form({ questions: [{ type: 'EMAIL', label: 'E-mail', contactField: 'EMAIL' }] })
    for (const email of spellings) {
      const fields = { form: 'join', [mail]: email, [first]: 'Jürgen', consent: 'yes', website_url: '' }
      expect((await requestPage(world.server, path, { form: fields })).status, email).toBe(303)
      const answers = [{ questionId: form.questions[0]?.id, values: [email] }]
      await world.submission(form, { answers, complete: true })
    }
    expect(await stored(world)).toEqual([{ email: typed }])
  })

  it('and one customer, which is linked to it', async () => {
    const world = await newWorld()
    const contact = await world.contact({ email: others[0] })
    for (const [number, email] of spellings.entries())
      await world.order({ idOrder: `order ${number}`, customer: { email, lastName: email } })
    const { customers } = await world.run(
      '{ customers { nodes { email lastName contact { id } orders { totalCount } } } }',
    )
    expect(customers.nodes).toEqual([
      {
        email: typed,
        lastName: spellings.at(-1),
        contact: { id: contact.id },
        orders: { totalCount: spellings.length },
      },
    ])
  })
})

it.each(['contacts', 'customers', 'suppressions'] as const)(
  'filters of %s by email find each spelling',
  async (name) => {
    const world = await newWorld()
    if (name === 'contacts') await world.contact({ email: typed })
    else if (name === 'customers') await world.order({ customer: { email: typed } })
    else await world.run(Suppress, { email: typed })
    const type = { contacts: 'Contact', customers: 'Customer', suppressions: 'Suppression' }[name]
    const document = `query ($filter: ${type}FilterInput) { ${name}(filter: $filter) { nodes { email } } }`
    for (const email of spellings) {
      for (const filter of [{ email: { eq: email } }, { email: { in: ['eve@example.com', email] } }])
        expect((await world.run(document, { filter }))[name].nodes, email).toEqual([{ email: typed }])
    }
  },
)

describe('a suppression', () => {
  it('applies to each spelling of the address, and is removed by each', async () => {
    const { world, send: sendTo, sink } = await newMailWorld()
    await createSubscriber(world, { email: 'books@bücher.example' })
    await createSubscriber(world, { email: 'eve@example.com' })
    await world.run(Suppress, { email: 'Books@XN--BCHER-KVA.example' })
    await world.run(Suppress, { email: 'BOOKS@bücher.example'.normalize('NFD') })
    expect(await stored(world, 'suppression')).toHaveLength(1)
    await sendTo({ html: '<p>Hello</p>' })
    expect(sink.taken.map(({ to }) => to)).toEqual(['eve@example.com'])
    await world.run(Allow, { email: 'books@bücher。example' })
    await sendTo({ html: '<p>Hello</p>' }, 2)
    expect(sink.taken.map(({ to }) => to)).toContain('books@bücher.example')
  })

  it('of an erased person applies to each spelling', async () => {
    const { world, send: sendTo, sink } = await newMailWorld()
    const contact = await world.contact({ email: 'books@bücher.example', emailMarketing: true })
    await world.run(
      'mutation ($ref: ContactRefInput!) { contactUnsubscribe(input: { contact: $ref }) { contact { id } } }',
      {
        ref: { email: 'Books@xn--bcher-kva.example' },
      },
    )
    await world.run(Suppress, { email: 'books@xn--bcher-kva.example' })
    const { id } = await eraseContact(world, { email: 'BOOKS@BÜCHER.example' })
    await waitForErasure(world, id)
    expect(await stored(world, 'suppression')).toEqual([])
    expect(
      await world.rows('SELECT FROM contact WHERE id = $1 AND account_id = $2', [contact.databaseId, world.accountId]),
    ).toEqual([])
    await createSubscriber(world, { email: 'BOOKS@xn--bcher-kva.example' })
    await createSubscriber(world, { email: 'eve@example.com' })
    await sendTo({ html: '<p>Hello</p>' })
    expect(sink.taken.map(({ to }) => to)).not.toContain('BOOKS@xn--bcher-kva.example')
  })
})

it('the erasure of a person removes copies of each spelling', async () => {
  const world = await newWorld({ server: await newServer({ ROLES: 'api,worker' }) })
  await world.contact({ email: typed })
  const copies = ['jürgen@bücher.example', 'jürgen@xn--bcher-kva.example', 'jürgen@bücher.example'.normalize('NFD')]
  for (const [number, copy] of copies.entries())
    await world.run(Update, { input: { contact: { email: typed }, city: copy, idempotencyKey: `key-${number}` } })
  const mentions = () =>
    world.rows(`SELECT result FROM idempotency_key WHERE account_id = $1 AND strpos(result::text, 'bcher-kva') > 0`, [
      world.accountId,
    ])
  expect(await mentions()).not.toEqual([])
  const { id } = await eraseContact(world, { email: others[0] })
  await waitForErasure(world, id)
  expect(await mentions()).toEqual([])
  const left = await world.rows<{ data: string }>('SELECT data::text AS data FROM outbox_event WHERE account_id = $1', [
    world.accountId,
  ])
  for (const copy of copies) expect(left.filter(({ data }) => data.includes(copy))).toEqual([])
})

it('a contact that is created after an order of another spelling gets its customer', async () => {
  const world = await newWorld()
  await world.order({ customer: { email: typed } })
  const contact = await world.contact({ email: others[0] })
  const { customers } = await world.run('{ customers { nodes { contact { id } } } }')
  expect(customers.nodes).toEqual([{ contact: { id: contact.id } }])
})

it('the spellings of an address are one user', async () => {
  const world = await newWorld()
  const user = await newUser(world, 'ADMIN', typed)
  for (const email of others)
    await expect(newUser(world, 'ADMIN', email), email).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
  const { signInLinks } = await import('../../src/account/index.ts')
  for (const email of spellings)
    expect(await signInLinks.findUsers(world.server.system, email), email).toMatchObject([{ userId: user.id }])
})

describe('an address that cannot be a mailbox is rejected', () => {
  it.each([
    ['of a domain with a dot at its end', 'ada@example.com.'],
    ['with a quoted local part', '"ada lovelace"@example.com'],
    ['of a label that is too long in ASCII', `ada@${'ü'.repeat(63)}.example`],
    ['of a domain that is too long in ASCII', `ada@${'üb.'.repeat(60)}example`],
    ['of a domain that has no name in ASCII', 'ada@ﷺ.example'],
    ['with an empty label', 'ada@bücher。。example'],
  ])('%s', async (_, email) => {
    const world = await newWorld()
    const { extensions } = await world.fault(Create, { input: { email } })
    expect(extensions).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { 'input.email': ['must be a valid e-mail address'] },
    })
    expect((await world.run(Read, { ref: { email } })).contact).toBeNull()
  })
})
