import { beforeAll, describe, expect, it } from 'vitest'
import { plansOf } from '../support/explain.ts'
import { listDocument, listed } from '../support/listed.ts'
import { newWorld, type World } from '../support/world.ts'
import { message } from './support.ts'

const suppressions = { type: 'Suppression', field: 'suppressions', name: 'email' }
const messagesOf = (id: string) => ({
  ...{ type: 'Recipient', field: 'recipients', name: 'contact { email }' },
  within: `campaign(id: "${id}") {`,
})

describe('recipients of a campaign', () => {
  let world: World
  let tag: { id: string }
  let ids: Record<'campaign' | 'other' | 'ada' | 'sequence', { id: string; databaseId: number }>

  beforeAll(async () => {
    world = await newWorld()
    const [ada, bob] = [
      await world.contact({ email: 'ada@x.io', firstName: 'Augusta', gdpr: true }),
      await world.contact({ email: 'bob@x.io' }),
    ]
    tag = await world.tag()
    await world.run('mutation ($input: ContactTagAddInput!) { contactTagAdd(input: $input) { contact { id } } }', {
      input: { contact: { id: ada.id }, tagId: tag.id },
    })
    const [campaign, other, sequence] = [await world.campaign(), await world.campaign(), await world.sequence()]
    ids = { campaign, other, ada, sequence }
    const campaignId = campaign.databaseId
    await message(world, ada, { campaignId, opened: true, clicked: true, unsubscribed: true })
    await message(world, bob, { campaignId, sent: false })
    await message(world, ada, { sequenceId: sequence.databaseId, opened: true })
    await world.rows(
      "UPDATE mail_recipient SET answer = '250 Queued', attempts = 1, sent_at = '2026-02-03T10:00:00Z' WHERE account_id = $1 AND opened_at IS NOT NULL",
      [world.accountId],
    )
  })

  const [ada, bob, all] = [['ada@x.io'], ['bob@x.io'], ['ada@x.io', 'bob@x.io']]
  it.each([
    [() => ({ state: ['SENT'] }), ada],
    [() => ({ state: 'QUEUED' }), bob],
    [() => ({ not: { state: ['SENT', 'FAILED'] } }), bob],
    [() => ({ sentAt: { gte: '2026-02-03T10:00:00Z', lt: '2026-02-03T10:00:01Z' } }), ada],
    [() => ({ sentAt: { period: 'BETWEEN', range: { from: '2026-02-03', to: '2026-02-03' } } }), ada],
    [() => ({ not: { sentAt: { lt: '2026-02-03T10:00:00Z' } } }), all],
    [() => ({ openedAt: { exists: true }, clickedAt: { exists: true }, unsubscribedAt: { exists: true } }), ada],
    [() => ({ not: { openedAt: { exists: true } } }), bob],
    [() => ({ clickedAt: { exists: false } }), bob],
    [() => ({ createdAt: { period: 'TODAY' } }), all],
    [() => ({ attempts: { gte: 1 }, answer: { contains: 'queued' } }), ada],
    [() => ({ answer: { exists: false } }), bob],
    [() => ({ contacts: { any: [ids.ada.id] } }), ada],
    [() => ({ contacts: { none: [ids.ada.databaseId] } }), bob],
    [() => ({ campaigns: { any: [ids.campaign.id] } }), all],
    [() => ({ campaigns: { any: [ids.other.id] } }), []],
    [() => ({ sequences: { exists: true } }), []],
    [() => ({ or: [] }), []],
    [() => ({ search: 'x.io august' }), ada],
    [() => ({ search: 'nobody' }), []],
    [() => ({ search: '' }), all],
    [() => ({ not: { search: 'augusta' } }), bob],
    [() => ({ contact: { firstName: { startsWith: 'aug' }, gdpr: true } }), ada],
    [() => ({ not: { contact: { gdpr: true } } }), bob],
    [() => ({ contact: { not: { tags: { any: [tag.id] } } } }), bob],
    [() => ({ or: [{ contact: { tags: { any: [tag.id] } } }, { state: ['QUEUED'] }] }), all],
    [() => ({ contact: { campaignsOpened: { any: [ids.campaign.id] }, search: 'ada' } }), ada],
    [() => ({ contact: { or: [] } }), []],
    [() => ({ not: { contact: { or: [] } } }), all],
    [() => ({ contact: {} }), all],
    [() => ({ search: 'ada', contact: { email: { eq: 'bob@x.io' } } }), []],
  ])('are filtered: case %#', async (filter, emails) => {
    expect(await listed(world, messagesOf(ids.campaign.id), { filter: filter() })).toEqual(emails)
  })

  it('and messages to a contact are filtered by campaign and sequence', async () => {
    const document = `query ($id: ID!, $filter: RecipientFilterInput) { contact(ref: { id: $id }) {
      messages(filter: $filter) { totalCount } } }`
    const count = async (filter: object) =>
      (await world.run(document, { id: ids.ada.id, filter })).contact.messages.totalCount
    expect(await count({ sequences: { any: [ids.sequence.id] } })).toBe(1)
    expect(await count({ campaigns: { exists: true } })).toBe(1)
    expect(await count({ openedAt: { exists: true } })).toBe(2)
  })

  it('of deleted contacts match no condition on the contact', async () => {
    const campaign = await world.campaign()
    const gone = await world.contact({ gdpr: true })
    await message(world, gone, { campaignId: campaign.databaseId })
    const document = `query ($id: ID!, $filter: RecipientFilterInput) { campaign(id: $id) {
      recipients(filter: $filter) { totalCount } } }`
    const count = async (filter: object) =>
      (await world.run(document, { id: campaign.id, filter })).campaign.recipients.totalCount
    const filters = [{ contact: { gdpr: true } }, { contact: {} }, { search: gone.email }]
    for (const filter of filters) expect(await count(filter)).toBe(1)
    await world.run('mutation ($id: ID!) { contactDelete(input: { contact: { id: $id } }) { deleted } }', gone)
    for (const filter of filters) expect(await count(filter)).toBe(0)
    expect(await count({ not: { contact: {} } })).toBe(1)
  })

  it.each([
    [{ contact: { email: { contains: 'ab' } } }, 'filter.contact.email.contains', 'must have at least 3 characters'],
    [{ contact: { or: Array(40).fill({ gdpr: true }) } }, 'filter', 'must have at most 40 conditions'],
    [{ and: Array(41).fill({}) }, 'filter', 'must have at most 40 conditions'],
    [{ or: Array(21).fill({ contact: { gdpr: true } }) }, 'filter', 'must have at most 40 conditions'],
    [{ not: { contact: { not: { not: { not: { gdpr: true } } } } } }, 'filter', 'must have at most 5 levels'],
    [{ contact: { tags: { any: ['Q29udGFjdDox'] } } }, 'filter.contact.tags.any', 'must be the id of a Tag'],
  ])('return VALIDATION_ERROR with the path: %j', async (filter, path, text) => {
    const document = `query ($id: ID!, $filter: RecipientFilterInput) { campaign(id: $id) {
      recipients(filter: $filter) { totalCount } } }`
    const { extensions } = await world.fault(document, { id: ids.campaign.id, filter })
    expect(extensions).toMatchObject({ code: 'VALIDATION_ERROR', details: { [path]: [text] } })
  })

  it('need the scopes of the conditions on the contact, and of its segments', async () => {
    const document = `query ($id: ID!, $filter: RecipientFilterInput) { campaign(id: $id) {
      recipients(filter: $filter) { totalCount } } }`
    const key = await world.key({ scopes: ['campaigns:read', 'contacts:read'] })
    const segment = await world.segment({ sequences: { exists: true } })
    for (const [condition, scope] of [
      [{ hasOrders: true }, 'FINANCE_READ'],
      [{ not: { forms: { exists: true } } }, 'FORMS_READ'],
      [{ segments: { any: [segment.id] } }, 'SEQUENCES_READ'],
    ] as const) {
      const fault = await world.fault(document, { id: ids.campaign.id, filter: { contact: condition } }, { key })
      expect(fault.extensions).toMatchObject({ code: 'FORBIDDEN', scope })
    }
    await world.run(document, { id: ids.campaign.id, filter: { contact: { segments: { any: [segment.id] } } } })
  })

  it.each([
    ['contacts', 'contacts:read', { exists: true }],
    ['contact', 'contacts:read', { gdpr: true }],
    ['search', 'contacts:read', 'ada'],
    ['sequences', 'sequences:read', { exists: true }],
  ])('return FORBIDDEN for a filter by %s without %s', async (field, scope, value) => {
    const filter = { or: [{ not: { [field]: value } }] }
    const document =
      'query ($id: ID!, $filter: RecipientFilterInput) { campaign(id: $id) { recipients(filter: $filter) { totalCount } } }'
    const variables = { id: ids.campaign.id, filter }
    const key = await world.key({ scopes: ['campaigns:read'] })
    const fault = await world.fault(document, variables, { key })
    expect(fault.extensions.code).toBe('FORBIDDEN')
    expect(fault.message).toContain(scope.replace(':', '_').toUpperCase())
    const allowed = await world.key({ scopes: ['campaigns:read', scope as 'contacts:read'] })
    await world.run(document, variables, { key: allowed })
  })
})

