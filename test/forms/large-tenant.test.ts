import { beforeAll, describe, expect, it } from 'vitest'
import { type Plan, plansOf } from '../support/explain.ts'
import { newWorld, type World } from '../support/world.ts'

// With few contacts in all, PostgreSQL would rightly read all of them.
const contacts = 20_000
const submissions = 100_000
const answered = 25_000
const few = 40

/** Creates a form with two questions, `people` contacts, `count` submissions and `answers` answers. */
async function fill({ accountId, rows }: World, people: number, count: number, answers: number): Promise<void> {
  const [form] = await rows<{ id: number }>(
    `INSERT INTO form (account_id, type, name, status, warm_from, hot_from, created_at, updated_at, published_at)
     VALUES ($1, 'QUIZ', 'large', 'PUBLISHED', 1, 10, now(), now(), now()) RETURNING id`,
    [accountId],
  )
  const questions = await rows<{ id: number }>(
    `INSERT INTO question (account_id, form_id, position, version, created_at)
     SELECT $1, $2, n, 1, now() FROM generate_series(1, 2) n RETURNING id`,
    [accountId, form?.id],
  )
  await rows(
    `INSERT INTO question_version (account_id, question_id, version, label, type, required, created_at)
     SELECT $1, id, 1, 'question', 'SHORT_TEXT', false, now() FROM question WHERE account_id = $1`,
    [accountId],
  )
  await rows(
    `INSERT INTO contact (account_id, email, created_at, updated_at)
     SELECT $1, n || '@large.example.com', now(), now() FROM generate_series(1, $2::int) n`,
    [accountId, people],
  )
  // Checks of foreign keys would be slow, and all rows are valid. The rows are inserted in parts, because a statement is
  // limited to one minute.
  const part = Math.min(count, 250_000)
  for (let from = 1; from <= count; from += part) await fillPart(from, from + part - 1)

  async function fillPart(from: number, to: number): Promise<void> {
    await rows(
      `WITH unchecked AS MATERIALIZED (SELECT set_config('session_replication_role', 'replica', true)),
     people AS MATERIALIZED (SELECT array_agg(id) AS ids FROM contact WHERE account_id = $1),
     made AS (
       INSERT INTO submission (account_id, form_id, contact_id, status, score, bucket, started_at, created_at, updated_at,
         attribution)
       SELECT $1, $2, people.ids[1 + n % cardinality(people.ids)], (CASE n % 50 WHEN 0 THEN 'IN_PROGRESS' ELSE 'COMPLETED' END)::submission_status,
         n % 20, (CASE WHEN n % 20 >= 10 THEN 'HOT' WHEN n % 20 > 0 THEN 'WARM' ELSE 'COLD' END)::bucket, t, t, t,
         '{"utm_source": "news"}'
       FROM unchecked, people, generate_series($3::int, $6::int) n, LATERAL (SELECT now() - n * interval '40 seconds' AS t) times
       RETURNING id)
     INSERT INTO answer (account_id, submission_id, question_id, version, "values", search, score, created_at, updated_at)
     SELECT $1, id, ($5::int[])[1 + id % 2], 1, ARRAY['answer ' || id % 10], 'answer ' || id % 10, 0, now(), now()
     FROM (SELECT id FROM made ORDER BY id LIMIT $4) answered`,
      [accountId, form?.id, from, Math.max(answers - from + 1, 0), questions.map(({ id }) => id), to],
    )
  }
}

