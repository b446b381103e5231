import { beforeAll, describe, expect, it } from 'vitest'
import { newWorld, type World } from '../support/world.ts'
import { AudienceRead, CampaignCreate, CampaignSend, draft } from './documents.ts'

/** Creates an account with this number of campaigns, tags and sequences, each with this number of contacts. */
async function filled(count: number): Promise<World> {
  const world = await newWorld()
  const sql = (text: string) => world.rows(text, [world.accountId, count])
  await sql(`INSERT INTO contact (account_id, email, email_marketing, created_at, updated_at)
    SELECT $1, n || '@example.com', true, now(), now() FROM generate_series(1, $2::int) n`)
  await sql('INSERT INTO tag (account_id, name, created_at) SELECT $1, n, now() FROM generate_series(1, $2::int) n')
  await sql(`INSERT INTO sequence (account_id, name, type, created_at)
    SELECT $1, n, 'NORMAL', now() FROM generate_series(1, $2::int) n`)
  await sql(`INSERT INTO contact_tag SELECT c.account_id, c.id, t.id, now() FROM contact c JOIN tag t USING (account_id)
    WHERE c.account_id = $1 AND $2 > 0`)
  await sql(`INSERT INTO enrolment (account_id, contact_id, sequence_id, enrolled_at)
    SELECT c.account_id, c.id, s.id, now() FROM contact c JOIN sequence s USING (account_id) WHERE c.account_id = $1 AND $2 > 0`)
  await sql(`WITH made AS (INSERT INTO email (account_id, subject, created_at, updated_at)
      SELECT $1, 'Hello', now(), now() FROM generate_series(1, $2::int) RETURNING id)
    INSERT INTO campaign (account_id, name, email_id, status, filters, created_at)
    SELECT $1, 'campaign ' || made.id, made.id, 'SENDING', jsonb_build_object('includeTagIds', jsonb_build_array(t.id)), now()
    FROM made JOIN (SELECT id, row_number() OVER (ORDER BY id) AS n FROM tag WHERE account_id = $1) t
      ON t.n = made.id - (SELECT min(id) FROM made) + 1`)
  await sql(`INSERT INTO mail_recipient (account_id, campaign_id, contact_id, created_at)
    SELECT c.account_id, k.id, c.id, now() FROM contact c JOIN campaign k USING (account_id)
    WHERE c.account_id = $1 AND $2 > 0`)
  return world
}

const questions: Readonly<Record<string, string>> = {
  'campaigns with their e-mails':
    '{ campaigns(first: $n) { nodes { name subject fromEmail email { subject html } } } }',
  'campaigns with their recipients': `{ campaigns(first: $n) { nodes {
    recipients(first: $n) { totalCount nodes { state contact { email } campaign { name } } } } } }`,
  'campaigns with their audiences': `{ campaigns(first: $n) { nodes { audience { total optIn filter
    contacts(first: 2) { totalCount nodes { email tags { name } } } } } } }`,
  'campaigns with their figures': '{ campaigns(first: $n) { totalCount nodes { stats { sent openRate } } } }',
  'tags with their audiences':
    '{ tags(first: $n) { nodes { audience { total optIn contacts(first: 1) { nodes { email } } } } } }',
  'sequences with their audiences': '{ sequences(first: $n) { nodes { audience { total optIn } } } }',
  'contacts with their messages': `{ contacts(first: $n) { nodes {
    messages(first: $n) { totalCount nodes { id campaign { name } } } } } }`,
}

