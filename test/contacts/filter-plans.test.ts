import { type GraphQLInputObjectType, getNamedType, isInputObjectType } from 'graphql'
import { beforeAll, describe, expect, it } from 'vitest'
import { schema } from '../../src/server/schema.ts'
import { plansOf } from '../support/explain.ts'
import { type Named, newWorld, type World } from '../support/world.ts'
import { newTopic } from './topics.ts'

let world: World
type IdName =
  | 'tag'
  | 'sequence'
  | 'stage'
  | 'campaign'
  | 'form'
  | 'outcome'
  | 'funnel'
  | 'step'
  | 'text'
  | 'topic'
  | 'left'
  | 'number'
  | 'date'
  | 'flag'
let ids: Record<IdName, number>

/** Enough contacts of one account that reading all of them costs more than any index. */
beforeAll(async () => {
  world = await newWorld()
  const { accountId, rows } = world
  // Of each two, one is related to all contacts, the other to few.
  const [tag, common] = [await world.tag('rare'), await world.tag('common')]
  const [topic, joinedByAll] = [
    await newTopic(world, { audience: 'JOINED' }),
    await newTopic(world, { audience: 'JOINED' }),
  ]
  const [left, leftByAll] = [await newTopic(world), await newTopic(world)]
  const [sequence, other] = [await world.sequence(), await world.sequence()]
  const [form, survey] = [await world.form(), await world.form()]
  const [campaign, news] = [await world.campaign(), await world.campaign()]
  const field = async (type: string) => (await world.customField({ name: type, type })).databaseId
  const fields = [await field('TEXT'), await field('NUMBER'), await field('DATE'), await field('BOOLEAN')]
  const [text = 0, number = 0, date = 0, flag = 0] = fields
  ids = {
    ...{ tag: tag.databaseId, sequence: sequence.databaseId, campaign: campaign.databaseId, form: form.databaseId },
    ...{ text, number, date, flag, topic: topic.databaseId, left: left.databaseId },
    ...{ stage: 1, outcome: 1, funnel: 1, step: 1 },
  }
  await rows(
    `INSERT INTO contact (account_id, email, first_name, last_name, phone, company_name, city, country, time_zone, locale, created_at,
       updated_at)
     SELECT $1, md5(n::text) || '@example.com', md5('f' || n), md5('l' || n), md5('p' || n), md5('o' || n), md5('c' || n),
       md5('y' || n), md5('z' || n), md5('a' || n), now() - n * interval '1 hour', now() - n * interval '1 hour' FROM generate_series(1, 20000) n`,
    [accountId],
  )
  const contacts =
    'FROM contact c, unnest($2::int[], $3::int[]) AS of(id, every) WHERE c.account_id = $1 AND c.id % every = 0'
  const relate = (into: string, rare: Named, all: Named) =>
    rows(`${into} ${contacts}`, [accountId, [rare.databaseId, all.databaseId], [1_000, 1]])
  await relate('INSERT INTO contact_tag SELECT $1, c.id, of.id, now()', tag, common)
  const decided = (state: string) =>
    `INSERT INTO topic_membership (account_id, contact_id, topic_id, state, changed_at) SELECT $1, c.id, of.id, '${state}', now()`
  await relate(decided('JOINED'), topic, joinedByAll)
  await relate(decided('LEFT'), left, leftByAll)
  await relate(
    'INSERT INTO enrolment (account_id, contact_id, sequence_id, enrolled_at) SELECT $1, c.id, of.id, now()',
    sequence,
    other,
  )
  await relate(
    `INSERT INTO mail_recipient (account_id, campaign_id, contact_id, created_at, sent_at, opened_at, clicked_at)
     SELECT $1, of.id, c.id, now(), now(), now(), now()`,
    campaign,
    news,
  )
  await relate(
    `INSERT INTO submission (account_id, form_id, contact_id, status, bucket, started_at, completed_at, created_at, updated_at)
     SELECT $1, of.id, c.id, 'COMPLETED', 'COLD', now(), now(), now(), now()`,
    form,
    survey,
  )
  await rows(
    `INSERT INTO contact_field (account_id, contact_id, custom_field_id, value, number, day, updated_at)
     SELECT $1, c.id, f.id, CASE WHEN f.id = $2 THEN md5(c.id::text) ELSE CASE WHEN c.id % 500 = 0 THEN 'true' ELSE 'false' END END,
       CASE WHEN f.id = $3 THEN c.id END, CASE WHEN f.id = $4 THEN date '2000-01-01' + c.id % 9000 END, now()
     FROM contact c, unnest($5::int[]) AS f(id) WHERE c.account_id = $1`,
    [accountId, ids.text, ids.number, ids.date, fields],
  )
  await relateHigherRows()
  // Also merges the pending entries of GIN indexes, which make the planner avoid them.
  await rows('VACUUM ANALYZE')
}, 120_000)

