import { describe, expect, it } from 'vitest'
import { mutationOf } from '../forms/documents.ts'
import { newShop, VisitRecord } from '../funnels/documents.ts'
import { message } from '../mail/support.ts'
import { send } from '../rest/client.ts'
import { newServer } from '../support/server.ts'
import { type Named, newWorld, type World } from '../support/world.ts'

const Delete = 'mutation ($id: ID!) { contactDelete(input: { contact: { id: $id } }) { deleted reason } }'
const remove = async (world: World, { id }: Pick<Named, 'id'>) =>
  expect((await world.run(Delete, { id })).contactDelete).toEqual({ deleted: true, reason: null })

const ada = {
  email: 'Augusta.Ada@people.example',
  firstName: 'Augustinette',
  lastName: 'Kinglovelace',
  phone: '+33699887766',
  companyName: 'Analytical Enginery',
  city: 'Marylebone-Town',
  country: 'Countryland',
}
/** Texts that no table may contain after the deletion, in lower case. */
const personal = [...Object.values(ada), 'Ada wrote this', '203.0.113.77', 'Ada’s click'].map((text) =>
  text.toLowerCase(),
)

/**
 * Tables and columns with copies that expire (ADR 30), and with data that the account entered about addresses, not contacts.
 */
const expiring = ['outbox_event.data', 'webhook_delivery', 'idempotency_key.result']

const figures = 'visitors views optIns orders optInRate orderRate'
const mail = 'sent opened clicked unsubscribed bounced openRate clickRate unsubscribeRate'
const Figures = `query ($campaign: ID!, $sequence: ID!, $form: ID!, $funnel: ID!) {
  campaign(id: $campaign) { recipientsCount sentTo stats { ${mail} } recipients { totalCount } recipientCounts { sent skipped } }
  deliverability(days: 30) { sent uniqueOpens uniqueClicks unsubscribes }
  sequence(id: $sequence) { stats { ${mail} } stages { stats { ${mail} } } enrolments { totalCount } }
  form(id: $form) { submissionsCount submissions { totalCount nodes { status score bucket outcomeKey createdAt completedAt } } }
  submissions { totalCount }
  funnel(id: $funnel) {
    source: stats(groupBy: UTM_SOURCE) { totals { ${figures} } steps { figures { ${figures} } } groups { key figures { ${figures} } } }
    ad: stats(groupBy: AD_ID, filter: [{ key: UTM_CAMPAIGN, value: "spring" }]) { groups { key figures { ${figures} } } }
    all: stats(period: ALL) { totals { ${figures} } } }
}`

