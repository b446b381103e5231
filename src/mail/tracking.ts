import { z } from 'zod'
import { inTransaction } from '../db/transaction.ts'
import { emit } from '../events/index.ts'
import { check, text } from '../kernel/check.ts'
import type { Ctx } from '../kernel/context.ts'
import { refuse } from '../kernel/errors.ts'
import { isMachine } from './machines.ts'

/** A message that was fetched or followed, and by whom. */
export interface Sighting {
  recipientId: bigint
  userAgent: string
}

interface Message {
  contactId: number
  campaignId: number | null
  stageId: number | null
  openedAt: Date | null
  clickedAt: Date | null
}

/**
 * Keeps an open. The first one by a person is noted beside the message, where figures and filters see it; prefetchers and
 * scanners are kept and flagged, and count for nothing.
 *
 * Announces `email.opened` with the first that counts. Fails with NOT_FOUND.
 */
export async function recordOpen(ctx: Ctx, { recipientId, userAgent }: Sighting): Promise<void> {
  const isBot = isMachine(userAgent)
  await inTransaction(ctx, async (tx) => {
    const message = await lock(tx, recipientId)
    const createdAt = tx.clock.now()
    await tx.db.mailOpen.create({ data: { accountId: tx.accountId, createdAt, recipientId, isBot } })
    if (isBot || message.openedAt) return
    await note(tx, recipientId, { openedAt: createdAt })
    const { contactId, campaignId, stageId } = message
    await emit(tx, 'email.opened', { contactId, campaignId, stageId })
  })
}

/**
 * Keeps a click on a link. As with opens, the first by a person counts; it is no open as well.
 *
 * Announces `email.clicked` with the first that counts of each link. Fails with NOT_FOUND and VALIDATION_ERROR.
 */
export async function recordClick(
  ctx: Ctx,
  { recipientId, userAgent, url }: Sighting & { url: string },
): Promise<void> {
  check(z.object({ url: text(4_000).min(1, 'must not be empty') }), { url })
  const isBot = isMachine(userAgent)
  await inTransaction(ctx, async (tx) => {
    const message = await lock(tx, recipientId)
    const createdAt = tx.clock.now()
    const isKnown =
      !isBot &&
      (await tx.db.mailClick.findFirst({
        where: { accountId: tx.accountId, recipientId, isBot: false, url },
        select: { id: true },
      })) !== null
    await tx.db.mailClick.create({ data: { accountId: tx.accountId, createdAt, recipientId, url, isBot } })
    if (isBot) return
    if (!message.clickedAt) await note(tx, recipientId, { clickedAt: createdAt })
    const { contactId, campaignId, stageId } = message
    if (!isKnown) await emit(tx, 'email.clicked', { contactId, campaignId, stageId, url })
  })
}

/** The message, its row locked: of two first opens at once only one is the first. */
async function lock(tx: Ctx, recipientId: bigint): Promise<Message> {
  const [row] = await tx.sql<Message>`
    SELECT contact_id AS "contactId", campaign_id AS "campaignId", stage_id AS "stageId", opened_at AS "openedAt",
      clicked_at AS "clickedAt"
    FROM mail_recipient WHERE account_id = ${tx.sql.account} AND id = ${String(recipientId)}::bigint FOR NO KEY UPDATE`
  if (!row) throw refuse('NOT_FOUND', 'There is no such message.')
  return row
}

async function note(tx: Ctx, id: bigint, data: { openedAt: Date } | { clickedAt: Date }): Promise<void> {
  await tx.db.mailRecipient.update({ where: { accountId_id: { accountId: tx.accountId, id } }, data })
}
