import { beforeAll, describe, expect, it } from 'vitest'
import { ports } from '../../src/contacts/ports.ts'
import { scopeName } from '../../src/graphql/schema/query.ts'
import { schema } from '../../src/server/schema.ts'
import { VisitRecord } from '../funnels/documents.ts'
import { plansOf } from '../support/explain.ts'
import { type Named, newWorld, type World } from '../support/world.ts'
import { createHistory, deleteContact } from './deletion.ts'
import { pagedIds, Timeline, timelineOf } from './timelines.ts'

const types = Object.keys(ports.timeline)

/** Gives a contact entries of all types, many of them at the same times. */
async function createBusyContact() {
  const world = await newWorld({ subdomain: `timeline-${Date.now()}` })
  const contact = await world.contact({ emailMarketing: true, email: 'ada@people.example' })
  const [sequence, form, campaign] = [await world.sequence(), await world.form(), await world.campaign()]
  const [tag, field] = [await world.tag('vip'), await world.customField({ name: 'Size', type: 'TEXT' })]
  await world.order({ customer: { email: 'ada@people.example', firstName: 'Ada', lastName: 'King' } })
  const funnel = await world.funnel()
  const step = await world.step(funnel, { name: 'Landing' })
  await world.run(VisitRecord, { input: { stepId: step.id, visitorId: 'v', contact: { id: contact.id } } })
  const times = "now() - n / 3 * interval '1 hour'"
  const { accountId, rows } = world
  const values = [accountId, contact.databaseId]
  const series = 'FROM generate_series(1, 10) n'
  await rows(
    `INSERT INTO mail_recipient (account_id, contact_id, campaign_id, state, created_at, sent_at, failed_at, complained_at, skipped_at, delayed_at)
     VALUES ($1, $2, $3, 'SENT', now(), now(), now(), now(), now(), now())`,
    [...values, campaign.databaseId],
  )
  for (const table of ['mail_open', 'mail_click'])
    await rows(
      `INSERT INTO ${table} (account_id, contact_id, recipient_id, is_bot, created_at ${table === 'mail_click' ? ', url' : ''})
       SELECT $1, $2, (SELECT max(id) FROM mail_recipient WHERE account_id = $1), n > 9, ${times} ${table === 'mail_click' ? ", 'https://shop.example/' || n" : ''} ${series}`,
      values,
    )
  await rows(
    `INSERT INTO contact_change (account_id, contact_id, kind, actor, tag_id, custom_field_id, created_at)
     SELECT $1, $2, k.kind::contact_change_kind, 'BACKGROUND_JOB', $3, $4, ${times} ${series}, unnest('{TAG_ADDED,TAG_REMOVED,CUSTOM_FIELD,FIELD}'::text[]) AS k(kind)`,
    [...values, tag.databaseId, field.databaseId],
  )
  await rows(
    `INSERT INTO contact_consent (account_id, contact_id, kind, granted, source, created_at) SELECT $1, $2, 'GDPR', true, 'api', ${times} ${series}`,
    values,
  )
  await rows(
    `INSERT INTO enrolment (account_id, contact_id, sequence_id, state, end_reason, enrolled_at, ended_at) SELECT $1, $2, $3, 'ENDED', 'REMOVED', ${times}, ${times} ${series}`,
    [...values, sequence.databaseId],
  )
  await rows(
    `INSERT INTO submission (account_id, form_id, contact_id, status, bucket, started_at, created_at, updated_at)
     SELECT $1, $3, $2, 'COMPLETED', 'COLD', now(), ${times}, now() ${series}`,
    [...values, form.databaseId],
  )
  await rows(
    "INSERT INTO suppression (account_id, email, reason, created_at) VALUES ($1, 'ADA@people.example', 'BOUNCE', now())",
    [accountId],
  )
  return { world, contact }
}