describe('lists of campaigns and audiences', () => {
  const worlds: World[] = []
  beforeAll(async () => {
    for (const count of [2, 50]) worlds.push(await filled(count))
  })

  it.each(Object.entries(questions))('%s run as many statements for 50 rows as for 2', async (_name, question) => {
    const counts: number[] = []
    for (const [index, world] of worlds.entries()) {
      const ask = () => world.run(`query ($n: Int) ${question}`, { n: [2, 50][index] })
      const [list] = Object.values(await ask()) as { nodes: unknown[] }[]
      expect(list?.nodes).toHaveLength([2, 50][index] as number)
      counts.push(await world.statements(ask))
    }
    expect(counts[0]).toBeLessThanOrEqual(8)
    expect(counts[1]).toBe(counts[0])
  })

  it('page through recipients and messages in both directions without duplicates', async () => {
    const world = worlds[1] as World
    const [{ id }] = (await world.run('{ campaigns(first: 1) { nodes { id } } }')).campaigns.nodes
    const document = `query ($id: ID!, $after: String, $before: String, $first: Int, $last: Int) { campaign(id: $id) {
      recipients(first: $first, after: $after, last: $last, before: $before) {
        totalCount nodes { id contact { email } } pageInfo { hasNextPage endCursor startCursor } } } }`
    const seen: string[] = []
    let after: string | null = null
    do {
      // biome-ignore lint/suspicious/noExplicitAny: the response contains the cursor of the next page
      const { recipients }: { recipients: any } = (await world.run(document, { id, after, first: 20 })).campaign
      expect(recipients.totalCount).toBe(50)
      seen.push(...recipients.nodes.map(({ contact }: { contact: { email: string } }) => contact.email))
      after = recipients.pageInfo.hasNextPage ? recipients.pageInfo.endCursor : null
    } while (after)
    expect(seen).toEqual(Array.from({ length: 50 }, (_, n) => `${n + 1}@example.com`))
    const { recipients } = (await world.run(document, { id, last: 2 })).campaign
    expect(recipients.nodes.map(({ contact }: { contact: { email: string } }) => contact.email)).toEqual(seen.slice(-2))
  })

  it('order recipients by contact and messages by creation, in both directions', async () => {
    const world = worlds[0] as World
    const [{ id }] = (await world.run('{ campaigns(first: 1) { nodes { id } } }')).campaigns.nodes
    const Recipients = `query ($id: ID!, $orderBy: [RecipientOrderInput!], $after: String) { campaign(id: $id) {
      list: recipients(first: 1, after: $after, orderBy: $orderBy) { nodes { contact { email } } pageInfo { endCursor } } } }`
    const Messages = `query ($orderBy: [MessageOrderInput!], $after: String) { contacts(first: 1) { nodes {
      list: messages(first: 1, after: $after, orderBy: $orderBy) { nodes { id } pageInfo { endCursor } } } } }`
    const walked = async (document: string, orderBy: object | null) => {
      const page = async (after: string | null) => {
        const { campaign, contacts } = await world.run(document, { id, orderBy, after })
        return (campaign ?? contacts.nodes[0]).list
      }
      const first = await page(null)
      return [...first.nodes, ...(await page(first.pageInfo.endCursor)).nodes]
    }
    const recipients = [1, 2].map((n) => ({ contact: { email: `${n}@example.com` } }))
    expect(await walked(Recipients, null)).toEqual(recipients)
    expect(await walked(Recipients, { direction: 'ASC' })).toEqual(recipients)
    expect(await walked(Recipients, { direction: 'DESC' })).toEqual(recipients.toReversed())
    const messages = (
      await world.rows<{ id: string }>(
        `SELECT id::text FROM mail_recipient WHERE account_id = $1
         AND contact_id = (SELECT max(id) FROM contact WHERE account_id = $1) ORDER BY mail_recipient.id`,
        [world.accountId],
      )
    ).map((row) => ({ id: Buffer.from(`Recipient:${row.id}`).toString('base64url') }))
    expect(messages).toHaveLength(2)
    expect(await walked(Messages, null)).toEqual(messages.toReversed())
    expect(await walked(Messages, { direction: 'ASC' })).toEqual(messages)
    expect(await walked(Messages, { direction: 'DESC' })).toEqual(messages.toReversed())
  })

  it('filter campaigns and recipients', async () => {
    const world = await newWorld()
    const [ada, grace] = [await world.contact({ emailMarketing: true }), await world.contact({ emailMarketing: true })]
    const { id } = await draft(world, { name: 'Spring sale', audience: { sendToAll: true } })
    await draft(world, { name: '100 % off' })
    await world.run(CampaignSend, { input: { id } })
    await world.rows(
      `UPDATE mail_recipient SET state = 'SENT', sent_at = now(), opened_at = now() WHERE account_id = $1 AND contact_id = $2`,
      [world.accountId, ada?.databaseId],
    )
    const names = async (filter: object) =>
      (
        await world.run('query ($filter: CampaignFilterInput) { campaigns(filter: $filter) { nodes { name } } }', {
          filter,
        })
      ).campaigns.nodes.map(({ name }: { name: string }) => name)
    expect(await names({ status: 'SENDING' })).toEqual(['Spring sale'])
    expect(await names({ search: 'SPRING' })).toEqual(['Spring sale'])
    expect(await names({ search: '% o' })).toEqual(['100 % off'])
    expect(await names({ createdAt: { period: 'TODAY' } })).toHaveLength(2)
    expect(await names({ createdAt: { period: 'YESTERDAY' } })).toEqual([])
    const emails = async (filter: object) =>
      (
        await world.run(
          `query ($id: ID!, $filter: RecipientFilterInput) { campaign(id: $id) {
            recipients(filter: $filter) { totalCount nodes { contact { email } } } } }`,
          { id, filter },
        )
      ).campaign.recipients.nodes.map(({ contact }: { contact: { email: string } }) => contact.email)
    expect(await emails({ openedAt: { exists: true } })).toEqual([ada?.email])
    expect(await emails({ openedAt: { exists: false } })).toEqual([grace?.email])
    expect(await emails({ state: ['QUEUED', 'CLAIMED'] })).toEqual([grace?.email])
    expect(await emails({ clickedAt: { exists: true } })).toEqual([])
    const ordered = await world.run(
      `query ($id: ID!) { campaigns(orderBy: { field: NAME, direction: ASC }) { nodes { name } }
        account { campaigns { totalCount } } node(id: $id) { id ... on Campaign { name } } }`,
      { id },
    )
    expect(ordered.campaigns.nodes.map(({ name }: { name: string }) => name)).toEqual(['100 % off', 'Spring sale'])
    expect(ordered).toMatchObject({ account: { campaigns: { totalCount: 2 } }, node: { id, name: 'Spring sale' } })
  })
})

