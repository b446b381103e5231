import { type Ctx, many } from '../../db/context.ts'
import { isOneOf, type Sql, sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { emitAll } from '../../events/index.ts'
import { checkAt, sent } from '../../kernel/values/check.ts'
import { ConsentSource, recordAll } from '../consents/consents.ts'
import { type Contact, type ContactRef, lock } from '../record/contact-lookup.ts'
import { list, mustExist, type Topic } from './topics.ts'

/** A topic of the account as it concerns a contact. */
export interface ContactTopic {
  readonly topic: Topic
  /** Whether messages of the topic are sent to the contact, if it consents to marketing e-mail. */
  readonly receives: boolean
  /** Null if the contact neither joined nor left the topic. */
  readonly state: 'JOINED' | 'LEFT' | null
  readonly changedAt: Date | null
}

interface Membership {
  readonly contactId: number
  readonly topicId: number
  readonly state: 'JOINED' | 'LEFT'
  readonly changedAt: Date
}

/** Loads all topics of the account for contacts, those that are archived only if a contact joined or left them. */
export const ofContact = many<number, ContactTopic>(async (ctx, contactIds) => {
  const topics = await list(ctx)
  if (topics.length === 0) return new Map()
  const rows = await ctx.sql<Membership>`
    SELECT m.contact_id AS "contactId", m.topic_id AS "topicId", m.state::text AS state, m.changed_at AS "changedAt"
    FROM topic_membership m WHERE m.account_id = ${ctx.sql.account} AND m.contact_id = ANY(${contactIds}::int[])`
  const byContact = Map.groupBy(rows, ({ contactId }) => contactId)
  return new Map(contactIds.map((id) => [id, topicsWith(topics, byContact.get(id) ?? [])]))
})

function topicsWith(topics: readonly Topic[], memberships: readonly Membership[]): ContactTopic[] {
  const byTopic = new Map(memberships.map((each) => [each.topicId, each]))
  return topics.flatMap((topic): ContactTopic[] => {
    const { state = null, changedAt = null } = byTopic.get(topic.id) ?? {}
    if (topic.archivedAt && !state) return []
    return [{ topic, receives: state ? state === 'JOINED' : topic.audience === 'EVERYONE', state, changedAt }]
  })
}

/**
 * Returns the SQL condition that messages of a topic are sent to a contact, if it consents to marketing e-mail. The arguments are
 * columns or values of the statement, which must not have its aliases.
 */
export function receives(accountId: Sql, contactId: Sql, topicId: Sql): Sql {
  return sql`EXISTS (SELECT ${decided(accountId, contactId)} AND topic_asked.id = ${topicId})`
}

/**
 * Selects the ids of the contacts to which messages of any of the topics are sent, or of any topic at all. It may repeat an id.
 * Those that joined come from an index; the others are most contacts.
 */
export function selectReceivers(ctx: Ctx, topicIds: readonly number[] | undefined): Sql {
  const ofTopics = topicIds ? sql`AND ${isOneOf(sql`t.id`, topicIds)}` : sql``
  return sql`SELECT m.contact_id FROM topic t JOIN topic_membership m ON m.account_id = t.account_id AND m.topic_id = t.id
      AND m.state = 'JOINED' WHERE t.account_id = ${ctx.sql.account} ${ofTopics}
    UNION ALL SELECT p.id FROM topic t JOIN contact p ON p.account_id = t.account_id
    WHERE t.account_id = ${ctx.sql.account} AND t.audience = 'EVERYONE' ${ofTopics} AND NOT EXISTS (
      SELECT FROM topic_membership m WHERE m.account_id = t.account_id AND m.topic_id = t.id AND m.contact_id = p.id AND m.state = 'LEFT')`
}

/** `FROM` the topics whose messages are sent to a contact, to which conditions are appended with AND. */
function decided(accountId: Sql, contactId: Sql): Sql {
  return sql`FROM topic topic_asked LEFT JOIN topic_membership decision ON decision.account_id = topic_asked.account_id
      AND decision.topic_id = topic_asked.id AND decision.contact_id = ${contactId}
    WHERE topic_asked.account_id = ${accountId} AND coalesce(decision.state = 'JOINED', topic_asked.audience = 'EVERYONE')`
}

/** Selects the ids of the contacts that left any of the topics, or any topic at all. */
export function selectThoseWhoLeft(ctx: Ctx, topicIds: readonly number[] | undefined): Sql {
  const ofTopics = topicIds ? sql`AND ${isOneOf(sql`m.topic_id`, topicIds)}` : sql``
  return sql`SELECT m.contact_id FROM topic_membership m
    WHERE m.account_id = ${ctx.sql.account} AND m.state = 'LEFT' ${ofTopics}`
}

type Nullish<Shape> = { [Key in keyof Shape]?: Shape[Key] | null | undefined }

interface MembershipInput {
  contact: ContactRef
  topicId: string | number
  consent?: Nullish<ConsentSource> | null | undefined
}

/**
 * Lets a contact join a topic. Messages of it are sent only while the contact consents to marketing e-mail. Idempotent.
 *
 * **Emits** `contact.topic_joined`. **Throws** NOT_FOUND and VALIDATION_ERROR.
 */
export async function join(ctx: Ctx, input: MembershipInput): Promise<{ contact: Contact; topic: Topic }> {
  return setOne(ctx, input, 'JOINED')
}

/**
 * Lets a contact leave a topic, and nothing else. Idempotent.
 *
 * **Emits** `contact.topic_left`. **Throws** NOT_FOUND and VALIDATION_ERROR.
 */
export async function leave(ctx: Ctx, input: MembershipInput): Promise<{ contact: Contact; topic: Topic }> {
  return setOne(ctx, input, 'LEFT')
}

async function setOne(
  ctx: Ctx,
  input: MembershipInput,
  state: 'JOINED' | 'LEFT',
): Promise<{ contact: Contact; topic: Topic }> {
  const consent = checkAt('consent', ConsentSource, sent(input.consent ?? {}))
  return inTransaction(ctx, async (tx) => {
    const contact = await lock(tx, input.contact)
    const topic = await mustExist(tx, input.topicId)
    await setAll(tx, [{ contactId: contact.id, topicId: topic.id, state }], consent)
    return { contact, topic }
  })
}

/** A topic that a contact joins or leaves. */
type MembershipChange = Pick<Membership, 'contactId' | 'topicId' | 'state'>

/**
 * Lets contacts, whose rows are locked, join and leave topics. Records the consents of those that had not done so already, and
 * returns their changes. **Emits** `contact.topic_joined` and `contact.topic_left`.
 */
export async function setAll(
  tx: Ctx,
  changes: readonly MembershipChange[],
  consent: ConsentSource,
): Promise<readonly MembershipChange[]> {
  if (changes.length === 0) return []
  const changed = await tx.sql<MembershipChange>`
    INSERT INTO topic_membership AS m (account_id, contact_id, topic_id, state, changed_at)
    SELECT ${tx.sql.account}::int, g."contactId", t.id, g.state::topic_state, ${tx.clock.now()}::timestamptz
    FROM json_to_recordset(${JSON.stringify(changes)}::json) AS g("contactId" int, "topicId" int, state text)
      JOIN topic t ON t.account_id = ${tx.sql.account} AND t.id = g."topicId"
    ORDER BY 2, 3
    ON CONFLICT (account_id, contact_id, topic_id) DO UPDATE SET state = EXCLUDED.state, changed_at = EXCLUDED.changed_at
      WHERE m.state <> EXCLUDED.state
    RETURNING contact_id AS "contactId", topic_id AS "topicId", state::text AS state`
  const consents = changed.map(({ state, ...ids }) => ({ ...ids, kind: 'TOPIC' as const, granted: state === 'JOINED' }))
  await recordAll(tx, consents, consent)
  const about = (wanted: MembershipChange['state']) =>
    changed.filter(({ state }) => state === wanted).map(({ contactId, topicId }) => ({ contactId, topicId }))
  await emitAll(tx, 'contact.topic_joined', about('JOINED'))
  await emitAll(tx, 'contact.topic_left', about('LEFT'))
  return changed
}

/** Gives the memberships of a contact to another one, whose own stay. The rows of both contacts are locked. */
export async function merge(tx: Ctx, sourceId: number, targetId: number): Promise<void> {
  // Both are the same person, whose later choice is the one that counts.
  await tx.sql`
    INSERT INTO topic_membership AS m (account_id, contact_id, topic_id, state, changed_at)
    SELECT s.account_id, ${targetId}::int, s.topic_id, s.state, s.changed_at FROM topic_membership s
    WHERE s.account_id = ${tx.sql.account} AND s.contact_id = ${sourceId}::int ORDER BY s.topic_id
    ON CONFLICT (account_id, contact_id, topic_id) DO UPDATE SET state = EXCLUDED.state, changed_at = EXCLUDED.changed_at
      WHERE m.changed_at < EXCLUDED.changed_at`
}