describe('suppressions', () => {
  let world: World
  beforeAll(async () => {
    world = await newWorld()
    const insert = 'INSERT INTO suppression (account_id, email, reason, detail, created_at)'
    await world.rows(
      `${insert} VALUES ($1, 'Ada.Lovelace@x.io', 'BOUNCE', '550 no such user', '2026-02-01Z'), ($1, 'bob@y.io', 'MANUAL', '', '2026-02-02Z')`,
      [world.accountId],
    )
    const other = await world.other()
    await world.rows(`${insert} VALUES ($1, 'bob@y.io', 'COMPLAINT', 'no such user', now())`, [other.accountId])
  })

  it.each([
    [{ email: { eq: 'ada.lovelace@X.io' } }, ['Ada.Lovelace@x.io']],
    [{ email: { contains: 'LOVE' } }, ['Ada.Lovelace@x.io']],
    [{ email: { startsWith: 'b' } }, ['bob@y.io']],
    [{ not: { email: { in: ['bob@y.io'] } } }, ['Ada.Lovelace@x.io']],
    [{ reason: ['MANUAL', 'COMPLAINT'] }, ['bob@y.io']],
    [{ detail: { contains: 'such' } }, ['Ada.Lovelace@x.io']],
    [{ createdAt: { gte: '2026-02-02T00:00:00Z' } }, ['bob@y.io']],
    [{ search: 'x.io lace' }, ['Ada.Lovelace@x.io']],
    [{ search: 'ob' }, []],
  ])('are filtered: %j', async (filter, emails) => {
    expect(await listed(world, suppressions, { filter })).toEqual(emails)
  })

  it('return VALIDATION_ERROR for a part of 2 characters', async () => {
    const { extensions } = await world.fault(listDocument(suppressions), { filter: { email: { contains: 'x.' } } })
    expect(extensions).toMatchObject({ details: { 'filter.email.contains': [expect.any(String)] } })
  })
})