/** Gives 20 of the 20,000 contacts, and all of them, rows of each kind that conditions of other modules read. */
async function relateHigherRows(): Promise<void> {
  const { accountId, rows } = world
  const insert = async (statement: string, ...values: unknown[]) =>
    (await rows<{ id: number }>(statement, [accountId, ...values])).map(({ id }) => id)
  const [stage = 0, everyStage] = await insert(
    `INSERT INTO sequence_stage (account_id, sequence_id, step, name, stage_type, time_value, time_type, created_at)
     SELECT $1, s.id, 1, 's', 'SEND_EMAIL', 1, 3600, now() FROM unnest($2::int[]) s(id) RETURNING id`,
    (await rows<{ id: number }>('SELECT id FROM sequence WHERE account_id = $1 ORDER BY id', [accountId])).map(
      (s) => s.id,
    ),
  )
  const [outcome = 0] = await insert(
    `INSERT INTO outcome (account_id, form_id, position, key, title, bucket)
     SELECT $1, f.id, 1, 'cold', 'Cold', 'COLD' FROM form f WHERE f.account_id = $1 ORDER BY f.id RETURNING id`,
  )
  const [funnel = 0] = await insert(
    `INSERT INTO funnel (account_id, name, type, created_at) SELECT $1, n, 'LEAD', now() FROM generate_series(1, 2) n RETURNING id`,
  )
  const [step = 0] = await insert(
    `INSERT INTO funnel_step (account_id, funnel_id, form_id, position, name, path, type, tag_ids, sequence_ids, created_at, updated_at)
     SELECT $1, u.id, f.id, 1, 's', 's', 1, '{}', '{}', now(), now()
     FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM funnel WHERE account_id = $1) u
     JOIN (SELECT id, row_number() OVER (ORDER BY id) AS n FROM form WHERE account_id = $1) f USING (n) ORDER BY u.id RETURNING id`,
  )
  await rows(
    'UPDATE enrolment e SET next_stage_id = g.id FROM sequence_stage g WHERE g.account_id = $1 AND e.account_id = $1 AND e.sequence_id = g.sequence_id',
    [accountId],
  )
  await rows(
    `WITH others AS (INSERT INTO form (account_id, type, name, status, warm_from, hot_from, created_at, updated_at)
       SELECT $1, 'SURVEY', n, 'PUBLISHED', 1, 2, now(), now() FROM generate_series(1, 200) n RETURNING id)
     INSERT INTO submission (account_id, form_id, contact_id, status, bucket, started_at, completed_at, created_at, updated_at)
     SELECT $1, others.id, c.id, 'COMPLETED', 'COLD', now(), now(), now(), now() FROM others, contact c
     WHERE c.account_id = $1 AND c.id % 200 = 0`,
    [accountId],
  )
  await rows(`UPDATE submission SET outcome_key = 'cold' WHERE account_id = $1`, [accountId])
  await rows(
    `INSERT INTO mail_recipient (account_id, sequence_id, stage_id, enrolment_id, contact_id, created_at, sent_at, opened_at, clicked_at)
     SELECT e.account_id, e.sequence_id, e.next_stage_id, e.id, e.contact_id, now(), now(), now(), now() FROM enrolment e
     WHERE e.account_id = $1`,
    [accountId],
  )
  await rows(
    `INSERT INTO visit (account_id, created_at, funnel_id, step_id, visitor_id, contact_id)
     SELECT $1, now(), p.funnel_id, p.id, 'v', CASE WHEN n % 2 = 0 THEN c.id END FROM contact c, generate_series(1, 4) n, funnel_step p
     WHERE c.account_id = $1 AND p.account_id = $1 AND (p.id <> $2 OR c.id % 1000 = 0)`,
    [accountId, step],
  )
  await rows(
    `INSERT INTO customer (account_id, email, contact_id, created_at) SELECT $1, c.email, c.id, now() FROM contact c
     WHERE c.account_id = $1`,
    [accountId],
  )
  await rows(
    `INSERT INTO "order" (account_id, id_order, customer_id, type, status, amount, currency, created_at, updated_at)
     SELECT $1, u.id, u.id, 'shop', 'COMPLETED', 10, 'EUR', now(), now() FROM customer u WHERE u.account_id = $1`,
    [accountId],
  )
  await rows(
    `INSERT INTO order_line (account_id, order_id, position, name, quantity, unit_price, vat_rate, amount, vat)
     SELECT $1, o.id, 1, md5(o.id::text), 1, 10, 20, 10, 2 FROM "order" o WHERE o.account_id = $1`,
    [accountId],
  )
  await rows(
    `INSERT INTO billing_subscription (account_id, id_subscription, customer_id, status, name, amount, currency, payment_source,
       rate_months, created_at, updated_at)
     SELECT $1, u.id, u.id, CASE WHEN u.id % 1000 = 0 THEN 'ERROR' ELSE 'ACTIVE' END::billing_status, 'Gold', 10, 'EUR', 'card', 1,
       now(), now() FROM customer u WHERE u.account_id = $1`,
    [accountId],
  )
  await rows(
    `INSERT INTO suppression (account_id, email, reason, created_at) SELECT $1, c.email, 'MANUAL', now() FROM contact c
     WHERE c.account_id = $1 AND c.id % 1000 = 0`,
    [accountId],
  )
  ids = { ...ids, stage, outcome, funnel, step }
  expect(everyStage).toBeDefined()
}

