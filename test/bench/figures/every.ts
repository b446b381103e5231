// Every figure of the graph, and the rows that only these need.
import type pg from 'pg'
import { type FigureObject, figures } from '../../../src/figures/catalogue.ts'

/** What returns an object that has many rows. */
const owners: Readonly<Record<FigureObject, string>> = {
  Account: 'account',
  Tag: 'tag(id: 1)',
  Segment: 'segment(id: 1)',
  Campaign: 'campaign(id: 1001)',
  Sequence: 'sequence(id: 1)',
  SequenceStage: 'sequenceStage(id: 1)',
  Form: 'form(id: 1)',
  Funnel: 'funnel(id: 1)',
  FunnelStep: 'funnelStep(id: 1)',
}

const series = Object.entries(figures).flatMap(([name, { objects }]) =>
  objects.map((object): [string, string] => [
    `series ${name} of ${object}, a year by day`,
    `${owners[object]} { series(figure: ${name}, range: { from: "2025-11-01", to: "2026-10-31" }) { total previousTotal points { start value previous } } }`,
  ]),
)

const periods = [
  ['30 days', ''],
  ['all time', 'period: ALL'],
] as const
/** Returns a figure in each period. `select` gets the arguments of the field. */
const inPeriods = (what: string, select: (args: string) => string): [string, string][] =>
  periods.map(([name, period]) => [`${what}, ${name}`, select(period)])
const parens = (args: readonly string[]) => (args.some(Boolean) ? `(${args.filter(Boolean).join(', ')})` : '')

const mailStats = 'stats { sent opened clicked unsubscribed bounced openRate }'
const links = 'links { url clicks uniqueClicks }'
const purchases = 'purchases { orders lifetimeValue { amount } firstOrderAt lastOrderAt }'
const funnelFigures = 'visitors views optIns orders revenue { amount }'

/** Each figure, and the field that returns it. */
export const everyFigure: readonly (readonly [figure: string, query: string])[] = [
  ...series,
  ['Campaign.stats', `campaign(id: 1001) { ${mailStats} recipientsCount sentTo }`],
  ['Campaign.stats of 100 campaigns', `campaigns(first: 100) { nodes { ${mailStats} } }`],
  ['Campaign.recipientCounts', 'campaign(id: 1001) { recipientCounts { sent queued failed skipped bounced } }'],
  ['Campaign.links', `campaign(id: 1001) { ${links} }`],
  ['Sequence.stats, SequenceStage.stats', `sequence(id: 1) { ${mailStats} stages { ${mailStats} } }`],
  ['SequenceStage.links of 5 stages', `sequence(id: 1) { stages { ${links} } }`],
  [
    'Sequence.enrolmentCounts, activeContacts',
    'sequence(id: 1) { activeContacts enrolmentCounts { active completed } }',
  ],
  ['SequenceStage.waiting', 'sequence(id: 1) { stages { waiting } }'],
  ['reached contacts of 30 days', 'mailReach { reached openers clickers unsubscribers }'],
  ['reached contacts of 365 days', 'mailReach(days: 365) { reached openers clickers unsubscribers }'],
  ['deliverability of all time', 'deliverability(period: ALL) { sent opened clicked bounces { cause count } }'],
  ['Contact.stats of 100 contacts', `contacts(first: 100) { nodes { ${mailStats} } }`],
  [
    'Contact.purchases of 100 contacts with 100 orders each',
    `tag(id: 2) { contacts(first: 100) { nodes { ${purchases} } } }`,
  ],
  [
    'Contact.purchases of a contact with a quarter of the orders',
    `contact(ref: { email: "buyer@example.com" }) { ${purchases} }`,
  ],
  ['Tag.contactsCount', 'tags(first: 100) { nodes { contactsCount } }'],
  ...inPeriods('revenue', (args) => `revenue${parens([args])} { amount { amount } }`),
  ['salesAmount, all time', 'salesAmount(period: ALL) { amount }'],
  ['Form.submissionsCount', 'form(id: 1) { submissionsCount }'],
  ...inPeriods(
    'Form.stats: starts, completions, views',
    (args) => `form(id: 1) { stats${parens([args])} { starts completions completionRate views } }`,
  ),
  ...inPeriods(
    'Form.stats: answers and drop-off',
    (args) =>
      `form(id: 1) { stats${parens([args])} { questions { answered reached lastAnswered choices { answer count } numbers { min average max } } } }`,
  ),
  ...inPeriods(
    'Funnel.stats',
    (args) =>
      `funnel(id: 1) { stats${parens([args])} { totals { ${funnelFigures} } steps { figures { ${funnelFigures} } } } }`,
  ),
  ...inPeriods(
    'Funnel.stats with the conversion',
    (args) =>
      `funnel(id: 1) { stats${parens([args])} { totals { ${funnelFigures} } steps { conversion { visitors reachedNext reachedAnyLater } } } }`,
  ),
  ...(['DAY', 'UTM_SOURCE'] as const).map((by): [string, string] => [
    `Funnel.stats by ${by}, 30 days`,
    `funnel(id: 1) { stats(groupBy: ${by}) { groups { date value figures { ${funnelFigures} } } } }`,
  ]),
]