it.each([
  [{ search: 'abcdef12' }, 'suppression_words_idx'],
  [{ email: { contains: 'bcdef1' } }, 'suppression_words_idx'],
  [{ email: { eq: 'abcdef12' } }, 'suppression_account_id_address_key'],
])('an index finds the suppressions that match %j', async (filter, index) => {
  const world = await newWorld()
  await world.rows(
    `INSERT INTO suppression (account_id, email, reason, detail, created_at)
     SELECT $1, md5(n::text) || '@z.example', 'COMPLAINT', '', now() FROM generate_series(1, 20000) n`,
    [world.accountId],
  )
  await world.rows('VACUUM ANALYZE suppression')
  const plans = await plansOf(world.server, () => world.run(listDocument(suppressions), { filter }))
  const [plan] = plans.filter(({ statement }) => /count\(\*\)/.test(statement))
  expect(plan?.scans.join(', ')).toContain(index)
})

describe('recipients of the account', () => {
  it('are those of campaigns and sequences, by stage and by clicked link, newest first', async () => {
    const world = await newWorld()
    const [ada, bob] = [await world.contact({ email: 'ada@x.io' }), await world.contact({ email: 'bob@x.io' })]
    const id = await message(world, ada, { campaignId: 7, clicked: true })
    const staged = await message(world, bob, { sequenceId: 8 })
    await world.rows('UPDATE mail_recipient SET stage_id = 9 WHERE account_id = $1 AND id = $2', [
      world.accountId,
      String(staged),
    ])
    await world.rows(
      `INSERT INTO mail_click (account_id, recipient_id, created_at, url, is_bot)
       SELECT $1, $2, now(), 'https://shop.example/' || n, n = 2 FROM generate_series(1, 2) n`,
      [world.accountId, String(id)],
    )
    const emails = async (filter: object) =>
      (
        await world.run(
          'query ($filter: RecipientFilterInput) { recipients(filter: $filter) { nodes { contact { email } } } }',
          { filter },
        )
      ).recipients.nodes.map(({ contact }: { contact: { email: string } }) => contact.email)
    expect(await emails({})).toEqual(['bob@x.io', 'ada@x.io'])
    expect(await emails({ stages: { any: ['9'] } })).toEqual(['bob@x.io'])
    expect(await emails({ clickedUrl: { eq: 'https://shop.example/1' } })).toEqual(['ada@x.io'])
    expect(await emails({ clickedUrl: { eq: 'https://shop.example/2' } })).toEqual([])
    expect(await emails({ clickedUrl: { exists: false } })).toEqual(['bob@x.io'])
    const key = await world.key({ scopes: ['campaigns:read'] })
    const { body } = await world.ask('{ recipients { totalCount } }', {}, { key })
    expect(body.errors[0].extensions.code).toBe('FORBIDDEN')
  })
})