describe('a small account beside one with 100,000 submissions', () => {
  let small: World
  let large: World
  let plans: (document: string, variables?: object) => Promise<Plan[]>
  let question: number
  let formId: number

  beforeAll(async () => {
    small = await newWorld()
    large = await small.other()
    await fill(large, contacts, submissions, answered)
    await fill(small, few, few, few)
    // A sample of the usual size may miss the small account. PostgreSQL then expects one row of it, and compares each with each.
    for (const table of ['submission', 'answer', 'contact'])
      await small.rows(`ALTER TABLE ${table} ALTER account_id SET STATISTICS 250`)
    await small.rows('VACUUM ANALYZE submission, answer, contact, form, question, question_version')
    plans = (document, variables) => plansOf(small.server, () => small.run(document, variables))
    const [asked] = await small.rows<{ id: number; form_id: number }>(
      'SELECT id, form_id FROM question WHERE account_id = $1 ORDER BY id',
      [small.accountId],
    )
    question = asked?.id ?? 0
    formId = asked?.form_id ?? 0
  }, 120_000)

  const list = `query ($filter: SubmissionFilterInput, $orderBy: [SubmissionOrderInput!]) {
    submissions(filter: $filter, orderBy: $orderBy) { nodes { id answers { label question { label } } contact { email } } totalCount } }`
  const filters: Record<string, () => object> = {
    nothing: () => ({}),
    'a form': () => ({ forms: { any: [formId] } }),
    'a status': () => ({ status: 'IN_PROGRESS' }),
    'a bucket': () => ({ bucket: 'COLD' }),
    'a score': () => ({ score: { gte: '15' } }),
    'an address': () => ({ email: { eq: '7@large.example.com' } }),
    'a contact': () => ({ contacts: { any: [1] } }),
    'a period': () => ({ createdAt: { period: 'LAST_7_DAYS' } }),
    'a change': () => ({ updatedAt: { gte: new Date(Date.now() - 100_000).toISOString() } }),
    'an answer': () => ({ answers: [{ questionId: question, eq: 'answer 4' }] }),
    'a part of an answer': () => ({ answers: [{ questionId: question, contains: 'wer 4' }] }),
    'two letters of an answer': () => ({ answers: [{ questionId: question, contains: ' 4' }] }),
    'an attribution': () => ({ attribution: [{ key: 'UTM_SOURCE', value: { eq: 'news' } }] }),
    'words of a contact': () => ({ search: 'exam 7@large' }),
    everything: () => ({
      forms: { any: [formId] },
      status: 'COMPLETED',
      bucket: 'HOT',
      score: { gte: 1 },
      answers: [{ questionId: question, eq: 'answer 4' }],
    }),
  }
  const orders = ['CREATED_AT', 'SCORE', 'UPDATED_AT', 'COMPLETED_AT', 'STATUS']

  it.each(Object.keys(filters))('reads only rows of the account for the filter %s, in every order', async (name) => {
    for (const field of orders) {
      for (const direction of ['ASC', 'DESC']) {
        const found = await plans(list, { filter: filters[name]?.(), orderBy: { field, direction } })
        expect(found.length).toBeGreaterThanOrEqual(2)
        // The account has 40 rows in each table; the other account has at least 20,000.
        for (const { statement, looked } of found) expect(looked, statement).toBeLessThan(1_000)
      }
    }
  })

  it.each(orders)('reads a page of the large account from an index, ordered by %s', async (field) => {
    for (const direction of ['ASC', 'DESC']) {
      const document = 'query ($orderBy: [SubmissionOrderInput!]) { submissions(orderBy: $orderBy) { nodes { id } } }'
      const [plan] = await plansOf(large.server, () => large.run(document, { orderBy: { field, direction } }))
      expect(plan?.looked, plan?.statement).toBeLessThan(1_000)
    }
  })

  it.each([
    ['an address', { email: { eq: '777@large.example.com' } }],
    ['a part of an address', { email: { contains: '777@lar' } }],
    ['a word of a contact', { search: '777@lar' }],
  ])('counts submissions of the large account by %s without reading all of them', async (_name, filter) => {
    const document = 'query ($filter: SubmissionFilterInput) { submissions(filter: $filter) { totalCount } }'
    const all = await plansOf(large.server, () => large.run(document, { filter }))
    const plan = all.find(({ statement }) => /count\(\*\)/.test(statement))
    expect(plan?.looked, plan?.statement).toBeLessThan(20_000)
  })

  it('reads only rows of the account for the lists of forms and contacts, and for their counts', async () => {
    const document = `{ forms { nodes { submissionsCount submissions(first: 5) { nodes { id } totalCount } questions { id } } totalCount }
      contacts(first: 20) { nodes { submissions(first: 2, filter: { status: COMPLETED }) { nodes { id } totalCount } } } }`
    const found = await plans(document)
    expect(found.length).toBeGreaterThanOrEqual(6)
    for (const { statement, looked } of found) expect(looked, statement).toBeLessThan(5_000)
  })
})