const custom = (name: 'text' | 'number' | 'date' | 'flag', condition: unknown) => () => ({
  customFields: [{ id: ids[name], [name]: condition }],
})
const textOperators = (name: string, index: string, equality = index, start = index) =>
  [
    [`${name}.eq`, () => ({ [name]: { eq: 'abcdef12' } }), equality],
    [`${name}.in`, () => ({ [name]: { in: ['abcdef12', 'x'] } }), equality],
    [`${name}.contains`, () => ({ [name]: { contains: 'bcdef1' } }), index],
    [`${name}.startsWith`, () => ({ [name]: { startsWith: 'abcdef' } }), start],
    [`${name}.endsWith`, () => ({ [name]: { endsWith: 'bcdef1' } }), index],
  ] as const
const day = { from: '2000-01-05', to: '2000-01-05' }
const times = (name: string, index: string) =>
  [
    ...['eq', 'gt', 'gte'].map(
      (each) => [`${name}.${each}`, () => ({ [name]: { [each]: new Date() } }), index] as const,
    ),
    ...['lt', 'lte'].map(
      (each) => [`${name}.${each}`, () => ({ [name]: { [each]: '2000-01-01T00:00:00Z' } }), index] as const,
    ),
    [`${name}.withinDays`, () => ({ [name]: { withinDays: 1 } }), index],
    [`${name}.beforeDays`, () => ({ [name]: { beforeDays: 9_000 } }), index],
    [`${name}.period`, () => ({ [name]: { period: 'TODAY' } }), index],
    [`${name}.range`, () => ({ [name]: { range: day } }), index],
    [`${name}.timezone`, () => ({ [name]: { range: day, timezone: 'Asia/Tokyo' } }), index],
  ] as const
