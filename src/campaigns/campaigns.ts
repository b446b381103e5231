import { z } from 'zod'
import type { Campaign } from '../../prisma/generated/client/client.ts'
import { use } from '../account/index.ts'
import type { Ctx } from '../db/context.ts'
import { inSavepoint, inTransaction } from '../db/transaction.ts'
import { emit } from '../events/index.ts'
import { check, name, sent } from '../kernel/check.ts'
import { refuse } from '../kernel/errors.ts'
import { type EmailMeta, emails, openRecipients, queueSources, validateEmailBody } from '../mail/index.ts'
import { type AudienceFilter, everyone, filterOver, type GivenFilter } from './audience-filter.ts'
import { lock, notFound } from './campaign-list.ts'

const NewCampaign = z.object({ name: name(255) })
const CampaignChange = NewCampaign.partial()

/** Whom a campaign is for, as clients give it. */
export interface GivenAudience {
  sendToAll?: boolean | null | undefined
  filter?: GivenFilter | null | undefined
}

export interface CampaignDetails extends EmailMeta {
  audience?: GivenAudience | null | undefined
}

/**
 * Makes a campaign: a draft, from the account's own sender where none is given. Fails with VALIDATION_ERROR and
 * QUOTA_EXCEEDED.
 */
export async function create(ctx: Ctx, input: CampaignDetails & { name: string }): Promise<{ campaign: Campaign }> {
  const { audience, subject, fromName, fromEmail, ...rest } = input
  const given = check(NewCampaign, rest)
  return inTransaction(ctx, async (tx) => {
    const { id: emailId } = await emails.create(tx, { subject, fromName, fromEmail })
    const data = { ...given, ...audienceOver(none, audience), emailId, accountId: tx.accountId }
    const campaign = await tx.db.campaign.create({ data: { ...data, createdAt: tx.clock.now() } })
    await use(tx, 'campaigns', 1)
    return { campaign }
  })
}

/**
 * Changes a draft: only what is sent. A campaign that failed before it reached anyone becomes a draft again (see `reopen`).
 * Fails with VALIDATION_ERROR, and with NOT_FOUND for any other campaign.
 */
export async function update(
  ctx: Ctx,
  input: CampaignDetails & { id: string | number; name?: string | null | undefined },
): Promise<{ campaign: Campaign }> {
  const { id, audience, subject, fromName, fromEmail, ...rest } = input
  const change = sent(check(CampaignChange, sent(rest)))
  return inTransaction(ctx, async (tx) => {
    const draft = await lockDraft(tx, id)
    await emails.update(tx, draft.emailId, { subject, fromName, fromEmail })
    return { campaign: await write(tx, draft, { ...change, ...audienceOver(draft, audience) }) }
  })
}

/**
 * Sets what a campaign sends: the HTML body, and the plain text beside it where that is given. The campaign is a draft; or it
 * failed before it reached anyone, and becomes a draft again (see `reopen`); or it stopped because its e-mail could not be
 * rendered (TEMPLATE_ERROR), and keeps its open recipients. Throws VALIDATION_ERROR, also for a body that could not be sent
 * (`mustBeUsable`), and NOT_FOUND for any other campaign.
 */
export async function setContent(
  ctx: Ctx,
  input: { id: string | number; html: string; text?: string | null | undefined },
): Promise<{ campaign: Campaign }> {
  const { html } = check(
    z.object({ html: z.string().refine((body) => body.trim() !== '', 'must not be empty') }),
    input,
  )
  await validateEmailBody(ctx, { html, text: input.text })
  return inTransaction(ctx, async (tx) => {
    const campaign = await lockMendable(tx, input.id)
    await emails.setContent(tx, campaign.emailId, { html, text: input.text })
    return { campaign }
  })
}

/**
 * Deletes a draft, or a campaign that stopped before it reached anyone, with what it would have sent. Fails with
 * CAMPAIGN_SCHEDULED, and with NOT_FOUND for any other campaign.
 */
