import { beforeAll, describe, expect, it } from 'vitest'
import { compactFigures } from '../../src/figures/compaction.ts'
import { countRows } from '../support/count-rows.ts'
import { plansOf } from '../support/explain.ts'
import { type Named, newWorld, type World } from '../support/world.ts'

const rowsOfLarge = 20_000

let world: World
let ids: Record<'campaign' | 'sequence' | 'form' | 'funnel' | 'tag' | 'contact', Record<'small' | 'large', Named>>

/** A small and a large object of each type in one account. The large ones have enough rows that an index pays. */
beforeAll(async () => {
  world = await newWorld()
  const { accountId, rows } = world
  const both = async <Each>(create: () => Promise<Each>) => ({ small: await create(), large: await create() })
  const question = [
    { label: 'Tools', type: 'SINGLE_CHOICE', options: ['a', 'b'] },
    { label: 'n', type: 'RATING' },
  ]
  const forms = await both(() => world.form({ questions: question }))
  const steps: Named[][] = []
  const newFunnel = async () => {
    const funnel = await world.funnel()
    steps.push([await world.step(funnel), await world.step(funnel)])
    return funnel
  }
  const newSequence = async () => {
    const sequence = await world.sequence()
    await world.stage(sequence)
    return sequence
  }
  ids = {
    campaign: await both(() => world.campaign()),
    sequence: await both(newSequence),
    form: forms,
    funnel: await both(newFunnel),
    tag: await both(() => world.tag()),
    contact: await both(() => world.contact()),
  }
  const fill = async (size: 'small' | 'large', count: number, [one, two]: readonly Named[]) => {
    const of = (name: keyof typeof ids) => ids[name][size].databaseId
    const numbers = `generate_series(1, ${count}) n`
    const questions = forms[size].questions.map(({ databaseId }) => databaseId)
    await rows(`BEGIN;
      SET LOCAL session_replication_role = replica;
      INSERT INTO contact (account_id, email, created_at, updated_at)
        SELECT ${accountId}, '${size}' || n || '@example.com', now(), now() FROM ${numbers};
      INSERT INTO contact_tag (account_id, contact_id, tag_id, created_at, contact_created_at)
        SELECT ${accountId}, c.id, ${of('tag')}, now(), c.created_at FROM contact c WHERE c.account_id = ${accountId}
          AND c.email ~ '^${size}[0-9]';
      WITH sent AS (
        INSERT INTO mail_recipient (account_id, campaign_id, contact_id, state, created_at, sent_at, clicked_at)
          SELECT ${accountId}, ${of('campaign')}, n, 'SENT', now(), now(), CASE WHEN n % 2 = 0 THEN now() END FROM ${numbers}
        RETURNING id, clicked_at
      ) INSERT INTO mail_click (account_id, created_at, recipient_id, url, is_bot)
        SELECT ${accountId}, now(), id, 'https://a.io/' || (id + m) % 40, m = 3 FROM sent, generate_series(1, 3) m
        WHERE clicked_at IS NOT NULL;
      INSERT INTO mail_recipient (account_id, sequence_id, stage_id, contact_id, state, created_at, sent_at, opened_at, unsubscribed_at, failed_at)
        SELECT g.account_id, g.sequence_id, g.id, n, (CASE n % 1000 WHEN 0 THEN 'BOUNCED' ELSE 'SENT' END)::recipient_state, now(), now(),
          CASE WHEN n % 4 = 0 THEN now() END, CASE n % 500 WHEN 0 THEN now() END, CASE n % 1000 WHEN 0 THEN now() END
        FROM sequence_stage g, ${numbers} WHERE g.account_id = ${accountId} AND g.sequence_id = ${of('sequence')};
      INSERT INTO enrolment (account_id, contact_id, sequence_id, enrolled_at, done_stage_ids, next_stage_id, state, end_reason)
        SELECT ${accountId}, n, ${of('sequence')}, now(), '{}', CASE WHEN n % 2 = 0 THEN n % 3 END,
          (CASE n % 2 WHEN 0 THEN 'ACTIVE' ELSE 'ENDED' END)::enrolment_state, (CASE n % 2 WHEN 1 THEN 'REMOVED' END)::enrolment_end_reason FROM ${numbers};
      WITH started AS (
        INSERT INTO submission (account_id, form_id, status, bucket, started_at, created_at, updated_at)
          SELECT ${accountId}, ${of('form')}, (CASE n % 3 WHEN 0 THEN 'IN_PROGRESS' ELSE 'COMPLETED' END)::submission_status,
            'COLD', now(), now(), now() FROM ${numbers}
        RETURNING id
      ) INSERT INTO answer (account_id, submission_id, question_id, version, "values", search, score, created_at, updated_at)
        SELECT ${accountId}, s.id, q.id, 1, ARRAY[CASE q.place WHEN 1 THEN 'a' ELSE '5' END], '', 0, now(), now()
        FROM started s, unnest(ARRAY[${questions}]) WITH ORDINALITY AS q(id, place);
      INSERT INTO visit (account_id, created_at, funnel_id, step_id, visitor_id)
        SELECT ${accountId}, now() - n * interval '1 second', ${of('funnel')},
          CASE n % 3 WHEN 0 THEN ${two?.databaseId} ELSE ${one?.databaseId} END, '${size}' || n / 3 FROM ${numbers};
      WITH buyer AS (
        INSERT INTO customer (account_id, email, contact_id, created_at)
          SELECT ${accountId}, '${size}-buyer-' || n || '@example.com', ${of('contact')}, now() FROM generate_series(1, ${count} / 10) n
        RETURNING id
      ) INSERT INTO "order" (account_id, id_order, customer_id, type, status, amount, currency, created_at, updated_at)
        SELECT ${accountId}, '${size}-' || buyer.id || '-' || n, buyer.id, 'shop', 'COMPLETED', n, 'EUR', now(), now()
        FROM buyer, generate_series(1, 10) n;
      COMMIT`)
  }
  await fill('small', 10, steps[0] ?? [])
  await fill('large', rowsOfLarge, steps[1] ?? [])
  await countRows(world, ['mail_recipient', 'submission_parts', 'mail_click_parts', 'enrolment_parts'])
  await compactFigures(world.server.system)
  await rows('VACUUM ANALYZE')
}, 300_000)

