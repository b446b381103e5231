import { beforeAll, describe, expect, it } from 'vitest'
import { newWorld, type World } from '../support/world.ts'

const sizes = [2, 50] as const

/** Creates an account with this number of sequences, each with this number of stages, and contacts in all of them. */
async function filled(count: number): Promise<World> {
  const world = await newWorld()
  const sql = (text: string) => world.rows(text, [world.accountId, count])
  await sql(`INSERT INTO contact (account_id, email, created_at, updated_at)
    SELECT $1, n || '@example.com', now(), now() FROM generate_series(1, $2::int) n`)
  await sql(`INSERT INTO sequence (account_id, name, type, created_at)
    SELECT $1, 'sequence ' || n, 'NORMAL', now() FROM generate_series(1, $2::int) n`)
  await sql(`INSERT INTO document (account_id, token, name, content_type, body, created_at)
    SELECT $1, 'token ' || n, 'x', 'text/html', 'x', now() FROM generate_series(1, $2::int) n`)
  await sql(`INSERT INTO email (account_id, subject, html_document_id, created_at, updated_at)
    SELECT account_id, 'Hello', id, now(), now() FROM document, (SELECT $2::int) n WHERE account_id = $1`)
  await sql(
    `INSERT INTO tag (account_id, name, created_at) SELECT $1, 'tag ' || n, now() FROM generate_series(1, $2::int) n`,
  )
  await world.rows(
    `INSERT INTO sequence_stage (account_id, sequence_id, step, name, stage_type, time_value, time_type, email_id, action, created_at)
     SELECT s.account_id, s.id, row_number() OVER (PARTITION BY s.id), 'stage', 'SEND_EMAIL', 1, 86400, m.id,
       jsonb_build_object('kind', 'ADD_TAG', 'tagId', (SELECT max(id) FROM tag WHERE account_id = $1) - m.n + 1), now()
     FROM sequence s, (SELECT id, row_number() OVER () AS n FROM email WHERE account_id = $1) m WHERE s.account_id = $1`,
    [world.accountId],
  )
  await world.rows(
    `INSERT INTO enrolment (account_id, contact_id, sequence_id, enrolled_at, done_stage_ids, last_stage_id, next_stage_id, due_at)
     SELECT s.account_id, c.id, s.id, now(), '{}', g.first, g.last, now()
     FROM sequence s JOIN contact c USING (account_id)
     JOIN (SELECT sequence_id, min(id) AS first, max(id) AS last FROM sequence_stage WHERE account_id = $1 GROUP BY 1) g ON g.sequence_id = s.id
     WHERE s.account_id = $1`,
    [world.accountId],
  )
  await world.rows(
    `INSERT INTO mail_recipient (account_id, contact_id, sequence_id, stage_id, enrolment_id, state, created_at, sent_at)
     SELECT account_id, contact_id, sequence_id, last_stage_id, id, 'SENT', now(), now() FROM enrolment WHERE account_id = $1`,
    [world.accountId],
  )
  return world
}

const ways: Record<string, string> = {
  'Query.sequences': 'sequences(first: $n) { totalCount nodes { name activeContacts stagesCount stats { sent } } }',
  'Account.sequences': 'account { sequences(first: $n) { nodes { name } } }',
  'Sequence.stages': 'sequences(first: $n) { nodes { stages { name stats { sent } sequence { name } } } }',
  'SequenceStage.email': 'sequences(first: $n) { nodes { stages { email { subject html text htmlUrl textUrl } } } }',
  'SequenceStage.action':
    'sequences(first: $n) { nodes { stages { action { kind tag { name } sequence { name } } } } }',
  'Sequence.contacts': 'sequences(first: $n) { nodes { contacts(first: $n) { totalCount nodes { email } } } }',
  'Sequence.enrolments':
    'sequences(first: $n) { nodes { enrolments(first: $n) { totalCount nodes { state nextStage { name } lastStage { name } sequence { name } contact { email } } } } }',
  'Contact.sequences': 'contacts(first: $n) { nodes { sequences { name stagesCount } } }',
  'Contact.enrolments':
    'contacts(first: $n) { nodes { enrolments(last: $n) { edges { cursor node { dueAt sequence { name } contact { email } } } } } }',
  'Contact.stats': 'contacts(first: $n) { nodes { stats { sent openRate } } }',
}

/** Number of rows in the longest list of a response. */
function widest(value: unknown): number {
  if (Array.isArray(value)) return Math.max(value.length, ...value.map(widest))
  if (typeof value !== 'object' || value === null) return 0
  return Math.max(0, ...Object.values(value).map(widest))
}

describe('the lists of sequences', () => {
  const worlds = new Map<number, World>()
  beforeAll(async () => {
    for (const size of sizes) worlds.set(size, await filled(size))
  })

  it.each(Object.entries(ways))('%s runs as many statements for 50 rows as for 2', async (_field, selection) => {
    const counts: number[] = []
    for (const [size, world] of worlds) {
      const ask = () => world.run(`query ($n: Int) { ${selection} }`, { n: size })
      expect(widest(await ask())).toBe(size)
      counts.push(await world.statements(ask))
    }
    expect(counts[0]).toBeLessThanOrEqual(9)
    expect(counts[1]).toBe(counts[0])
  })

  it('page by cursor through all rows in both directions', async () => {
    const world = worlds.get(50) as World
    const document = `query ($first: Int, $after: String, $last: Int, $before: String) { sequences(first: 1) { nodes {
      enrolments(first: $first, after: $after, last: $last, before: $before) {
        nodes { databaseId } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } } }`
    const page = async (args: object) => (await world.run(document, args)).sequences.nodes[0].enrolments
    const all = (await page({ first: 100 })).nodes
    expect(all).toHaveLength(50)
    const [forward, backward]: unknown[][] = [[], []]
    for (let after: string | null = null; ; ) {
      const { nodes, pageInfo } = await page({ first: 20, after })
      forward?.push(...nodes)
      after = pageInfo.endCursor
      if (!pageInfo.hasNextPage) break
    }
    for (let before: string | null = null; ; ) {
      const { nodes, pageInfo } = await page({ last: 20, before })
      backward?.unshift(...nodes)
      before = pageInfo.startCursor
      if (!pageInfo.hasPreviousPage) break
    }
    expect([forward, backward]).toEqual([all, all])
  })
})