const members = (name: string, type: keyof typeof ids, index: string) =>
  [
    [`${name}.any`, () => ({ [name]: { any: [ids[type]] } }), index],
    [`${name}.any, of two`, () => ({ [name]: { any: [ids[type], 0] } }), index],
    [`${name}.all`, () => ({ [name]: { all: [ids[type], ids[type]] } }), index],
  ] as const

/** Conditions that usually match most rows. An index on another field of the filter, or on the sort key, finds the rows. */
const broad = /^(emailMarketing|gdpr|hasOrders|exists|purchases\..*|lastActiveAt\..*)$|\.(ne|none|exists)$/

/** Returns the operators of the fields of a filter's input type, as `field.operator`. */
function operatorsOf(type: GraphQLInputObjectType): string[] {
  return Object.values(type.getFields()).flatMap(({ name, type: of }): string[] => {
    const to = getNamedType(of)
    // A segment is a filter of the other fields.
    if (['and', 'or', 'not', 'segments'].includes(name)) return []
    if (name === 'customFields') return operatorsOf(to as GraphQLInputObjectType).filter((each) => each !== 'id')
    return isInputObjectType(to) ? Object.keys(to.getFields()).map((operator) => `${name}.${operator}`) : [name]
  })
}

const operators = [
  ...textOperators('email', 'contact_words_idx', 'contact_account_id_address_key'),
  ...textOperators('firstName', 'contact_words_idx', 'contact_first_name_idx', 'contact_first_name_idx'),
  ...textOperators('lastName', 'contact_words_idx', 'contact_last_name_idx', 'contact_last_name_idx'),
  ['firstName.startsWith, of an accent', () => ({ firstName: { startsWith: 'éabcde' } }), 'contact_words_idx'],
  ...textOperators('phone', 'contact_details_idx'),
  ...textOperators('companyName', 'contact_details_idx'),
  ...textOperators('city', 'contact_details_idx'),
  ...textOperators('country', 'contact_details_idx'),
  ...textOperators('timeZone', 'contact_details_idx'),
  ...textOperators('locale', 'contact_details_idx'),
  ['search', () => ({ search: 'abcdef12' }), 'contact_words_idx'],
  ['id.in', () => ({ id: { in: [1, 2] } }), 'contact_pkey'],
  ['id.eq', () => ({ id: { eq: 1 } }), 'contact_pkey'],
  ['id.in, of one', () => ({ id: { in: [1] } }), 'contact_pkey'],
  ...times('createdAt', 'contact_account_id_created_at_id_idx'),
  ...times('updatedAt', 'contact_account_id_updated_at_id_idx'),
  ...members('tags', 'tag', 'contact_tag_'),
  ...members('topics', 'topic', 'topic_membership_'),
  ...members('topicsLeft', 'left', 'topic_membership_'),
  ...members('sequences', 'sequence', 'enrolment_sequence_idx'),
  ...members('nextStages', 'stage', 'enrolment_sequence_idx'),
  ...['Sent', 'Opened', 'Clicked'].flatMap((name) =>
    members(`stages${name}`, 'stage', 'mail_recipient_account_id_sequence_id_stage_id_idx'),
  ),
  ...members('forms', 'form', 'submission_account_id_form_id_'),
  ...members('outcomes', 'outcome', 'submission_account_id_form_id_'),
  ...members('funnelsVisited', 'funnel', '_step_id_contact_id_idx'),
  ...members('stepsVisited', 'step', '_step_id_contact_id_idx'),
  ...textOperators('products', 'order_line_name_idx'),
  ['subscriptionStatus', () => ({ subscriptionStatus: ['ERROR'] }), 'billing_subscription_account_id_status_'],
  ['suppressed', () => ({ suppressed: true }), 'contact_account_id_address_key'],
  ['suppressionReason', () => ({ suppressionReason: ['MANUAL'] }), 'contact_account_id_address_key'],
  ['suppressionCause', () => ({ suppressionCause: ['ADDRESS_UNKNOWN'] }), 'contact_account_id_address_key'],
  ...['Sent', 'Opened', 'NotOpened', 'Clicked', 'NotClicked'].flatMap((name) =>
    members(`campaigns${name}`, 'campaign', 'mail_recipient_'),
  ),
  ['text.eq', custom('text', { eq: 'abcdef12' }), 'contact_field_value_idx'],
  ['text.in', custom('text', { in: ['abcdef12', 'x'.repeat(200)] }), 'contact_field_value_idx'],
  ['text.contains', custom('text', { contains: 'bcdef1' }), 'contact_field_search_idx'],
  ['text.startsWith', custom('text', { startsWith: 'abcdef' }), 'contact_field_value_idx'],
  ['text.endsWith', custom('text', { endsWith: 'bcdef1' }), 'contact_field_search_idx'],
  ...['eq', 'gt', 'gte'].map(
    (each) => [`number.${each}`, custom('number', { [each]: 1_000_000 }), 'contact_field_number_idx'] as const,
  ),
  ...['lt', 'lte'].map(
    (each) => [`number.${each}`, custom('number', { [each]: 9 }), 'contact_field_number_idx'] as const,
  ),
  ...['eq', 'gt', 'gte'].map(
    (each) => [`date.${each}`, custom('date', { [each]: '2040-01-05' }), 'contact_field_day_idx'] as const,
  ),
  ...['lt', 'lte'].map(
    (each) => [`date.${each}`, custom('date', { [each]: '2000-01-06' }), 'contact_field_day_idx'] as const,
  ),
  ['date.period', custom('date', { period: 'TODAY' }), 'contact_field_day_idx'],
  ['date.range', custom('date', { range: day }), 'contact_field_day_idx'],
  ['date.timezone', custom('date', { range: day, timezone: 'Asia/Tokyo' }), 'contact_field_day_idx'],
  ['flag', custom('flag', true), 'contact_field_value_idx'],
  ['or', () => ({ or: [{ tags: { any: [ids.tag] } }, { city: { eq: 'abcdef12' } }] }), 'contact_details_idx'],
] as const