const questionFields = 'answered choices { count } numbers { average }'
const documents: Readonly<Record<keyof typeof ids, string>> = {
  campaign: 'query ($id: ID!) { campaign(id: $id) { links { url clicks } } }',
  sequence: 'query ($id: ID!) { sequence(id: $id) { enrolmentCounts { active } stages { waiting links { url } } } }',
  form: `query ($id: ID!) { form(id: $id) { stats { starts views questions { ${questionFields} } } } }`,
  funnel: 'query ($id: ID!) { funnel(id: $id) { stats { steps { conversion { reachedNext } } } } }',
  tag: 'query ($id: ID!) { tag(id: $id) { contactsCount } }',
  contact: 'query ($id: ID!) { contact(ref: { id: $id }) { purchases { orders lifetimeValue { amount } } } }',
}

describe('the figures of an object with few rows read few rows', () => {
  it.each(Object.entries(documents))('of a %s', async (name, document) => {
    const { small } = ids[name as keyof typeof ids]
    const plans = await plansOf(world.server, () => world.run(document, small))
    expect(plans.length).toBeGreaterThan(0)
    for (const { looked, statement } of plans) expect(looked, statement).toBeLessThan(1_000)
  })
})

describe('the statistics of messages read few rows, however many messages were sent,', () => {
  const counts = 'sent opened clicked unsubscribed bounced'
  const stats = { sent: rowsOfLarge, opened: rowsOfLarge / 4, clicked: 0, unsubscribed: 40, bounced: 20 }

  it.each([
    [
      'campaign',
      `campaign(id: $id) { stats { ${counts} } }`,
      { ...stats, opened: 0, clicked: rowsOfLarge / 2, unsubscribed: 0, bounced: 0 },
    ],
    ['sequence', `sequence(id: $id) { stats { ${counts} } }`, stats],
    ['sequence', `sequence(id: $id) { stages { stats { ${counts} } } }`, stats],
  ] as const)('of a %s: %s', async (name, selection, expected) => {
    const { large } = ids[name]
    const query = `query ($id: ID!) { ${selection} }`
    const data = (await world.run(query, large))[name]
    expect(data.stats ?? data.stages[0].stats).toEqual(expected)
    const plans = await plansOf(world.server, () => world.run(query, large))
    for (const { looked, statement } of plans) expect(looked, statement).toBeLessThan(1_000)
  })
})

describe('the figures by parts read few rows, however many rows they count,', () => {
  it.each([
    ['campaign', 'links { clicks uniqueClicks }'],
    ['sequence', 'activeContacts enrolmentCounts { active } stages { waiting }'],
    ['form', `stats(period: ALL) { starts completions questions { reached ${questionFields} } }`],
  ] as const)('of a %s: %s', async (name, selection) => {
    const plans = await plansOf(world.server, () =>
      world.run(`query ($id: ID!) { ${name}(id: $id) { ${selection} } }`, ids[name].large),
    )
    expect(plans.length).toBeGreaterThan(0)
    for (const { looked, statement } of plans) expect(looked, statement).toBeLessThan(1_000)
  })
})
