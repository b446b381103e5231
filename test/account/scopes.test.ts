import { describe, expect, it } from 'vitest'
import { type Scope, scopes } from '../../src/kernel/scopes.ts'
import { everything } from '../support/everything.ts'
import { newWorld, type World } from '../support/world.ts'

const forbidden = { extensions: { code: 'FORBIDDEN' } }
const allScopesExcept = (...without: string[]) => scopes.filter((scope) => !without.includes(scope))

const scopeName = (scope: string) => scope.replace(':', '_').toUpperCase()

describe('an API key with scopes', () => {
  it.each([
    ['{ contact(ref: { id: 1 }) { id } }', 'contacts:read'],
    ['{ contacts { totalCount } }', 'contacts:read'],
    ['{ tag(id: 1) { id } }', 'contacts:read'],
    ['{ tags { totalCount } }', 'contacts:read'],
    ['{ segment(id: 1) { id } }', 'contacts:read'],
    ['{ segments { totalCount } }', 'contacts:read'],
    ['{ customField(id: 1) { id } }', 'contacts:read'],
    ['{ customFields { id } }', 'contacts:read'],
    ['{ account { name } }', 'account:read'],
  ] as const)('can query %s with %s only', async (document, scope) => {
    const world = await newWorld()
    const fault = await world.fault(document, {}, { key: await world.key({ scopes: allScopesExcept(scope) }) })
    expect(fault).toMatchObject(forbidden)
    expect(fault.message).toContain(scopeName(scope))
    await world.run(document, {}, { key: await world.key({ scopes: [scope] }) })
  })

  it.each([
    ['contactCreate', '{ email: "a@example.com" }', 'contact { id }'],
    ['contactUpsert', '{ email: "a@example.com" }', 'contact { id }'],
    ['contactUpdate', '{ contact: { id: 1 } }', 'contact { id }'],
    ['contactDelete', '{ contact: { id: 1 } }', 'deleted'],
    ['contactUnsubscribe', '{ contact: { id: 1 } }', 'contact { id }'],
    ['contactTagAdd', '{ contact: { id: 1 }, tagId: 1 }', 'tag { id }'],
    ['contactTagRemove', '{ contact: { id: 1 }, tagId: 1 }', 'tag { id }'],
    ['contactBulkTag', '{ contactIds: [1], tagId: 1 }', 'queued'],
    ['contactFieldSet', '{ contact: { id: 1 }, customFieldId: 1 }', 'value'],
    ['tagCreate', '{ name: "a" }', 'tag { id }'],
    ['tagUpdate', '{ id: 1, name: "a" }', 'tag { id }'],
    ['tagDelete', '{ id: 1 }', 'deletedTagId'],
    ['segmentCreate', '{ name: "a", filter: {} }', 'segment { id }'],
    ['segmentUpdate', '{ id: 1, name: "a" }', 'segment { id }'],
    ['segmentDelete', '{ id: 1 }', 'deletedSegmentId'],
    ['customFieldCreate', '{ name: "a", type: TEXT }', 'customField { id }'],
    ['customFieldUpdate', '{ id: 1 }', 'customField { id }'],
    ['customFieldDelete', '{ id: 1 }', 'deletedCustomFieldId'],
  ])('returns FORBIDDEN for %s without contacts:write', async (field, input, selection) => {
    const world = await newWorld()
    const key = await world.key({ scopes: allScopesExcept('contacts:write') })
    expect(await world.fault(`mutation { ${field}(input: ${input}) { ${selection} } }`, {}, { key })).toMatchObject({
      ...forbidden,
      path: [field],
    })
    expect(await world.rows('SELECT FROM contact WHERE account_id = $1', [world.accountId])).toHaveLength(0)
    expect(await world.announced()).toHaveLength(0)
  })

  it.each([
    ['{ apiKeys { totalCount } }', 'apiKeys'],
    ['mutation { accountUpdate(input: { name: "x" }) { account { id } } }', 'accountUpdate'],
    ['mutation { apiKeyCreate(input: {}) { key } }', 'apiKeyCreate'],
    ['mutation { apiKeyDisable(input: { id: 1 }) { apiKey { id } } }', 'apiKeyDisable'],
  ])('returns FORBIDDEN for %s without full access, whatever its scopes', async (document, field) => {
    const world = await newWorld()
    const key = await world.key({ scopes })
    expect(await world.fault(document, {}, { key })).toMatchObject({ ...forbidden, path: [field] })
  })

  it('reads the same fields of an API key through node as through the list of keys', async () => {
    const world = await newWorld()
    const { nodes } = (await world.run('{ apiKeys { nodes { id } } }')).apiKeys
    const key = await world.key({ scopes })
    const document = 'query ($id: ID!) { node(id: $id) { ... on ApiKey { name prefix } } }'
    expect(await world.fault(document, { id: nodes[0].id }, { key })).toMatchObject(forbidden)
  })

  it('reads through node only what its scopes allow', async () => {
    const world = await newWorld()
    const { id } = await world.contact()
    const document = 'query ($id: ID!) { node(id: $id) { id } }'
    const without = await world.key({ scopes: ['account:read'] })
    expect(await world.fault(document, { id }, { key: without })).toMatchObject({ ...forbidden, path: ['node'] })
    const reader = await world.key({ scopes: ['contacts:read'] })
    expect(await world.run(document, { id }, { key: reader })).toEqual({ node: { id } })
    const { account } = await world.run('{ account { id } }')
    expect(await world.fault(document, { id: account.id }, { key: reader })).toMatchObject(forbidden)
  })

  it('reads allowed nodes although another node of the request is forbidden', async () => {
    const world = await newWorld()
    const { id } = await world.contact()
    const { account } = await world.run('{ account { id } }')
    const key = await world.key({ scopes: ['contacts:read'] })
    const { body } = await world.ask(
      'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }',
      { ids: [id, account.id] },
      { key },
    )
    expect(body).toMatchObject({ data: { nodes: [{ id }, null] }, errors: [{ ...forbidden, path: ['nodes', 1] }] })
  })

  it('gets null and one FORBIDDEN for a field of another module, and the other fields', async () => {
    const world = await newWorld()
    const { id } = await world.contact({ email: 'ada@example.com' })
    const reader = await world.key({ scopes: ['contacts:read'] })
    const { body } = await world.ask(
      'query ($id: ID!) { contact(ref: { id: $id }) { email account { name } } }',
      { id },
      { key: reader },
    )
    expect(body.data).toEqual({ contact: { email: 'ada@example.com', account: null } })
    expect(body.errors).toMatchObject([{ ...forbidden, path: ['contact', 'account'] }])

    const accountant = await world.key({ scopes: ['account:read'] })
    for (const field of ['contacts { totalCount }', 'tags { totalCount }', 'customFields { id }']) {
      const reply = await world.ask(`{ account { name ${field} } }`, {}, { key: accountant })
      expect(reply.body.data.account).toEqual({ name: 'Ada & Co', [field.split(' ')[0] as string]: null })
      expect(reply.body.errors).toMatchObject([forbidden])
    }
  })

  it('returns FORBIDDEN on a socket, too', async () => {
    const world = await newWorld()
    const socket = world.socket({ key: await world.key({ scopes: ['account:read'] }) })
    expect(await socket.ask('{ contacts { totalCount } }')).toMatchObject({ errors: [forbidden] })
    expect(await socket.ask('{ account { name } }')).toMatchObject({ data: { account: { name: 'Ada & Co' } } })
  })

  it('returns its scopes, and null for full access', async () => {
    const world = await newWorld()
    const key = await world.key({ scopes: ['contacts:read', 'mail:write'] })
    expect(await world.run('{ viewer { scopes } }', {}, { key })).toEqual({
      viewer: { scopes: ['CONTACTS_READ', 'MAIL_WRITE'] },
    })
    expect(await world.run('{ viewer { scopes } }')).toEqual({ viewer: { scopes: null } })
  })
})

