import { expect } from 'vitest'
import type { Ids } from '../events/mutations.ts'
import { settled } from '../support/settled.ts'
import { newWorld, type World } from '../support/world.ts'
import { createObjects, ownLinks, twinLinks } from './account-objects.ts'
import { tables } from './lists.ts'

/** Columns with IDs of a table that have no foreign key, and so are not updated with it. */
const holders: Readonly<Record<string, readonly [table: string, column: string][]>> = {
  sequence: [['mail_recipient', 'sequence_id']],
  sequence_stage: [
    ['mail_recipient', 'stage_id'],
    ['enrolment', 'next_stage_id'],
  ],
  enrolment: [['mail_recipient', 'enrolment_id']],
  topic: [
    ['topic_membership', 'topic_id'],
    ['contact_consent', 'topic_id'],
  ],
  campaign: [
    ['mail_recipient', 'campaign_id'],
    ['mail_source', 'campaign_id'],
    ['unsubscribe_answer', 'campaign_id'],
  ],
  email: [['mail_recipient', 'email_id']],
  funnel: [['visit', 'funnel_id']],
  funnel_step: [
    ['visit', 'step_id'],
    ['"order"', 'step_id'],
  ],
  mail_recipient: [
    ['mail_click', 'recipient_id'],
    ['unsubscribe_answer', 'recipient_id'],
  ],
  webhook: [['webhook_delivery', 'webhook_id']],
  api_key: [['bulk_job', 'key_id']],
  '"user"': [['audit_entry', 'user_id']],
}

/** Lets rows follow when the ID to which they refer is changed, which no operation does. */
async function followIds({ rows }: World): Promise<void> {
  const keys = await rows<{ name: string; table: string; definition: string }>(
    `SELECT quote_ident(conname) AS name, conrelid::regclass::text AS "table", pg_get_constraintdef(oid) AS definition
     FROM pg_constraint WHERE contype = 'f' AND conparentid = 0 AND confrelid <> 'account'::regclass AND confupdtype = 'a'`,
  )
  for (const { name, table, definition } of keys) {
    await rows(`ALTER TABLE ${table} DROP CONSTRAINT ${name}, ADD CONSTRAINT ${name} ${definition} ON UPDATE CASCADE`)
  }
}

/** Gives the rows of one account the IDs of the other account's rows, in the order of creation. */
export async function alignIds(twin: World, world: World): Promise<void> {
  await followIds(twin)
  const idsOf = (table: string, { accountId, rows }: World) =>
    rows<{ id: number }>(`SELECT id FROM ${table} WHERE account_id = $1 ORDER BY id`, [accountId])
  for (const table of [...Object.values(tables), 'api_key', 'document', 'order_line', 'session']) {
    const [from, to] = [await idsOf(table, twin), await idsOf(table, world)]
    expect(from, table).toHaveLength(to.length)
    for (const [place, { id }] of from.entries()) {
      for (const [holder, column] of [[table, 'id'], ...(holders[table] ?? [])]) {
        await twin.rows(`UPDATE ${holder} SET ${column} = $3 WHERE account_id = $1 AND ${column} = $2`, [
          twin.accountId,
          id,
          to[place]?.id,
        ])
      }
    }
  }
  // IDs within JSON and arrays refer to the other tag than in the twin account.
  const [, second] = await idsOf('tag', world)
  await twin.rows(
    `UPDATE sequence_stage SET action = jsonb_build_object('kind', 'ADD_TAG', 'tagId', $2::int)
     WHERE account_id = $1 AND stage_type = 'ACTION'`,
    [twin.accountId, second?.id],
  )
  await twin.rows("UPDATE campaign SET filters = $2 WHERE account_id = $1 AND status = 'SENT'", [
    twin.accountId,
    { includeTagIds: [second?.id] },
  ])
  await twin.rows(
    `UPDATE funnel_step SET tag_ids = ARRAY[$2::int], sequence_ids = (SELECT array_agg(id) FROM sequence WHERE account_id = $1)
     WHERE account_id = $1`,
    [twin.accountId, second?.id],
  )
  await twin.rows("UPDATE document SET body = 'twin' WHERE account_id = $1", [twin.accountId])
  await twin.rows('UPDATE enrolment SET anchor_date = now() WHERE account_id = $1', [twin.accountId])
  // The statuses differ, so that an operation that is allowed on own rows is refused on the twin's rows.
  await twin.rows(`UPDATE "order" SET status = 'CANCELLED' WHERE account_id = $1`, [twin.accountId])
  await twin.rows("UPDATE transaction SET status = 'CANCELLED' WHERE account_id = $1", [twin.accountId])
  await twin.rows("UPDATE invoice SET status = 'PAID' WHERE account_id = $1", [twin.accountId])
  await twin.rows("UPDATE billing_subscription SET status = 'INACTIVE' WHERE account_id = $1", [twin.accountId])
  await twin.rows("UPDATE form SET status = 'ARCHIVED' WHERE account_id = $1", [twin.accountId])
  await twin.rows("UPDATE submission SET status = 'COMPLETED' WHERE account_id = $1", [twin.accountId])
  await twin.rows("UPDATE campaign SET status = 'SENT' WHERE account_id = $1", [twin.accountId])
  await twin.rows("UPDATE bulk_job SET status = 'COMPLETED' WHERE account_id = $1", [twin.accountId])
  await twin.rows("UPDATE sequence SET type = 'INVERTED' WHERE account_id = $1", [twin.accountId])
}

