import { mergeValuesOf, personById, recordActivity } from '../../contacts/index.ts'
import { mergeParts } from '../../contacts/rendering.ts'
import type { Ctx } from '../../db/context.ts'
import { insertParts } from '../../db/figures/figure-parts.ts'
import { insertFigures } from '../../db/figures/figures.ts'
import { join, type Sql, sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { zoneOf } from '../../db/zone.ts'
import { emit } from '../../events/index.ts'
import { refuse } from '../../kernel/errors.ts'
import { checkAt, text } from '../../kernel/values/check.ts'
import { fillUrl } from '../bodies/html-template.ts'
import { linkParts, type MessageFigure, messageFigure } from '../figures.ts'
import type { LinkRef } from '../messages/message-tokens.ts'
import { isBot } from './bots.ts'
import { setReaction } from './latest-messages.ts'

/** A request for the pixel or a link of a message. */
interface TrackedRequest {
  recipientId: bigint
  userAgent: string
  /** Whether the request declares itself a prefetch. */
  isPrefetch?: boolean
}

interface Message {
  contactId: number
  campaignId: number | null
  sequenceId: number | null
  stageId: number | null
  openedAt: Date | null
  clickedAt: Date | null
}

const Url = text(4_000).min(1, 'must not be empty')

/** Maximum number of rows for the opens of a message, and for the clicks on each of its links. Bots have the same again. */
const maxRows = 20

/** Timeout of a record in milliseconds: a longer lock of the message does not keep a connection. */
const timeoutMs = 5_000

/**
 * Records an open. The first one by a person is stored with the message, for statistics and filters. Opens by prefetchers and
 * scanners are flagged and do not count. From the 21st on, opens of a message are added to the last row.
 *
 * **Emits** `email.opened` for the first open that counts. **Throws** NOT_FOUND.
 */
export async function recordOpen(ctx: Ctx, { recipientId, ...request }: TrackedRequest): Promise<void> {
  const isBot = isBotRequest(request)
  await inTransaction(
    ctx,
    async (tx) => {
      const message = await lockMessage(tx, recipientId)
      const createdAt = tx.clock.now()
      const same = sql`account_id = ${tx.sql.account} AND recipient_id = ${String(recipientId)}::bigint AND is_bot = ${isBot}`
      await tx.sql`
      WITH ${lastRow(sql`mail_open`, same)}, inserted AS (
        INSERT INTO mail_open (account_id, created_at, recipient_id, is_bot, contact_id)
        SELECT ${tx.sql.account}::int, ${createdAt}::timestamptz, ${String(recipientId)}::bigint, ${isBot},
          ${message.contactId}::int ${unlessAdded}
        RETURNING account_id, created_at, is_bot
      )
      ${countReactions(message, 'OPENS', message.openedAt ? undefined : 'UNIQUE_OPENS')}`
      if (isBot) return
      await recordActivity(tx, [message.contactId])
      if (message.openedAt) return
      await setReaction(tx, recipientId, 'opened_at', createdAt)
      const { contactId, campaignId, stageId } = message
      await emit(tx, 'email.opened', { contactId, campaignId, stageId })
    },
    timeoutMs,
  )
}

/**
 * Records a click on a link, in the same way as an open. A click does not count as an open.
 *
 * **Emits** `email.clicked` for the first click that counts on each link. **Throws** NOT_FOUND and VALIDATION_ERROR.
 */
export async function recordClick(
  ctx: Ctx,
  { recipientId, url, ...request }: TrackedRequest & { url: string },
): Promise<void> {
  checkAt('url', Url, url)
  const isBot = isBotRequest(request)
  await inTransaction(
    ctx,
    async (tx) => {
      const message = await lockMessage(tx, recipientId)
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
      WITH ${lastRow(sql`mail_click`, same)}, inserted AS (
        INSERT INTO mail_click (account_id, created_at, recipient_id, url, is_bot, contact_id)
        SELECT ${tx.sql.account}::int, ${createdAt}::timestamptz, ${String(recipientId)}::bigint, ${url}, ${isBot},
          ${message.contactId}::int ${unlessAdded}
        RETURNING account_id, created_at, is_bot
      ), linked AS (${countLink(message, url, { isFirst: !isKnown, isBot })}
      )
      ${countReactions(message, 'CLICKS', message.clickedAt ? undefined : 'UNIQUE_CLICKS')}`
      if (isBot) return
      await recordActivity(tx, [message.contactId])
      if (!message.clickedAt) await setReaction(tx, recipientId, 'clicked_at', createdAt)
      const { contactId, campaignId, stageId } = message
      if (!isKnown) await emit(tx, 'email.clicked', { contactId, campaignId, stageId, url })
    },
    timeoutMs,
  )
}

/**
 * Returns the target of a tracked link with merge fields filled in, as programs read them. They are empty if the contact was
 * deleted. Undefined if the account has no such link.
 */
export async function resolveLink(ctx: Ctx, { recipientId, linkId }: LinkRef): Promise<LinkTarget | undefined> {
  const [link] = await ctx.sql<{ url: string; contactId: number | null }>`
    SELECT l.url, c.id AS "contactId" FROM mail_link l
    LEFT JOIN mail_recipient r ON r.account_id = l.account_id AND r.id = ${String(recipientId)}::bigint
    LEFT JOIN contact c ON c.account_id = r.account_id AND c.id = r.contact_id
    WHERE l.account_id = ${ctx.sql.account} AND l.id = ${linkId}`
  if (!link) return undefined
  const { url, contactId } = link
  const parts = mergeParts(url)
  const isPlain = parts.every((part) => typeof part === 'string')
  const person = isPlain || contactId === null ? null : await ctx.load(personById, contactId)
  const values = person ? mergeValuesOf(person, ctx.clock.now(), { zone: await zoneOf(ctx), language: 'en' }) : () => ''
  return { url, contactId, isPlain, address: new URL(fillUrl(parts, values)) }
}

/** The target of a link: as written, and with merge fields filled in. */
export interface LinkTarget {
  readonly url: string
  readonly address: URL
  /** Whether the link has no merge fields, so that its target is the same for all recipients. */
  readonly isPlain: boolean
  /** Contact that the message was sent to. Null if it was deleted. */
  readonly contactId: number | null
}

/** Returns whether a request comes from a program and not from a person. */
export function isBotRequest({ userAgent, isPrefetch = false }: Omit<TrackedRequest, 'recipientId'>): boolean {
  return isPrefetch || isBot(userAgent)
}

/** Selects the last row of the same kind, and adds to it if there are `maxRows` already. The message must be locked. */
function lastRow(table: Sql, same: Sql): Sql {
  return sql`last AS (
      SELECT id, created_at, count(*) OVER () >= ${maxRows}::int AS "isFull" FROM ${table} WHERE ${same}
      ORDER BY id DESC LIMIT 1
    ), added AS (
      UPDATE ${table} kept SET times = kept.times + 1 FROM last
      WHERE last."isFull" AND kept.created_at = last.created_at AND kept.id = last.id AND ${same} RETURNING kept.account_id, kept.created_at
    )`
}

const unlessAdded = sql`WHERE NOT EXISTS (SELECT FROM added)`

/** Adds the inserted row to the figures, unless a program made the request. `first` counts only the first one of a message. */
function countReactions(
  { campaignId, sequenceId, stageId }: Message,
  figure: MessageFigure,
  first?: MessageFigure,
): Sql {
  const rows = sql`SELECT account_id, ${campaignId}::int AS campaign_id, ${sequenceId}::int AS sequence_id,
    ${stageId}::int AS stage_id, created_at AS at, 1 AS value FROM inserted WHERE NOT is_bot`
  return insertFigures(
    join(
      [figure, ...(first ? [first] : [])].map((each) => messageFigure(each, rows)),
      ' UNION ALL ',
    ),
  )
}

/** Adds a click to the figures of its link. A click that is added to an earlier row counts at the time of that row. */
function countLink({ campaignId, stageId }: Message, url: string, click: { isFirst: boolean; isBot: boolean }): Sql {
  return insertParts(
    linkParts(sql`SELECT account_id, ${campaignId}::int AS campaign_id, ${stageId}::int AS stage_id, ${url}::text AS url, created_at AS at,
        1 AS times, ${click.isFirst}::boolean AS is_first
      FROM (SELECT account_id, created_at FROM inserted UNION ALL SELECT account_id, created_at FROM added) stored
      WHERE NOT ${click.isBot}::boolean`),
  )
}

/** Locks and returns a message, so that only one of two concurrent requests is the first. Reactions of deleted contacts are not
 * recorded. */
async function lockMessage(tx: Ctx, recipientId: bigint): Promise<Message> {
  const [row] = await tx.sql<Message>`
    SELECT contact_id AS "contactId", campaign_id AS "campaignId", sequence_id AS "sequenceId", stage_id AS "stageId",
      opened_at AS "openedAt", clicked_at AS "clickedAt"
    FROM mail_recipient WHERE account_id = ${tx.sql.account} AND id = ${String(recipientId)}::bigint AND NOT is_redacted
    FOR NO KEY UPDATE`
  if (!row) throw refuse('NOT_FOUND', 'The message was not found.')
  return row
}