export async function remove(ctx: Ctx, input: { id: string | number }): Promise<{ databaseId: number }> {
  return inTransaction(ctx, async (tx) => {
    const campaign = await lock(tx, input.id)
    const { id, emailId, status } = campaign
    if (status === 'SCHEDULED') throw refuse('CAMPAIGN_SCHEDULED')
    if (status !== 'DRAFT' && !(await withdraw(tx, campaign))) throw notDraft()
    await tx.db.campaign.delete({ where: { accountId_id: { accountId: tx.accountId, id } } })
    await emails.remove(tx, [emailId])
    await use(tx, 'campaigns', -1)
    return { databaseId: id }
  })
}

/** Changes a row that the caller has locked. */
export async function write(
  tx: Ctx,
  { id }: Campaign,
  data: Partial<Omit<Campaign, 'filters'>> & { filters?: object },
): Promise<Campaign> {
  return tx.db.campaign.update({ where: { accountId_id: { accountId: tx.accountId, id } }, data })
}

/** What a campaign is for before anyone said so: nobody. */
const none = { sendToAll: false, filters: {} }

/**
 * An audience laid over the one that is kept. What is not given stays, but for one thing: who gives a filter and says
 * nothing of everyone means the filter, even where everyone was meant before.
 */
export function audienceOver(
  kept: Pick<Campaign, 'sendToAll'> & { filters: unknown },
  given: GivenAudience | null | undefined,
): { sendToAll: boolean; filters: AudienceFilter } {
  const before = { ...everyone, ...(kept.filters as Partial<AudienceFilter>) }
  const isFilterGiven = Object.values(given?.filter ?? {}).some((list) => list != null)
  return {
    sendToAll: given?.sendToAll ?? (isFilterGiven ? false : kept.sendToAll),
    filters: filterOver(before, given?.filter),
  }
}

/**
 * Makes a draft again of a campaign, whose row the caller has locked, that failed before it reached anyone: its recipients
 * are forgotten, and its audience is resolved anew when it is sent. Emits `campaign.unscheduled`. Returns undefined for any
 * other campaign, also for a cancelled one; then the caller must not commit.
 */
export async function reopen(tx: Ctx, campaign: Campaign): Promise<Campaign | undefined> {
  if (campaign.errorCode === 'CANCELLED' || !(await withdraw(tx, campaign))) return undefined
  const data = { status: 'DRAFT', errorCode: null, scheduledFor: null, recipientsCount: 0 } as const
  const draft = await write(tx, campaign, data)
  await emit(tx, 'campaign.unscheduled', { campaignId: campaign.id })
  return draft
}

/** Removes the recipients of a stopped campaign. Returns false, and may have removed some, if it reached anyone. */
async function withdraw(tx: Ctx, { id, status, sentTo, recipientsCount }: Campaign): Promise<boolean> {
  if (status !== 'ERROR' || sentTo > 0) return false
  if (recipientsCount > 0 && !(await openRecipients.deleteUnsent(tx, id))) return false
  await queueSources.remove(tx, id)
  return true
}

async function lockDraft(tx: Ctx, id: string | number): Promise<Campaign> {
  const campaign = await lock(tx, id)
  const draft = campaign.status === 'DRAFT' ? campaign : await reopen(tx, campaign)
  if (!draft) throw notDraft()
  return draft
}

/** Locks a campaign whose content may be set: as `lockDraft`, or one that stopped in the middle because of its content. */
async function lockMendable(tx: Ctx, id: string | number): Promise<Campaign> {
  try {
    // Undone if it fails: a campaign that has reached anyone keeps its open recipients.
    return await inSavepoint(tx, (inner) => lockDraft(inner, id))
  } catch (error) {
    const campaign = await lock(tx, id)
    if (campaign.status === 'ERROR' && campaign.errorCode === 'TEMPLATE_ERROR') return campaign
    throw error
  }
}

function notDraft() {
  return notFound(
    'There is no such draft: a campaign that is scheduled, on its way or has reached anyone cannot be changed.',
  )
}