describe('a mutation that changes another module', () => {
  /**
   * Mutations, the scope that a key with only the mutation's own scope lacks, and the expected refusal. No change is
   * made.
   */
  const mutationsAcrossModules = async (world: World) => {
    const contact = await world.contact()
    const tag = await world.tag()
    const sequence = await world.sequence()
    await world.stage(sequence)
    const action = await world.stage(sequence, { stageType: 'ACTION' })
    const step = await world.step(await world.funnel())
    const form = await world.form()
    const sequenceIds = [sequence.id]
    const buyer = { customer: { email: 'new@example.com' }, amount: '1', createContact: true }
    const mine = { contact: { id: contact.id } }
    return [
      ['contacts:write', 'sequences:write', 'contactCreate', { email: 'new@example.com', addSequenceIds: sequenceIds }],
      [
        'contacts:write',
        'sequences:write',
        'contactUpsert',
        { email: contact.email, city: 'Paris', addSequenceIds: sequenceIds },
      ],
      [
        'contacts:write',
        'sequences:write',
        'contactImportCreate',
        { csv: 'email\nnew@example.com\n', addSequenceIds: sequenceIds },
      ],
      ['finance:write', 'contacts:write', 'orderRecord', { idOrder: 'A-1', ...buyer }],
      ['finance:write', 'contacts:write', 'transactionRecord', { idTransaction: 'A-1', ...buyer }],
      ['finance:write', 'contacts:write', 'subscriptionRecord', { idSubscription: 'A-1', name: 'x', ...buyer }],
      ['forms:write', 'contacts:write', 'submissionSave', { formId: form.id, ...mine }],
      ['funnels:write', 'forms:write', 'funnelStepUpdate', { id: step.id, formId: form.id }],
      ['funnels:write', 'contacts:write', 'funnelStepUpdate', { id: step.id, tagIds: [tag.id] }],
      ['funnels:write', 'sequences:write', 'funnelStepUpdate', { id: step.id, sequenceIds }],
      ['sequences:write', 'contacts:write', 'sequenceStageUpdate', { id: action.id, action: { unsubscribe: true } }],
      [
        'sequences:write',
        'contacts:write',
        'sequenceStageCreate',
        { sequenceId: sequence.id, stageType: 'ACTION', action: { addTagId: tag.id } },
      ],
    ] as const
  }

  it('returns FORBIDDEN without the scope of that module and changes nothing', async () => {
    const world = await newWorld()
    for (const [own, other, field, input] of await mutationsAcrossModules(world)) {
      const key = await world.key({ scopes: [own] })
      const document = `mutation ($input: ${field[0]?.toUpperCase()}${field.slice(1)}Input!) { ${field}(input: $input) { __typename } }`
      const before = await everything(world)
      const fault = await world.fault(document, { input }, { key })
      expect(fault, field).toMatchObject({ extensions: { code: 'FORBIDDEN' }, path: [field] })
      expect(fault.message, field).toContain(scopeName(other))
      expect(await everything(world), field).toEqual(before)
      await world.run(document, { input }, { key: await world.key({ scopes: [own, other] }) })
    }
  })

  it('requires only its own scope if its input names nothing of that module', async () => {
    const world = await newWorld()
    const key = await world.key({ scopes: ['contacts:write'] })
    const document =
      'mutation ($input: ContactUpsertInput!) { contactUpsert(input: $input) { contactId contactDatabaseId created } }'
    for (const sequenceIds of [[], null]) {
      const { contactUpsert } = await world.run(
        document,
        { input: { email: 'a@example.com', addSequenceIds: sequenceIds } },
        { key },
      )
      expect(contactUpsert.contactDatabaseId).toBeGreaterThan(0)
    }
  })
})

