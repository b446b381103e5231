import { expect } from 'vitest'
import { newShop, VisitRecord } from '../funnels/documents.ts'
import { message } from '../mail/support.ts'
import { send } from '../rest/client.ts'
import { countRows } from '../support/count-rows.ts'
import type { Named, World } from '../support/world.ts'

export const Delete = 'mutation ($id: ID!) { contactDelete(input: { contact: { id: $id } }) { deleted reason } }'
/** Deletes a contact. */
export const deleteContact = async (world: World, { id }: Pick<Named, 'id'>) =>
  expect((await world.run(Delete, { id })).contactDelete).toEqual({ deleted: true, reason: null })

export const ada = {
  email: 'Augusta.Ada@people.example',
  firstName: 'Augustinette',
  lastName: 'Kinglovelace',
  phone: '+33699887766',
  companyName: 'Analytical Enginery',
  city: 'Marylebone-Town',
  country: 'Countryland',
}
/** Texts that no table may contain after the deletion, in lower case. */
export const personalValues = [...Object.values(ada), 'Ada wrote this', '203.0.113.77', 'Ada’s click'].map((text) =>
  text.toLowerCase(),
)

/** Tables and columns with copies that expire (ADR 30). */
const expiring = ['outbox_event.data', 'webhook_delivery', 'idempotency_key.result']

const figures = 'visitors views optIns orders optInRate orderRate'
const mail = 'sent opened clicked unsubscribed bounced openRate clickRate unsubscribeRate'
export const Statistics = `query ($campaign: ID!, $sequence: ID!, $form: ID!, $funnel: ID!) {
  campaign(id: $campaign) { recipientsCount sentTo stats { ${mail} } recipients { totalCount } recipientCounts { sent skipped } }
  deliverability { sent opened clicked unsubscribed }
  mailReach(days: 30) { reached openers clickers unsubscribers }
  sequence(id: $sequence) { stats { ${mail} } stages { stats { ${mail} } } enrolments { totalCount } }
  form(id: $form) { submissionsCount submissions { totalCount nodes { status score bucket outcomeKey createdAt completedAt } } }
  submissions { totalCount }
  funnel(id: $funnel) {
    source: stats(groupBy: UTM_SOURCE) { totals { ${figures} } steps { figures { ${figures} } } groups { value figures { ${figures} } } }
    ad: stats(groupBy: AD_ID, filter: [{ key: UTM_CAMPAIGN, value: "spring" }]) { groups { value figures { ${figures} } } }
    all: stats(period: ALL) { totals { ${figures} } } }
}`

/** Creates an account in which every statistic counts the contact Ada and another one. */
export async function createHistory(options: Parameters<typeof newShop>[0] = {}) {
  const world = await newShop(options)
  const field = await world.customField()
  const person = await world.contact({
    ...{
      ...ada,
      emailMarketing: true,
      gdpr: true,
      customFields: [{ customFieldId: field.id, value: 'Ada wrote this' }],
    },
    consent: { source: 'page', text: 'I agree', ip: '203.0.113.77' },
  })
  const other = await world.contact({ email: 'stays@people.example', emailMarketing: true })
  const campaign = await world.campaign()
  const sequence = await world.sequence()
  const stage = await world.stage(sequence, { active: true })
  const enrolment = await world.subscribe(person, sequence, { anchorDate: '1985-12-10T00:00:00Z' })
  const { databaseId: campaignId } = campaign
  for (const who of [person, other]) {
    const id = await message(world, who, { campaignId, opened: true, clicked: true, unsubscribed: true })
    await world.rows("UPDATE mail_recipient SET answer = '250 queued for augusta.ada@PEOPLE.example' WHERE id = $1", [
      id,
    ])
    await world.rows(
      'INSERT INTO mail_open (account_id, created_at, recipient_id, is_bot) VALUES ($1, now(), $2, false)',
      [...[world.accountId, id]],
    )
  }
  await world.rows('UPDATE campaign SET recipients_count = 2, sent_to = 2 WHERE account_id = $1', [world.accountId])
  const of = { sequenceId: sequence.databaseId, stageId: stage.databaseId, enrolmentId: enrolment.databaseId }
  await message(world, person, { ...of, opened: true })
  await countRows(world, ['mail_recipient', 'latest_message'])

  const form = await world.form({
    type: 'QUIZ',
    questions: [
      { label: 'E-mail', type: 'EMAIL', contactField: 'EMAIL' },
      { label: 'Name', type: 'SHORT_TEXT', contactField: 'FIRST_NAME' },
      { label: 'Tell us', type: 'LONG_TEXT' },
      { label: 'Phone', type: 'PHONE' },
      { label: 'Colour', type: 'SINGLE_CHOICE', options: ['red', 'blue'] },
      { label: 'Number', type: 'NUMBER' },
    ],
    outcomes: [{ key: 'cold', title: 'Cold', bucket: 'COLD' }],
  })
  const [mailed, named, reported, phoned, chosen, number] = form.questions.map(({ id }) => id)
  const attribution = [
    { key: 'UTM_SOURCE', value: 'news' },
    { key: 'UTM_CAMPAIGN', value: 'spring' },
    { key: 'UTM_CONTENT', value: 'for=Augusta.Ada@people.example' },
    { key: 'UTM_TERM', value: 'for=augusta.ada%40people.example' },
    { key: 'AD_ID', value: 'ad 7' },
    { key: 'GCLID', value: 'Ada’s click' },
    { key: 'REFERRER', value: 'https://people.example/Augustinette' },
  ]
  const submission = await world.submission(form, {
    ...{ clientSubmissionId: ada.email, attribution, complete: true },
    answers: [
      { questionId: mailed, value: ada.email },
      { questionId: named, value: ada.firstName },
      { questionId: reported, value: 'Ada wrote this' },
      { questionId: phoned, value: ada.phone },
      { questionId: chosen, value: 'blue' },
      { questionId: number, value: '36' },
    ],
  })
  await world.rows(
    `UPDATE submission SET ai_summary = 'Augustinette Kinglovelace asks', typed = '{"lastName": "Kinglovelace"}' WHERE id = $1`,
    [submission.databaseId],
  )

  const funnel = await world.funnel()
  const step = await world.step(funnel)
  for (const [visitorId, contact] of [
    ['browser of one', person],
    ['browser of another', other],
  ] as const) {
    const input = { stepId: step.id, visitorId, contact: { id: contact.id }, attribution }
    for (let time = 0; time < 2; time += 1) await world.run(VisitRecord, { input })
    await world.rows('INSERT INTO visitor VALUES ($1, $2, $3, now(), $3, now())', [
      ...[world.accountId, visitorId, JSON.stringify({ gclid: 'Ada’s click', of: contact === person })],
    ])
  }
  const optIn = await world.submission(step.form, { contact: { id: person.id }, attribution })
  await world.rows("UPDATE submission SET status = 'COMPLETED', completed_at = now() WHERE id = $1", [optIn.databaseId])
  const ids = { campaign: campaign.id, sequence: sequence.id, form: form.id, funnel: funnel.id }
  return { world, person, other, submission, optIn, enrolment, form, ids, campaign, sequence, funnel }
}