describe('an audience', () => {
  it('lists its contacts with filter, order and paging', async () => {
    const world = await newWorld()
    const tag = await world.tag()
    for (const name of ['c', 'a', 'b']) await world.contact({ email: `${name}@example.com`, addTagIds: [tag.id] })
    await world.contact({ email: 'd@example.com' })
    const document = `query ($filter: ContactFilterInput, $after: String) { audience(filter: $filter) {
      contacts(first: 2, after: $after, orderBy: { field: EMAIL, direction: ASC }, filter: { emailMarketing: false }) {
        totalCount nodes { email } pageInfo { endCursor hasNextPage } } } }`
    const filter = { tags: { any: [tag.id] } }
    const first = (await world.run(document, { filter })).audience.contacts
    expect(first).toMatchObject({ totalCount: 3, nodes: [{ email: 'a@example.com' }, { email: 'b@example.com' }] })
    const second = (await world.run(document, { filter, after: first.pageInfo.endCursor })).audience.contacts
    expect(second).toMatchObject({ nodes: [{ email: 'c@example.com' }], pageInfo: { hasNextPage: false } })
  })

  it('does not contain data of another account', async () => {
    const [world, other] = [await newWorld(), await newWorld()]
    const tag = await other.tag()
    await other.contact({ addTagIds: [tag.id] })
    for (const lists of [{ includeTagIds: [tag.id] }, { includeTagIds: [String(tag.databaseId)] }, null]) {
      expect((await world.run(AudienceRead, { lists })).audience).toEqual({
        total: 0,
        optIn: 0,
        contacts: { totalCount: 0, nodes: [] },
      })
    }
    // The filter is stored as it was sent; unknown ids match no contact.
    const input = { name: 'News', audience: { lists: { includeTagIds: [tag.id] } } }
    const { campaign } = (await world.run(CampaignCreate, { input })).campaignCreate
    expect(campaign.status).toBe('DRAFT')
  })
})

describe('a key', () => {
  it.each([
    ['campaigns:write', '{ campaigns { totalCount } }'],
    ['campaigns:write', '{ campaign(id: 1) { id } }'],
    ['contacts:read', '{ audience { total } }'],
    ['contacts:read', '{ mailReach { reached } }'],
    ['campaigns:read', 'mutation { campaignCreate(input: { name: "News" }) { campaign { id } } }'],
    ['campaigns:read', 'mutation { campaignSend(input: { id: 1 }) { campaign { id } } }'],
  ] as const)('with only the scope %s cannot query %s', async (scope, document) => {
    const world = await newWorld()
    const key = await world.key({ scopes: [scope] })
    expect(await world.fault(document, {}, { key })).toMatchObject({ extensions: { code: 'FORBIDDEN' } })
  })

  it('with campaigns:read gets all fields of campaigns except contacts', async () => {
    const world = await newWorld()
    await world.contact({ emailMarketing: true })
    const { id } = await draft(world, { audience: { sendToAll: true } })
    await world.run(CampaignSend, { input: { id } })
    const key = await world.key({ scopes: ['campaigns:read'] })
    const document = `query ($id: ID!) { campaign(id: $id) { subject audience { total contacts { totalCount } }
      recipients { nodes { state contact { email } } } } }`
    const { body } = await world.ask(document, { id }, { key })
    expect(body.data.campaign).toEqual({
      subject: 'Hello',
      audience: { total: 1, contacts: null },
      recipients: { nodes: [{ state: 'QUEUED', contact: null }] },
    })
    expect(body.errors.map(({ extensions }: { extensions: { code: string } }) => extensions.code)).toEqual([
      'FORBIDDEN',
      'FORBIDDEN',
    ])
  })
})
