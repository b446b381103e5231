import { z } from 'zod'
import { zoneOf } from '../../account/index.ts'
import type { Ctx } from '../../db/context.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { emit } from '../../events/index.ts'
import { check, text } from '../../kernel/check.ts'
import { refuse } from '../../kernel/errors.ts'
import { mergeParts, valuesOf } from '../../kernel/merge-fields.ts'
import { fillUrl } from '../content/html-template.ts'
import { peopleOf } from '../content/letters.ts'
import { isMachine } from './machines.ts'
import type { LinkMark } from './tokens.ts'

/** A message that was fetched or followed, and by whom. */
export interface Sighting {
  recipientId: bigint
  userAgent: string
  /** Whether it was fetched before anyone asked for it, as its request says. */
  isPrefetch?: boolean
}

interface Message {
  contactId: number
  campaignId: number | null
  stageId: number | null
  openedAt: Date | null
  clickedAt: Date | null
}

/** How many opens of a message are kept one by one, and how many clicks on each of its links; as many again by machines. */
const mostKept = 20

/**
 * Keeps an open. The first one by a person is noted beside the message, where figures and filters see it; prefetchers and
 * scanners are kept and flagged, and count for nothing. Beyond twenty of a message, they are added to the last one.
 *
 * Announces `email.opened` with the first that counts. Fails with NOT_FOUND.
 */
export async function recordOpen(ctx: Ctx, { recipientId, ...fetched }: Sighting): Promise<void> {
  const isBot = isByMachine(fetched)
  await inTransaction(ctx, async (tx) => {
    const message = await lock(tx, recipientId)
    const createdAt = tx.clock.now()
    const same = sql`account_id = ${tx.sql.account} AND recipient_id = ${String(recipientId)}::bigint AND is_bot = ${isBot}`
    await tx.sql`
      WITH ${lastKept(sql`mail_open`, same)}
      INSERT INTO mail_open (account_id, created_at, recipient_id, is_bot)
      SELECT ${tx.sql.account}::int, ${createdAt}::timestamptz, ${String(recipientId)}::bigint, ${isBot} ${unlessAdded}`
    if (isBot || message.openedAt) return
    await note(tx, recipientId, { openedAt: createdAt })
    const { contactId, campaignId, stageId } = message
    await emit(tx, 'email.opened', { contactId, campaignId, stageId })
  })
}

/**
 * Keeps a click on a link. As with opens, the first by a person counts, and those beyond twenty on a link of a message are
 * added to the last one. A click is no open as well.
 *
 * Announces `email.clicked` with the first that counts of each link. Fails with NOT_FOUND and VALIDATION_ERROR.
 */
export async function recordClick(
  ctx: Ctx,
  { recipientId, url, ...fetched }: Sighting & { url: string },
): Promise<void> {
  check(z.object({ url: text(4_000).min(1, 'must not be empty') }), { url })
  const isBot = isByMachine(fetched)
  await inTransaction(ctx, async (tx) => {
    const message = await lock(tx, recipientId)
    const createdAt = tx.clock.now()
    const isKnown =
      !isBot &&
      (await tx.db.mailClick.findFirst({
        where: { accountId: tx.accountId, recipientId, isBot: false, url },
        select: { id: true },
      })) !== null
    const same = sql`account_id = ${tx.sql.account} AND recipient_id = ${String(recipientId)}::bigint AND is_bot = ${isBot}
      AND url = ${url}`
    await tx.sql`
      WITH ${lastKept(sql`mail_click`, same)}
      INSERT INTO mail_click (account_id, created_at, recipient_id, url, is_bot)
      SELECT ${tx.sql.account}::int, ${createdAt}::timestamptz, ${String(recipientId)}::bigint, ${url}, ${isBot} ${unlessAdded}`
    if (isBot) return
    if (!message.clickedAt) await note(tx, recipientId, { clickedAt: createdAt })
    const { contactId, campaignId, stageId } = message
    if (!isKnown) await emit(tx, 'email.clicked', { contactId, campaignId, stageId, url })
  })
}

/**
 * Where a link of a message leads, with its reader's merge fields in their places; undefined where the account has no such
 * link. Whoever is gone is led there too, without them.
 */
export async function targetOf(ctx: Ctx, { recipientId, linkId }: LinkMark): Promise<Target | undefined> {
  const [link] = await ctx.sql<{ url: string; contactId: number | null }>`
    SELECT l.url, c.id AS "contactId" FROM mail_link l
    LEFT JOIN mail_recipient r ON r.account_id = l.account_id AND r.id = ${String(recipientId)}::bigint
    LEFT JOIN contact c ON c.account_id = r.account_id AND c.id = r.contact_id
    WHERE l.account_id = ${ctx.sql.account} AND l.id = ${linkId}`
  if (!link) return undefined
  const { url, contactId } = link
  const parts = mergeParts(url)
  const isPlain = parts.every((part) => typeof part === 'string')
  const person = isPlain || contactId === null ? undefined : (await peopleOf(ctx, [contactId])).get(contactId)
  const values = person ? valuesOf(person, ctx.clock.now(), await zoneOf(ctx)) : () => ''
  return { url, contactId, address: new URL(fillUrl(parts, values)) }
}

/** A link as it was written, and where it leads one reader. */
export interface Target {
  readonly url: string
  readonly address: URL
  /** The contact that the message was sent to; null if it was deleted since. */
  readonly contactId: number | null
}

/** Whether a message was fetched by a program rather than by its reader. */
export function isByMachine({ userAgent, isPrefetch = false }: Omit<Sighting, 'recipientId'>): boolean {
  return isPrefetch || isMachine(userAgent)
}

/** Finds the last of the same kind that are kept of a message, whose row is locked, and adds one to it if they are enough. */
function lastKept(table: Sql, same: Sql): Sql {
  return sql`last AS (
      SELECT id, created_at, count(*) OVER () >= ${mostKept}::int AS "isFull" FROM ${table} WHERE ${same}
      ORDER BY id DESC LIMIT 1
    ), added AS (
      UPDATE ${table} kept SET times = kept.times + 1 FROM last
      WHERE last."isFull" AND kept.created_at = last.created_at AND kept.id = last.id AND ${same} RETURNING 1
    )`
}

const unlessAdded = sql`WHERE NOT EXISTS (SELECT FROM added)`

/**
 * The message, its row locked: of two first opens at once only one is the first. What a deleted contact does is not
 * recorded.
 */
async function lock(tx: Ctx, recipientId: bigint): Promise<Message> {
  const [row] = await tx.sql<Message>`
    SELECT contact_id AS "contactId", campaign_id AS "campaignId", stage_id AS "stageId", opened_at AS "openedAt",
      clicked_at AS "clickedAt"
    FROM mail_recipient WHERE account_id = ${tx.sql.account} AND id = ${String(recipientId)}::bigint AND NOT is_redacted
    FOR NO KEY UPDATE`
  if (!row) throw refuse('NOT_FOUND', 'There is no such message.')
  return row
}

async function note(tx: Ctx, id: bigint, data: { openedAt: Date } | { clickedAt: Date }): Promise<void> {
  await tx.db.mailRecipient.update({ where: { accountId_id: { accountId: tx.accountId, id } }, data })
}