describe('an index finds the contacts of each positive operator', () => {
  it('is tested for all operators of the schema', () => {
    const all = operatorsOf(schema.getType('ContactFilterInput') as GraphQLInputObjectType)
    const tested = new Set<string>(operators.map(([name]) => name))
    expect(all.filter((operator) => !broad.test(operator) && !tested.has(operator))).toEqual([])
  })

  it.each(operators)('%s', async (_operator, filterOf, index) => {
    const document = 'query ($filter: ContactFilterInput) { contacts(filter: $filter) { totalCount } }'
    const plans = await plansOf(world.server, () => world.run(document, { filter: filterOf() }))
    const [plan] = plans.filter(({ statement }) => /count\(\*\)/.test(statement))
    expect(plan?.scans.join(', ')).toContain(index)
    expect(plan?.scans).not.toContain('Seq Scan contact')
  })
})

describe('a facet', () => {
  it.each([
    ['TAG', 'contact_tag_pkey', 'contact_tag'],
    ['CUSTOM_FIELD', 'contact_field_pkey', 'contact_field'],
  ])('of %s finds the values of each contact by an index', async (field, index, table) => {
    const document = `query ($field: ContactFacetField!, $id: ID) {
      contacts { facet(field: $field, customFieldId: $id) { values { count } } } }`
    // A boolean is a choice.
    const id = field === 'TAG' ? null : ids.flag
    const plans = await plansOf(world.server, () => world.run(document, { field, id }))
    const [plan] = plans.filter(({ statement }) => /isCut/.test(statement))
    expect(plan?.scans.join(', ')).toContain(index)
    expect(plan?.scans).not.toContain(`Seq Scan ${table}`)
  })
})
