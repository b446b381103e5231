import { decide, newTopic } from '../contacts/topics.ts'
import { newReusableBlock, useReusableBlock } from '../content/reusable.ts'
import { storedMedia } from '../content/stored.ts'
import { failedCampaign, mailSettings, sendingCampaign } from '../events/mutations.ts'
import { newTemplate } from '../mail/templates.ts'
import { countRows } from '../support/count-rows.ts'
import { newEditor } from '../support/session.ts'
import type { Named, World } from '../support/world.ts'

/** The tags and the sequence of each of two contacts, by index, and which of the two opened its e-mail. */
export interface Links {
  readonly tags: readonly [number[], number[]]
  readonly sequences: readonly [number, number]
  readonly opener: number
}

export const ownLinks: Links = { tags: [[0], []], sequences: [0, 2], opener: 0 }
export const twinLinks: Links = { tags: [[1], [0]], sequences: [1, 1], opener: 1 }

/** Creates two objects of each type, named after the account. The caller selects how they are linked. */
export async function createObjects(world: World, name: string, links: Links) {
  const { accountId, rows } = world
  await mailSettings(world)
  await rows('UPDATE suppression SET detail = $2 WHERE account_id = $1', [accountId, name])
  await rows('UPDATE sender_problem SET detail = $2 WHERE account_id = $1', [accountId, name])
  await rows('UPDATE dkim_key SET public_key = $2 WHERE account_id = $1', [accountId, name])
  const tags = [await world.tag(`${name} tag 1`), await world.tag(`${name} tag 2`)]
  const segments = [
    await world.segment({}, `${name} segment 1`),
    await world.segment({ tags: { exists: true } }, `${name} segment 2`),
  ]
  const fields = [
    await world.customField({ name: `${name} field 1` }),
    await world.customField({ name: `${name} field 2` }),
  ]
  const contacts: Named[] = []
  for (const [index, own] of links.tags.entries()) {
    contacts.push(
      await world.contact({
        email: `${name}-${index}@example.com`,
        gdpr: true,
        consent: { source: name },
        addTagIds: own.map((tag) => tags[tag]?.id),
        customFields: [{ customFieldId: fields[index]?.id, value: `${name} value` }],
      }),
    )
  }
  const topics = [
    await newTopic(world, { name: `${name} topic 1`, translations: [{ language: 'de', name }] }),
    await newTopic(world, { name: `${name} topic 2`, audience: 'JOINED', description: name }),
  ]
  for (const [index, topic] of topics.entries())
    await decide(world, index === 0 ? 'Leave' : 'Join', contacts[index] as Named, topic, { source: name })
  // The fields that `contactUpsert` and the audiences of campaigns read.
  await world.contact({ email: 'ada@example.com', firstName: name, emailMarketing: true })
  const sequences: Named[] = []
  const stages: Named[] = []
  for (const index of [0, 1, 2]) {
    const sequence = await world.sequence({ name: `${name} sequence ${index}` })
    const action = { addTagId: tags[0]?.id }
    await world.stage(sequence, { name: `${name} action`, stageType: 'ACTION', action })
    stages.push(await world.stage(sequence, { name: `${name} stage`, active: true }))
    sequences.push(sequence)
  }
  for (const [index, sequence] of links.sequences.entries()) {
    await world.subscribe(contacts[index] as Named, sequences[sequence] as Named)
  }
  const campaigns: Named[] = []
  const planned: Named[] = []
  for (const all of [campaigns, planned]) {
    for (const index of [0, 1]) {
      const { email: _email, ...campaign } = await world.campaign({
        name: `${name} campaign ${index}`,
        subject: `${name} subject`,
        audience: { sendToAll: true },
      })
      all.push(campaign)
    }
  }
  for (const { id } of planned) {
    await world.run(
      'mutation ($id: ID!) { campaignSchedule(input: { id: $id, scheduledFor: "2099-12-24 18:00" }) { campaign { id } } }',
      { id },
    )
  }
  const failed = [await failedCampaign(world, `${name} failed`), await failedCampaign(world, `${name} failed`)]
  const sending = [await sendingCampaign(world, `${name} sending`), await sendingCampaign(world, `${name} sending`)]
  // Not one of the others, because a topic that an e-mail names cannot be deleted.
  const topic = await newTopic(world, { name: `${name} topic 3` })
  const sent = await world.campaign({ name: `${name} sent`, subject: `${name} subject`, topicId: topic.id })
  await rows("UPDATE campaign SET status = 'SENT', filters = $3 WHERE account_id = $1 AND id = $2", [
    accountId,
    sent.databaseId,
    { includeTagIds: [tags[0]?.databaseId] },
  ])
  for (const [index, contact] of contacts.entries()) {
    await rows(
      `INSERT INTO mail_recipient (account_id, campaign_id, contact_id, state, created_at, sent_at, opened_at, clicked_at)
       SELECT $1, $2, $3, 'SENT', now(), now(), opened, opened FROM (SELECT CASE WHEN $4 THEN now() END AS opened) o`,
      [accountId, sent.databaseId, contact.databaseId, index === links.opener],
    )
  }
  await rows(
    `INSERT INTO mail_recipient (account_id, sequence_id, stage_id, enrolment_id, contact_id, created_at)
     SELECT account_id, sequence_id, next_stage_id, id, contact_id, now() FROM enrolment WHERE account_id = $1`,
    [accountId],
  )
  await createClicks(world, name)
  // Messages that bounced, to contacts that were deleted since.
  await rows(
    `INSERT INTO mail_recipient (account_id, contact_id, state, created_at, failed_at, failure_cause)
     SELECT $1, 2000000000, 'BOUNCED', now(), now(), cause FROM unnest('{ADDRESS_UNKNOWN,MAILBOX_DISABLED}'::failure_cause[]) cause`,
    [accountId],
  )
  await holdMessages(world, sent.databaseId)
  await createImports(world, name, fields)
  await world.run(
    `mutation ($domains: [String!]) { accountUpdate(input: { refusedDomains: $domains }) { account { id } } brandUpdate(input: { utmExcludedDomains: $domains,
      links: [{ network: X, href: "https://example.com/" }] }) { brand { font } } }`,
    { domains: [`${name}.example`] },
  )
  const conditions = { filters: [{}], paths: [[name]], text: [] }
  await rows('UPDATE email SET conditions = $2 WHERE account_id = $1', [accountId, JSON.stringify(conditions)])
  const media = [await storedMedia(world, `${name} 1.png`), await storedMedia(world, `${name} 2.png`)]
  const emailTemplates = [await newTemplate(world, `${name} 1`), await newTemplate(world, `${name} 2`)]
  const reusableBlocks = [await newReusableBlock(world, `${name} 1`), await newReusableBlock(world, `${name} 2`)]
  await useReusableBlock(world, await newReusableBlock(world, `${name} 3`))
  const webhooks = [await world.webhook({ description: name }), await world.webhook({ description: name })]
  const deliveries: number[] = []
  for (const { id } of webhooks) {
    const test = 'mutation ($id: ID!) { webhookTest(input: { id: $id }) { delivery { databaseId } } }'
    deliveries.push((await world.run(test, { id })).webhookTest.delivery.databaseId)
  }
  await rows(
    "UPDATE webhook_delivery SET state = 'FAILED', attempts = 1, body = $2, error = $2 WHERE account_id = $1",
    [accountId, name],
  )
  const bought = await createSales(world, name, `${name}-${links.opener}@example.com`)
  const asked = await createForms(world, name, contacts, fields)
  await rows("UPDATE submission SET typed = jsonb_build_object('firstName', $2::text) WHERE account_id = $1", [
    accountId,
    name,
  ])
  const terms = { source: 'form:1', text: name, document_version: '1', accepted_at: '2026-01-01T00:00:00.000Z' }
  for (const table of ['submission', '"order"'])
    await rows(`UPDATE ${table} SET accepted_terms = $2::jsonb WHERE account_id = $1`, [
      accountId,
      JSON.stringify([terms]),
    ])
  const led = await createFunnels(world, name, { tags, sequences, orders: bought.paid })
  await createConfirmations(world, name)
  await rows(
    `INSERT INTO media_use (account_id, media_id, email_id, step_id)
     SELECT $1, $2::int, id, NULL::int FROM email WHERE account_id = $1
     UNION ALL SELECT $1, $2, NULL, id FROM funnel_step WHERE account_id = $1`,
    [accountId, media[1]?.databaseId],
  )
  await rows('UPDATE api_key SET name = $2 WHERE account_id = $1', [accountId, name])
  const key = await rows<{ id: number }>('SELECT id FROM api_key WHERE account_id = $1', [accountId])
  const users = [
    await newEditor(world, `${name}-user-0@example.com`),
    await newEditor(world, `${name}-user-1@example.com`),
  ] as const
  await rows('UPDATE api_key SET created_by_user_id = $2 WHERE account_id = $1', [accountId, users[0].id])
  await rows(
    `UPDATE audit_entry SET key_id = NULL, user_id = $2
     WHERE account_id = $1 AND id = (SELECT max(id) FROM audit_entry WHERE account_id = $1)`,
    [accountId, users[0].id],
  )
  await rows('UPDATE session SET address = $2 WHERE account_id = $1', [accountId, name])
  const bulkJobs = await rows<{ id: number }>('SELECT id FROM bulk_job WHERE account_id = $1 ORDER BY id', [accountId])
  const imports = await rows<{ id: number }>('SELECT id FROM contact_import WHERE account_id = $1 ORDER BY id', [
    accountId,
  ])
  return {
    contacts,
    bulkJobs,
    imports,
    media,
    reusableBlocks,
    emailTemplates,
    tags,
    topics,
    segments,
    fields,
    sequences,
    stages,
    campaigns,
    planned,
    failed,
    sending,
    sent,
    bought,
    asked,
    led,
    webhooks,
    deliveries,
    users,
    key: key[0]?.id ?? 0,
  }
}