type History = Awaited<ReturnType<typeof createHistory>>

/** Returns the statistics of the REST API. */
export async function readRestStatistics({ world, campaign, sequence, funnel, form }: History) {
  const get = async (path: string, query: Record<string, number | string> = {}) => {
    const { status, body } = await send(world.server.url, 'GET', path, { query, key: world.mainKey })
    expect(status, JSON.stringify(body)).toBe(200)
    return body
  }
  const { since: _now, ...deliverability } = (await get('/v1/deliverability-stats')).data
  const { active_contacts: _active, ...stages } = (
    await get('/v1/sequence-stats', { sequence_id: sequence.databaseId })
  ).data
  const funnelStats = (await get('/v1/funnel-stats', { funnel_id: funnel.databaseId, group_by: 'utm_source' })).data
  const { forms } = { forms: (await get('/v1/forms')).data }
  return {
    ...{ deliverability, stages, forms },
    campaign: (await get('/v1/campaign', { campaign_id: campaign.databaseId })).data,
    stats: (await get('/v1/campaign-stats', { campaign_id: campaign.databaseId })).data,
    funnel: { totals: funnelStats.totals, steps: funnelStats.steps, groups: funnelStats.groups },
    submissions: (await get('/v1/form-submissions', { form_id: form.databaseId })).meta,
    quota: (await get('/v1/sending-quota')).data.monthly_recipients.used,
  }
}

/**
 * Returns the columns with text, JSON or bytes of all tables that contain one of the texts, case-insensitively. `skipped`
 * tables and columns are not searched.
 */
export async function findPlaces(
  { rows }: World,
  texts: readonly string[],
  skipped: readonly string[] = expiring,
): Promise<string[]> {
  const columns = await rows<{ schema: string; table: string; column: string; isBytes: boolean }>(
    `SELECT c.table_schema AS schema, c.table_name AS "table", c.column_name AS "column", c.data_type = 'bytea' AS "isBytes"
     FROM information_schema.columns c JOIN pg_class t ON t.relname = c.table_name
       AND t.relnamespace = c.table_schema::regnamespace AND t.relkind IN ('r', 'p') AND NOT t.relispartition
     WHERE c.table_schema IN ('public', 'graphile_worker')
       AND c.data_type IN ('text', 'character varying', 'character', 'json', 'jsonb', 'ARRAY', 'bytea') ORDER BY 1, 2, 3`,
  )
  expect(columns.length).toBeGreaterThan(100)
  const found: string[] = []
  for (const { schema, table, column, isBytes } of columns) {
    const place = `${table}.${column}`
    if (skipped.includes(table) || skipped.includes(place)) continue
    const text = isBytes ? `encode(t."${column}", 'escape')` : `t."${column}"::text`
    const hits = await rows<{ word: string }>(
      `SELECT word FROM ${schema}."${table}" t CROSS JOIN unnest($1::text[]) AS wanted(word)
       WHERE position(word IN lower(${text})) > 0 LIMIT 1`,
      [texts],
    )
    for (const { word } of hits) found.push(`${place}: ${word}`)
  }
  return [...new Set(found)]
}