describe('a payload', () => {
  it('hides written objects from a key that cannot read them, and returns their IDs', async () => {
    const world = await newWorld()
    const [contact, tag] = [await world.contact({ email: 'ada@example.com' }), await world.tag()]
    const document = `mutation ($id: ID!, $tagId: ID!) { contactTagAdd(input: { contact: { id: $id }, tagId: $tagId }) {
      contactId contactDatabaseId contact { email } tagId tag { name } } }`
    const ask = async (scopes: Scope[]) =>
      (await world.ask(document, { id: contact.id, tagId: tag.id }, { key: await world.key({ scopes }) })).body
    const hidden = await ask(['contacts:write'])
    expect(hidden.data.contactTagAdd).toEqual({
      contactId: contact.id,
      contactDatabaseId: contact.databaseId,
      contact: null,
      tagId: tag.id,
      tag: null,
    })
    expect(hidden.errors).toMatchObject(
      ['contact', 'tag'].map((field) => ({ ...forbidden, path: ['contactTagAdd', field] })),
    )
    const shown = await ask(['contacts:write', 'contacts:read'])
    expect(shown.errors).toBeUndefined()
    expect(shown.data.contactTagAdd).toMatchObject({ contact: { email: 'ada@example.com' }, tag: { name: tag.name } })
    expect(await world.rows('SELECT FROM contact_tag WHERE account_id = $1', [world.accountId])).toHaveLength(1)
  })
})

describe('a filter by a contact', () => {
  it('requires contacts:read, because it would reveal who submitted a form', async () => {
    const world = await newWorld()
    const { id, email } = await world.contact()
    await world.submission(await world.form(), { contact: { id } })
    const document = 'query ($filter: SubmissionFilterInput) { submissions(filter: $filter) { totalCount } }'
    const key = await world.key({ scopes: ['forms:read'] })
    for (const filter of [{ email: { eq: email } }, { contacts: { any: [id] } }, { or: [{ search: email }] }]) {
      expect(await world.fault(document, { filter }, { key })).toMatchObject(forbidden)
      expect((await world.run(document, { filter })).submissions.totalCount).toBe(1)
    }
    expect((await world.run(document, {}, { key })).submissions.totalCount).toBe(1)
  })
})