/** Creates two imports and two bulk jobs, each with an error, named after the account. */
async function createImports({ accountId, rows }: World, name: string, fields: readonly Named[]): Promise<void> {
  for (const { databaseId } of fields) {
    await rows(
      `WITH made AS (
         INSERT INTO contact_import (account_id, file_name, status, options, columns, error_groups, created_at)
         VALUES ($1, $2::text, 'COMPLETED', '{}', $3, jsonb_build_array(jsonb_build_object('severity', 'ERROR', 'code', 'INVALID_VALUE',
           'column', $2::text, 'message', 'is wrong', 'count', 1, 'lines', '[2]'::jsonb)), now()) RETURNING account_id, id)
       INSERT INTO contact_import_error (account_id, import_id, line, "column", message)
       SELECT account_id, id, 2, $2::text, 'is wrong' FROM made`,
      [
        accountId,
        name,
        JSON.stringify([
          { column: name, field: 'CUSTOM_FIELD', customFieldId: databaseId },
          { column: name, field: 'GDPR', customFieldId: null, reading: 'CONSENT', meanings: { GRANTED: 1 } },
        ]),
      ],
    )
    await rows(
      `WITH made AS (
         INSERT INTO bulk_job (account_id, status, action, options, filter, key_id, created_at, selected_at)
         VALUES ($1, 'RUNNING', 'DELETE', '{}', jsonb_build_object('city', jsonb_build_object('eq', $2::text)),
           (SELECT id FROM api_key WHERE account_id = $1), now(), now())
         RETURNING account_id, id)
       INSERT INTO bulk_job_error (account_id, job_id, contact_id, code, message)
       SELECT made.account_id, made.id, (SELECT min(c.id) FROM contact c WHERE c.account_id = $1), 'CONTACT_KEPT', $2 FROM made`,
      [accountId, name],
    )
  }
}