/** Creates an account in which all statistics count two contacts: Ada, and one that is not deleted. */
async function history(options: Parameters<typeof newShop>[0] = {}) {
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
  const [mailed, named, told, phoned, chosen, number] = form.questions.map(({ id }) => id)
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
      { questionId: told, value: 'Ada wrote this' },
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

type History = Awaited<ReturnType<typeof history>>

/** Returns the statistics of the REST API. */
async function onRest({ world, campaign, sequence, funnel, form }: History) {
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

/** Returns the columns of text or JSON that contain a text, case-insensitive. */
async function placesOf({ rows }: World, texts: readonly string[]): Promise<string[]> {
  const columns = await rows<{ schema: string; table: string; column: string }>(
    `SELECT c.table_schema AS schema, c.table_name AS "table", c.column_name AS "column"
     FROM information_schema.columns c JOIN pg_class t ON t.relname = c.table_name
       AND t.relnamespace = c.table_schema::regnamespace AND t.relkind IN ('r', 'p') AND NOT t.relispartition
     WHERE c.table_schema IN ('public', 'graphile_worker')
       AND c.data_type IN ('text', 'character varying', 'character', 'json', 'jsonb', 'ARRAY') ORDER BY 1, 2, 3`,
  )
  expect(columns.length).toBeGreaterThan(100)
  const found: string[] = []
  for (const { schema, table, column } of columns) {
    const place = `${table}.${column}`
    if (expiring.includes(table) || expiring.includes(place)) continue
    const hits = await rows<{ word: string }>(
      `SELECT word FROM ${schema}."${table}" t CROSS JOIN unnest($1::text[]) AS wanted(word)
       WHERE position(word IN lower(t."${column}"::text)) > 0 LIMIT 1`,
      [texts],
    )
    for (const { word } of hits) found.push(`${place}: ${word}`)
  }
  return [...new Set(found)]
}

describe('deleting a contact', () => {
  it('does not change the statistics of messages, submissions and visits, in GraphQL and REST', async () => {
    const all = await history()
    const { world, person, ids } = all
    const [before, rest] = [await world.run(Figures, ids), await onRest(all)]
    expect(before).toMatchObject({
      campaign: { sentTo: 2, stats: { sent: 2, opened: 2, clicked: 2 }, recipients: { totalCount: 2 } },
      deliverability: { sent: 2, uniqueOpens: 2, uniqueClicks: 2 },
      sequence: { stats: { sent: 1, opened: 1 }, enrolments: { totalCount: 1 } },
      form: { submissionsCount: 1 },
      funnel: {
        source: { totals: { visitors: 2, views: 4, optIns: 1 }, groups: [{ key: 'news' }] },
        ad: { groups: [{ key: 'ad 7', figures: { visitors: 2, optIns: 1 } }] },
      },
    })
    await remove(world, person)
    expect(await world.run(Figures, ids)).toEqual(before)
    expect(await onRest(all)).toEqual(rest)
  })

  it('removes all personal values of the contact from all tables', async () => {
    const { world, person } = await history({ server: await newServer() })
    expect((await placesOf(world, personal)).length).toBeGreaterThan(8)
    await remove(world, person)
    // The other contact has rows with the same texts.
    await world.rows('DELETE FROM mail_recipient WHERE account_id = $1 AND NOT is_redacted', [world.accountId])
    await world.rows("DELETE FROM visit WHERE account_id = $1 AND visitor_id = 'browser of another'", [world.accountId])
    await world.rows("DELETE FROM visitor WHERE account_id = $1 AND id = 'browser of another'", [world.accountId])
    expect(await placesOf(world, personal)).toEqual([])
  })

  it('keeps rows with the bare id, which show no contact', async () => {
    const { world, person, other, submission, optIn, enrolment, form, campaign } = await history()
    await remove(world, person)
    const Read = `query ($submission: ID!, $optIn: ID!, $enrolment: ID!, $campaign: ID!) {
      submission(id: $submission) { status score bucket clientSubmissionId aiSummary typedFields { value } contact { id }
        attribution { key value } firstAttribution { key value } answers { label values score } }
      optIn: submission(id: $optIn) { status contact { id } attribution { key value } }
      enrolment: node(id: $enrolment) { ... on Enrolment { state anchorDate failure dueAt nextStage { id } contact { id } } }
      campaign(id: $campaign) { recipients { nodes { state answer sentAt openedAt contact { databaseId } } } } }`
    const ids = { submission: submission.id, optIn: optIn.id, enrolment: enrolment.id, campaign: campaign.id }
    const read = await world.run(Read, ids)
    const kept = [
      { key: 'UTM_SOURCE', value: 'news' },
      { key: 'UTM_CAMPAIGN', value: 'spring' },
      { key: 'AD_ID', value: 'ad 7' },
    ]
    expect(read.submission).toMatchObject({
      ...{ status: 'COMPLETED', clientSubmissionId: null, aiSummary: null, typedFields: [], contact: null },
      attribution: kept,
      answers: [
        { label: 'E-mail', values: [] },
        { label: 'Name', values: [] },
        { label: 'Tell us', values: [] },
        { label: 'Phone', values: [] },
        { label: 'Colour', values: ['blue'] },
        { label: 'Number', values: [] },
      ],
    })
    expect(read.optIn).toEqual({ status: 'COMPLETED', contact: null, attribution: kept })
    expect(read.enrolment).toEqual({
      ...{ state: 'ENDED', anchorDate: null, failure: null, dueAt: null, nextStage: null, contact: null },
    })
    expect(read.campaign.recipients.nodes).toEqual([
      { state: 'SENT', answer: null, sentAt: expect.any(String), openedAt: expect.any(String), contact: null },
      expect.objectContaining({ answer: expect.any(String), contact: { databaseId: other.databaseId } }),
    ])
    for (const table of ['mail_recipient', 'enrolment', 'submission', 'visit']) {
      const rows = await world.rows(`SELECT 1 FROM ${table} WHERE account_id = $1 AND contact_id = $2`, [
        ...[world.accountId, person.databaseId],
      ])
      expect([table, rows.length]).toEqual([table, 2 - Number(table === 'enrolment')])
    }
    const visitors = await world.rows<{ id: string }>('SELECT id FROM visitor WHERE account_id = $1', [world.accountId])
    expect(visitors).toEqual([{ id: 'browser of another' }])

    const get = async (path: string, query: Record<string, number>) =>
      (await send(world.server.url, 'GET', path, { query, key: world.mainKey })).body
    const [row] = (await get('/v1/form-submissions', { form_id: form.databaseId })).data
    expect(row).toMatchObject({ id: submission.databaseId, status: 'completed', contact: null })
    const detail = (await get('/v1/form-submission', { id: submission.databaseId })).data
    expect(detail.answers.map(({ answer }: { answer: unknown }) => answer)).toEqual(['', '', '', '', 'blue', ''])
    expect(detail).toMatchObject({
      contact: null,
      ai_summary: null,
      attribution: { utm_source: 'news', ad_id: 'ad 7' },
    })
  })

  it('removes the contact from all lists, totals and audiences of contacts', async () => {
    const { world, person, sequence, campaign } = await history()
    const tag = await world.tag()
    const Give = mutationOf('contactTagAdd', 'tag { id }')
    await world.run(Give, { input: { contact: { id: person.id }, tagId: tag.id } })
    const filter = {
      includeSequenceIds: [sequence.id],
      includeOpenedIds: [campaign.id],
      includeTagIds: [tag.id],
    }
    const Lists = `query ($sequence: ID!, $filter: AudienceFilter!) {
      contacts { totalCount } sequence(id: $sequence) { activeContacts contacts { totalCount } }
      audience(filter: $filter) { total optIn } }`
    const lists = () => world.run(Lists, { sequence: sequence.id, filter })
    expect(await lists()).toEqual({
      contacts: { totalCount: 2 },
      sequence: { activeContacts: 1, contacts: { totalCount: 1 } },
      audience: { total: 2, optIn: 2 },
    })
    await remove(world, person)
    expect(await lists()).toEqual({
      contacts: { totalCount: 1 },
      sequence: { activeContacts: 0, contacts: { totalCount: 0 } },
      audience: { total: 1, optIn: 1 },
    })
    const answer = await send(world.server.url, 'GET', '/v1/sequences-contacts', {
      query: { sequence_id: sequence.databaseId },
      key: world.mainKey,
    })
    expect(answer.body.data).toEqual([])
  })

  it('emits only contact.deleted, and links no earlier rows to a new contact with the same address', async () => {
    const { world, person } = await history()
    const before = (await world.announced()).length
    await remove(world, person)
    expect((await world.announced()).slice(before)).toEqual([
      { type: 'contact.deleted', data: { contactId: person.databaseId } },
    ])
    const again = await world.contact({ email: ada.email })
    expect(again.databaseId).not.toBe(person.databaseId)
    const Read = `query ($id: ID!) { contact(ref: { id: $id }) { stats { sent } submissions { totalCount }
      enrolments { totalCount } messages { totalCount } } }`
    expect((await world.run(Read, { id: again.id })).contact).toEqual({
      stats: { sent: 0 },
      submissions: { totalCount: 0 },
      enrolments: { totalCount: 0 },
      messages: { totalCount: 0 },
    })
  })

  it('returns no errors to 50 concurrent clients', async () => {
    const world = await newWorld()
    const [sequence, form, campaign] = [await world.sequence(), await world.form(), await world.campaign()]
    await world.stage(sequence, { active: true })
    const people: Named[] = []
    for (let n = 0; n < 50; n += 1)
      people.push(await world.contact({ emailMarketing: true, sequenceIds: [sequence.id] }))
    for (const person of people) {
      await message(world, person, { campaignId: campaign.databaseId, sent: false })
      await world.submission(form, { contact: { id: person.id } })
    }
    const answers = await Promise.all(people.map(({ id }) => world.ask(Delete, { id })))
    expect(answers.flatMap(({ body }) => body.errors ?? [])).toEqual([])
    expect(world.server.errors).toEqual([])
    const states = await world.rows(
      'SELECT state, count(*)::int AS n FROM mail_recipient WHERE account_id = $1 GROUP BY 1',
      [world.accountId],
    )
    expect(states).toEqual([{ state: 'SKIPPED', n: 50 }])
    expect((await world.run('{ contacts { totalCount } }')).contacts.totalCount).toBe(0)
  })
})