describe('the sources of timelines', () => {
  it('have ranks of their own, and types that implement the interface', () => {
    const sources = Object.values(ports.timeline)
    expect(new Set(sources.map(({ rank }) => rank)).size).toBe(sources.length)
    for (const { kind } of sources) expect(schema.getType(kind), kind).toMatchObject({ name: kind })
    const interfaceType = schema.getType('TimelineEntry')
    const implementations = schema.getPossibleTypes(interfaceType as never).map(({ name }) => name)
    expect(implementations.sort()).toEqual([...new Set(sources.map(({ kind }) => kind))].sort())
  })
})

describe('the timeline of a contact', () => {
  let world: World
  let contact: Named
  beforeAll(async () => {
    const created = await createBusyContact()
    world = created.world
    contact = created.contact
  })

  it('has entries of all types with their records, newest first, without those of bots', async () => {
    const { nodes } = await timelineOf(world, { id: contact.id }, { first: 100 })
    const rest = await pagedIds(world, contact, 100)
    expect(nodes.length).toBe(100)
    const of = async (type: string) => (await timelineOf(world, { id: contact.id }, { types: [type] })).nodes
    const counts = await Promise.all(types.map(async (type) => [type, (await of(type)).length]))
    expect(rest.length).toBe(counts.reduce((total, [, count]) => total + Number(count), 0))
    expect(counts.filter(([, count]) => count === 0)).toEqual([])
    expect(await of('MESSAGE_OPENED')).toHaveLength(9)
    expect((await of('PAGE_VISITED'))[0]).toMatchObject({
      step: { name: 'Landing' },
      funnel: { name: expect.any(String) },
    })
    expect((await of('ADDRESS_SUPPRESSED'))[0]).toMatchObject({ suppression: { reason: 'BOUNCE' } })
    expect((await of('ORDER_PLACED'))[0]).toMatchObject({ order: { idOrder: expect.any(String) } })
    expect((await of('MESSAGE_CLICKED'))[0]).toMatchObject({ recipient: { id: expect.any(String) }, times: 1 })
    expect((await of('ENROLMENT_ENDED'))[0]).toMatchObject({ enrolment: { state: 'ENDED' } })
    expect((await of('FORM_SUBMITTED'))[0]).toMatchObject({ submission: { status: 'COMPLETED' } })
    expect((await of('CONSENT_RECORDED'))[0]).toMatchObject({ consent: { granted: true } })
    const moments = nodes.map(({ occurredAt }) => occurredAt)
    expect(moments).toEqual(moments.toSorted().reverse())
  })

  it.each([1, 2, 7, 50])(
    'read in pages of %i has each entry once, in the same order',
    async (first) => {
      const whole = await pagedIds(world, contact, 100)
      expect(new Set(whole).size).toBe(whole.length)
      expect(await pagedIds(world, contact, first)).toEqual(whole)
      const some = ['MESSAGE_OPENED', 'TAG_ADDED', 'ENROLMENT_STARTED', 'ENROLMENT_ENDED']
      expect(await pagedIds(world, contact, first, some)).toEqual(await pagedIds(world, contact, 100, some))
    },
    120_000,
  )

  it('rejects an empty list of types, and cursors of other timelines', async () => {
    const fault = async (args: object) => (await world.fault(Timeline, { ref: { id: contact.id }, ...args })).extensions
    expect(await fault({ types: [] })).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { types: expect.any(Array) },
    })
    const { pageInfo } = await timelineOf(world, { id: contact.id }, { first: 1 })
    for (const after of ['x', pageInfo.endCursor])
      expect(await fault({ types: ['TAG_ADDED'], after })).toMatchObject({ details: { after: expect.any(Array) } })
    expect(await fault({ first: 101 })).toMatchObject({ details: { first: expect.any(Array) } })
  })

  it('leaves out entries that the key may not read, and returns FORBIDDEN for their types', async () => {
    const readable = async (scopes: readonly string[]) => {
      const key = await world.key({ scopes: scopes as never })
      const ids = new Set<string>()
      for (let after: string | null = null; ; ) {
        const page = await timelineOf(world, { id: contact.id }, { first: 100, after }, key)
        for (const { type } of page.nodes) ids.add(type)
        if (!page.pageInfo.hasNextPage) return { key, types: ids }
        after = page.pageInfo.endCursor
      }
    }
    for (const scope of ['mail:read', 'sequences:read', 'finance:read', 'forms:read', 'funnels:read']) {
      const { key, types: shown } = await readable(['contacts:read', scope])
      const held = ['contacts:read', scope]
      expect([...shown].sort()).toEqual(types.filter((type) => held.includes(ports.timeline[type]?.needs ?? '')).sort())
      for (const type of types) {
        const { body } = await world.ask(Timeline, { ref: { id: contact.id }, types: [type], first: 1 }, { key })
        const needs = ports.timeline[type]?.needs as 'contacts:read'
        if (held.includes(needs)) expect(body.errors, type).toBeUndefined()
        else
          expect(body, type).toMatchObject({
            data: { contact: { timeline: null } },
            errors: [{ extensions: { code: 'FORBIDDEN', scope: scopeName(needs) } }],
          })
      }
    }
  }, 120_000)

  it('is not shown to another account', async () => {
    const other = await world.other()
    const { contact: found } = await other.run(Timeline, { ref: { id: contact.id } })
    expect(found).toBeNull()
  })

  it('is read with the same number of statements for many contacts', async () => {
    const document = `query ($first: Int!) { contacts(first: $first) { nodes { timeline(first: 5) { nodes { id type
      ... on MessageOpenedEntry { recipient { id } } ... on ContactChange { tag { id } } } } } } }`
    const one = await world.statements(() => world.run(document, { first: 1 }))
    for (let n = 0; n < 5; n += 1) await world.contact()
    expect(await world.statements(() => world.run(document, { first: 6 }))).toBeLessThanOrEqual(one)
  })

  it('is deleted with the contact', async () => {
    const { world: own, person } = await createHistory()
    expect((await timelineOf(own, { id: person.id })).nodes.length).toBeGreaterThan(5)
    await deleteContact(own, person)
    const { contact: found } = await own.run(Timeline, { ref: { id: person.id } })
    expect(found).toBeNull()
    const left = 'SELECT 1 FROM contact_change WHERE account_id = $1 AND contact_id = $2'
    expect(await own.rows(left, [own.accountId, person.databaseId])).toEqual([])
  })

  it('of a contact with 100,000 opens reads only the rows of the page', async () => {
    const busy = await world.contact()
    await world.rows(
      `INSERT INTO mail_open (account_id, contact_id, recipient_id, is_bot, created_at)
       SELECT $1, CASE WHEN n <= 100000 THEN $2::int ELSE $2 + n END, n, false, now() - n * interval '1 minute' FROM generate_series(1, 150000) n`,
      [world.accountId, busy.databaseId],
    )
    await world.rows(
      `INSERT INTO "order" (account_id, id_order, customer_id, type, status, amount, currency, created_at, updated_at)
       SELECT $1, 'many ' || n, (SELECT min(id) FROM customer WHERE account_id = $1), 'shop', 'WAITING', 1, 'EUR', now() - n * interval '1 minute', now()
       FROM generate_series(1, 20000) n`,
      [world.accountId],
    )
    await world.rows('UPDATE customer SET contact_id = $2 WHERE account_id = $1', [world.accountId, busy.databaseId])
    await world.rows('ANALYZE mail_open, "order", customer')
    const { pageInfo } = await timelineOf(world, { id: busy.id }, { first: 50 })
    for (const after of [null, pageInfo.endCursor]) {
      const plans = await plansOf(world.server, () => timelineOf(world, { id: busy.id }, { first: 50, after }))
      const plan = plans.find(({ statement }) => statement.includes('mail_open'))
      expect(plan?.scans.filter((scan) => scan.startsWith('Seq Scan on mail'))).toEqual([])
      expect(plan?.looked).toBeLessThan(1_000)
    }
  }, 120_000)
})