/** Creates confirmation e-mails of all forms and funnels, named after the account. */
async function createConfirmations(world: World, name: string): Promise<void> {
  const { forms, funnels } = await world.run('{ forms { nodes { id } } funnels { nodes { id } } }')
  const setAll = (owner: string, nodes: readonly Named[]) =>
    nodes.map(
      ({ id }, index) =>
        `${owner}${index}: ${owner}ConfirmationContentSet(input: { id: "${id}", subject: $name, html: $html }) { email { id } }`,
    )
  const all = [...setAll('form', forms.nodes), ...setAll('funnel', funnels.nodes)]
  await world.run(`mutation ($name: String, $html: String) { ${all.join(' ')} }`, {
    name,
    html: `<p>{{CONFIRM_URL}} {{${name}}}</p>`,
  })
}

/** Creates two sets of the objects of a sale, named after the account. */
async function createSales(world: World, name: string, email: string) {
  const two = <Made>(make: (index: number) => Promise<Made>) => Promise.all([0, 1].map(make))
  const customer = { email, firstName: name }
  const lines = [{ name: `${name} line`, unitPrice: '10', vatRate: '20' }]
  const attribution = [{ key: 'UTM_SOURCE', value: name }]
  const order = (index: number, status: string) =>
    world.order({ idOrder: `${name} ${status} ${index}`, status, lines, attribution, customer })
  const orders = [await order(0, 'WAITING'), await order(1, 'WAITING')]
  const paid = [await order(0, 'COMPLETED'), await order(1, 'COMPLETED')]
  const invoices = [await world.invoice({ customer, lines }), await world.invoice({ orderId: orders[0]?.id })]
  await world.creditNote(invoices[1] as Named, { amount: '6', reason: name })
  const plans = await two((index) => world.subscription({ name: `${name} plan ${index}`, customer }))
  const lapsed = await two((index) =>
    world.subscription({ name: `${name} lapsed ${index}`, customer, status: 'ERROR' }),
  )
  const payment = (index: number) => {
    const of = { orderId: orders[index]?.id, subscriptionId: plans[index]?.id }
    return world.transaction({ idTransaction: `${name} payment ${index}`, ...of })
  }
  const payments = [await payment(0), await payment(1)]
  await world.transaction({ idTransaction: `${name} bill`, invoiceId: invoices[1]?.id })
  return { orders, paid, invoices, plans, lapsed, payments }
}