/** Moves an account's rows behind those of its twin, to detect reads of the first row that is found. */
export async function moveRowsBack({ accountId, rows }: World): Promise<void> {
  for (const table of Object.values(tables))
    await rows(`UPDATE ${table} SET id = id WHERE account_id = $1`, [accountId])
}

/** Two accounts whose rows get the same IDs: a statement without the account would read the other's rows. */
export async function newTwins() {
  const world = await newWorld()
  const twin = await world.other()
  const [own] = await Promise.all([createObjects(world, 'own', ownLinks), createObjects(twin, 'twin', twinLinks)])
  // Lists contain only events that have their position.
  await settled(world)
  const idsAt = (index: number): Ids => ({
    contact: own.contacts[index]?.databaseId ?? 0,
    other: own.contacts[1 - index]?.databaseId ?? 0,
    tag: own.tags[index]?.databaseId ?? 0,
    segment: own.segments[index]?.databaseId ?? 0,
    topic: own.topics[index]?.databaseId ?? 0,
    field: own.fields[index]?.databaseId ?? 0,
    media: own.media[index]?.databaseId ?? 0,
    emailTemplate: own.emailTemplates[index]?.databaseId ?? 0,
    reusableBlock: own.reusableBlocks[index]?.databaseId ?? 0,
    sequence: own.sequences[index]?.databaseId ?? 0,
    stage: own.stages[index]?.databaseId ?? 0,
    free: own.sequences[2]?.databaseId ?? 0,
    campaign: own.campaigns[index]?.databaseId ?? 0,
    reviewed: own.imports[index]?.id ?? 0,
    bulkJob: own.bulkJobs[index]?.id ?? 0,
    planned: own.planned[index]?.databaseId ?? 0,
    failed: own.failed[index]?.databaseId ?? 0,
    webhook: own.webhooks[index]?.databaseId ?? 0,
    delivery: own.deliveries[index] ?? 0,
    sending: own.sending[index]?.databaseId ?? 0,
    key: own.key,
    user: own.users[index]?.id ?? 0,
    session: own.users[index]?.session ?? 0,
    order: own.bought.orders[index]?.databaseId ?? 0,
    paid: own.bought.paid[index]?.databaseId ?? 0,
    payment: own.bought.payments[index]?.databaseId ?? 0,
    invoice: own.bought.invoices[index]?.databaseId ?? 0,
    plan: own.bought.plans[index]?.databaseId ?? 0,
    lapsed: own.bought.lapsed[index]?.databaseId ?? 0,
    funnel: own.led[index]?.funnel.databaseId ?? 0,
    step: own.led[index]?.step.databaseId ?? 0,
    form: own.asked[index]?.form.databaseId ?? 0,
    draft: own.asked[index]?.draft.databaseId ?? 0,
    question: own.asked[index]?.question.databaseId ?? 0,
    outcome: own.asked[index]?.outcome.databaseId ?? 0,
    submission: own.asked[index]?.submission.databaseId ?? 0,
  })
  const [user] = own.users
  return { world, twin, user, sent: own.sent.databaseId, ids: idsAt(0), second: idsAt(1) }
}
