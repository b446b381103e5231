import type { MessageFrequency } from '../../../prisma/generated/client/client.ts'
import { contacts, frequency, merging, topicMemberships, topics } from '../../contacts/index.ts'
import type { Ctx } from '../../db/context.ts'
import { sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { contactOf, optOutSources, pageSource, undoSince } from './opt-outs.ts'

/** What a preference page shows. */
export interface Preferences {
  readonly contactId: number
  readonly accountName: string
  readonly email: string
  /** Whether the contact consents to marketing e-mail. */
  readonly isSubscribed: boolean
  /** Whether the message led to an opt-out before. */
  readonly hasOptedOut: boolean
  /** Whether the last opt-out from everything came through a link and can be undone. */
  readonly canUndo: boolean
  /** The topic of the message. Null if it has none, or if it was deleted: the link of the message then means everything. */
  readonly topic: topics.ShownTopic | null
  /** The topics that can be chosen: those that are public, and that of the message. */
  readonly topics: readonly topics.ShownTopic[]
  readonly frequency: MessageFrequency
  /** Language tag of the contact. Empty if unknown. */
  readonly locale: string
}

/**
 * Reads what the preference page of a message shows, in one statement, because strangers can ask for it again and again. Null if
 * its contact was deleted.
 */
export async function readPreferences(ctx: Ctx, recipientId: bigint): Promise<Preferences | null> {
  const [row] = await ctx.sql<Omit<Preferences, 'topic'> & { topicId: number | null }>`
    SELECT c.id AS "contactId", r.topic_id AS "topicId", a.name AS "accountName", c.email, c.locale,
      c.email_marketing AS "isSubscribed", r.unsubscribed_at IS NOT NULL AS "hasOptedOut", coalesce(q.frequency::text, 'ANY') AS frequency,
      NOT c.email_marketing AND coalesce((SELECT NOT n.granted AND n.source = ANY(${optOutSources}) AND n.created_at > ${undoSince(ctx)}::timestamptz
        FROM contact_consent n WHERE n.account_id = c.account_id AND n.contact_id = c.id AND n.kind = 'EMAIL_MARKETING'
        ORDER BY n.created_at DESC, n.id DESC LIMIT 1), false) AS "canUndo",
      ${topics.shownTopics(sql`c`, sql`r.topic_id`)} AS topics
    FROM mail_recipient r JOIN contact c ON c.account_id = r.account_id AND c.id = ${merging.currentId(sql`r.account_id`, sql`r.contact_id`)}
      JOIN account a ON a.id = r.account_id
      LEFT JOIN contact_preference q ON q.account_id = c.account_id AND q.contact_id = c.id
    WHERE r.account_id = ${ctx.sql.account} AND r.id = ${String(recipientId)}::bigint`
  if (!row) return null
  const { topicId, ...preferences } = row
  return { ...preferences, topic: row.topics.find(({ id }) => id === topicId) ?? null }
}

/** What a contact chose on its preference page. */
export interface Choice {
  /** Those of the topics that the page showed, and whether the contact wants each. */
  readonly topics: ReadonlyMap<number, boolean>
  readonly frequency: MessageFrequency
  /** Undefined keeps the language. */
  readonly locale: string | undefined
}

/**
 * Saves what the contact of a message chose. Topics that the page did not show stay. **Emits** the events of what changes.
 * **Throws** NOT_FOUND and VALIDATION_ERROR.
 */
export async function savePreferences(
  ctx: Ctx,
  {
    recipientId,
    consent,
    ...choice
  }: Choice & { recipientId: bigint; consent: { source: string; text: string; ip: string } },
): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    const contact = { id: await contactOf(tx, recipientId) }
    const { locale } = choice
    if (locale !== undefined) await contacts.update(tx, { contact, locale })
    const shown = (await readPreferences(tx, recipientId))?.topics ?? []
    for (const { id: topicId, receives } of shown) {
      const wanted = choice.topics.get(topicId)
      if (wanted === undefined || wanted === receives) continue
      await (wanted ? topicMemberships.join : topicMemberships.leave)(tx, { contact, topicId, consent })
    }
    await frequency.setFrequency(tx, { contact, frequency: choice.frequency })
  })
}

/** Maximum number of decisions and changes of a contact in a day through its links. Opt-outs do not count as too many. */
const maxDecisions = 200

/** Returns whether a contact decided so often within a day that only opt-outs are accepted: each decision is kept as proof. */
export async function hasDecidedTooOften(ctx: Ctx, contactId: number): Promise<boolean> {
  const since = undoSince(ctx)
  const [row] = await ctx.sql<{ n: number }>`
    SELECT (SELECT count(*) FROM contact_consent n WHERE n.account_id = ${ctx.sql.account} AND n.contact_id = ${contactId}::int
        AND n.created_at > ${since}::timestamptz AND n.source = ANY(${[...optOutSources, pageSource]}))::int AS n`
  return (row?.n ?? 0) >= maxDecisions
}