/**
 * Creates two sets of the objects of a form, named after the account. Each contact has one submission, and two have no
 * contact.
 */
async function createForms(world: World, name: string, contacts: readonly Named[], fields: readonly Named[]) {
  const draft = 'mutation ($input: FormCreateInput!) { formCreate(input: $input) { form { id databaseId } } }'
  const created: { form: Named; draft: Named; question: Named; outcome: Named; submission: Named }[] = []
  for (const [index, contact] of contacts.entries()) {
    const asking = {
      name: `${name} form ${index}`,
      questions: [
        ...['one', 'two'].map((label) => ({
          label: `${name} ${label}`,
          type: 'SINGLE_CHOICE',
          options: ['yes', `${name} option`],
          points: [{ answer: `${name} option`, points: '1' }],
          customFieldId: fields[index]?.id,
        })),
        { label: `${name} rating`, type: 'RATING' },
      ],
      outcomes: [{ key: 'end', title: `${name} end`, bucket: 'COLD' }],
    }
    const { questions, outcomes, ...form } = await world.form(asking)
    await world.submission(form, {
      contact: { id: contact.id },
      answers: [
        { questionId: questions[1]?.id, value: `${name} option` },
        { questionId: questions[2]?.id, value: '5' },
      ],
      attribution: [{ key: 'UTM_SOURCE', value: name }],
      complete: true,
    })
    created.push({
      form,
      draft: (await world.run(draft, { input: { ...asking, name: `${name} draft ${index}` } })).formCreate.form,
      question: questions[0] as Named,
      outcome: outcomes[0] as Named,
      submission: await world.submission(form),
    })
  }
  return created
}