/**
 * Inserts what `fillObjects` does not: opens, messages and clicks of the stages of the sequence, tags, a segment, 100 orders of
 * each of 100 contacts, and `rows` submissions of a form with five questions.
 */
export async function fillEvery(client: pg.Client, accountId: number, rows: number): Promise<void> {
  await client.query('SET session_replication_role = replica')
  const at = "now() - n * interval '340 days' / $2::int"
  const statements = [
    `WITH sent AS (
       INSERT INTO mail_recipient (account_id, sequence_id, stage_id, contact_id, state, created_at, sent_at, opened_at, clicked_at)
       SELECT $1, 1, 1 + n % 5, n, 'SENT', ${at}, ${at}, CASE WHEN n % 3 = 0 THEN ${at} END, CASE WHEN n % 8 = 0 THEN ${at} END
       FROM generate_series(1, $2::int) n RETURNING id, clicked_at
     ) INSERT INTO mail_click (account_id, created_at, recipient_id, url, is_bot)
       SELECT $1, clicked_at, id, 'https://a.io/' || id % 10, false FROM sent WHERE clicked_at IS NOT NULL`,
    `INSERT INTO mail_open (account_id, created_at, recipient_id, is_bot)
     SELECT $1, opened_at, id, false FROM mail_recipient WHERE account_id = $1 AND opened_at > now() - interval '340 days' AND $2::int > 0`,
    `INSERT INTO tag (account_id, id, name, created_at) SELECT $1, n, 'Tag ' || n, now() FROM generate_series(1, 2) n WHERE $2::int > 0`,
    `INSERT INTO contact_tag (account_id, tag_id, contact_id, created_at, contact_created_at)
     SELECT $1, 1, id, created_at, created_at FROM contact WHERE account_id = $1 AND id % 2 = 0 AND $2::int > 0`,
    `INSERT INTO segment (account_id, id, name, filter, created_at, updated_at) SELECT $1, 1, 'Segment', '{}', now(), now() WHERE $2::int > 0`,
    `INSERT INTO figure_total (account_id, figure, object, currency, minutes, at, value)
     SELECT $1, 'SEGMENT_CONTACTS', 'Segment:1', '', m, date_trunc('day', now()) - n * interval '1 day', 100
     FROM generate_series(0, 700) n, unnest(ARRAY[15, 60]) m WHERE $2::int > 0`,
    `WITH usual AS (
       INSERT INTO contact (account_id, email, created_at, updated_at)
       SELECT $1, 'usual' || n || '@example.com', now(), now() FROM generate_series(1, 100) n WHERE $2::int > 0 RETURNING id, email, created_at
     ), tagged AS (
       INSERT INTO contact_tag (account_id, tag_id, contact_id, created_at, contact_created_at) SELECT $1, 2, id, created_at, created_at FROM usual
     ), buyer AS (
       INSERT INTO customer (account_id, email, contact_id, created_at) SELECT $1, email, id, now() FROM usual RETURNING id
     ) INSERT INTO "order" (account_id, id_order, customer_id, type, status, amount, currency, step_id, created_at, updated_at)
       SELECT $1, 'usual-' || id || '-' || n, id, 'shop', 'COMPLETED', 10 + n, 'EUR', 1 + n % 5, now() - n * interval '3 days', now()
       FROM buyer, generate_series(1, 100) n`,
    `INSERT INTO form (account_id, id, type, name, status, warm_from, hot_from, created_at, updated_at)
     SELECT $1, n, (enum_range(NULL::form_type))[1], 'Form', 'PUBLISHED', 1, 2, now(), now() FROM generate_series(1, 5) n WHERE $2::int > 0`,
    `INSERT INTO question (account_id, id, form_id, position, version, created_at)
     SELECT $1, n, 1, n, 1, now() FROM generate_series(1, 5) n WHERE $2::int > 0`,
    `INSERT INTO question_version (account_id, question_id, version, label, type, required, options, created_at)
     SELECT $1, n, 1, 'Question', (ARRAY['YES_NO', 'SINGLE_CHOICE', 'NUMBER', 'RATING', 'LONG_TEXT'])[n]::question_type, false,
       CASE n WHEN 2 THEN '["a", "b", "c"]'::jsonb END, now() FROM generate_series(1, 5) n WHERE $2::int > 0`,
    `WITH submitted AS (
       INSERT INTO submission (account_id, form_id, status, bucket, attribution, started_at, completed_at, created_at, updated_at)
       SELECT $1, 1, (CASE WHEN n % 2 = 0 THEN 'COMPLETED' ELSE 'IN_PROGRESS' END)::submission_status, (enum_range(NULL::bucket))[1],
         '{"utm_source": "news"}', ${at}, CASE WHEN n % 2 = 0 THEN ${at} END, ${at}, ${at} FROM generate_series(1, $2::int) n RETURNING id, created_at
     ) INSERT INTO answer (account_id, submission_id, question_id, version, "values", search, score, created_at, updated_at)
       SELECT $1, id, q, 1, ARRAY[(ARRAY['yes', chr(97 + id % 3), (id % 1000)::text, (1 + id % 5)::text, 'Text'])[q]], '', 0, created_at, created_at
       FROM submitted, generate_series(1, 5) q WHERE q <= 1 + id % 5`,
  ]
  for (const statement of statements) await client.query(statement, [accountId, rows])
  await client.query('RESET session_replication_role')
}