/** Creates two funnels, named after the account, each with a step that adds its tag and sequence and has an order. */
async function createFunnels(
  world: World,
  name: string,
  { tags, sequences, orders }: Readonly<Record<'tags' | 'sequences' | 'orders', readonly Named[]>>,
) {
  const made: { funnel: Named; step: Named }[] = []
  for (const index of [0, 1]) {
    const funnel = await world.funnel({ name: `${name} funnel ${index}` })
    const content = { version: 1, settings: { name }, root: [] }
    const { form: _form, ...step } = await world.step(funnel, { name: `${name} step ${index}`, content })
    const links = { tagIds: [tags[index]?.id], sequenceIds: [sequences[index]?.id] }
    await world.run('mutation ($input: FunnelStepUpdateInput!) { funnelStepUpdate(input: $input) { step { id } } }', {
      input: { id: step.id, ...links },
    })
    await world.run('mutation ($input: VisitRecordInput!) { visitRecord(input: $input) { counted } }', {
      input: { stepId: step.id, visitorId: name, attribution: [{ key: 'UTM_SOURCE', value: name }] },
    })
    await world.rows('UPDATE "order" SET step_id = $3 WHERE account_id = $1 AND id = $2', [
      world.accountId,
      orders[index]?.databaseId,
      step.databaseId,
    ])
    made.push({ funnel, step })
  }
  return made
}

/** Gives the account rules, the campaign a window, a message that is skipped and one that waits, and contacts entries of both. */
async function holdMessages({ accountId, rows }: World, campaignId: number): Promise<void> {
  await rows('UPDATE account SET frequency_cap = 50, quiet_from = 180, quiet_until = 181 WHERE id = $1', [accountId])
  const values = [accountId, campaignId]
  await rows('UPDATE campaign SET window_from = 540, window_until = 1020 WHERE account_id = $1 AND id = $2', values)
  await rows(
    'UPDATE mail_recipient SET skipped_at = sent_at, delayed_at = sent_at WHERE account_id = $1 AND campaign_id = $2',
    values,
  )
  await rows(
    `INSERT INTO mail_recipient (account_id, campaign_id, contact_id, state, created_at, skip_reason, delay_reason) VALUES
       ($1, $2, 2000000001, 'SKIPPED', now(), 'FREQUENCY_CAP', NULL), ($1, $2, 2000000002, 'QUEUED', now(), NULL, 'SEND_WINDOW')`,
    values,
  )
}

/** Gives each message the e-mail of its campaign or stage, and each message of a stage or to the opener a click. */
async function createClicks(world: World, name: string): Promise<void> {
  const { accountId, rows } = world
  await rows(
    `UPDATE mail_recipient r SET email_id = coalesce(
       (SELECT k.email_id FROM campaign k WHERE k.account_id = r.account_id AND k.id = r.campaign_id),
       (SELECT g.email_id FROM sequence_stage g WHERE g.account_id = r.account_id AND g.id = r.stage_id))
     WHERE r.account_id = $1`,
    [accountId],
  )
  await rows(
    "UPDATE mail_recipient SET state = 'SENT', sent_at = now(), clicked_at = now() WHERE account_id = $1 AND stage_id > 0",
    [accountId],
  )
  await rows(
    `INSERT INTO mail_click (account_id, created_at, recipient_id, url, is_bot)
     SELECT account_id, now(), id, 'https://' || $2::text || '.example.com', false FROM mail_recipient
     WHERE account_id = $1 AND clicked_at IS NOT NULL`,
    [accountId, name],
  )
  await rows(
    `INSERT INTO unsubscribe_answer (account_id, recipient_id, contact_id, campaign_id, reason, created_at)
     SELECT account_id, id, contact_id, campaign_id, 'OTHER', now() FROM mail_recipient
     WHERE account_id = $1 AND campaign_id IS NOT NULL AND clicked_at IS NOT NULL`,
    [accountId],
  )
  await countRows(world, ['mail_recipient', 'latest_message', 'mail_click_parts'])
}
