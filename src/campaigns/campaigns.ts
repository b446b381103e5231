import { z } from 'zod'
import type { Campaign } from '../../prisma/generated/client/client.ts'
import { use } from '../account/index.ts'
import { inTransaction } from '../db/transaction.ts'
import { check, name, sent } from '../kernel/check.ts'
import type { Ctx } from '../kernel/context.ts'
import { refuse } from '../kernel/errors.ts'
import { type EmailMeta, emails } from '../mail/index.ts'
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

/** Changes a draft: only what is sent. Fails with VALIDATION_ERROR, and with NOT_FOUND where it is no draft. */
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
 * Sets what a draft sends: the HTML body, and the plain text beside it where that is given. Fails with VALIDATION_ERROR,
 * and with NOT_FOUND where it is no draft.
 */
export async function setContent(
  ctx: Ctx,
  input: { id: string | number; html: string; text?: string | null | undefined },
): Promise<{ campaign: Campaign }> {
  const { html } = check(
    z.object({ html: z.string().refine((body) => body.trim() !== '', 'must not be empty') }),
    input,
  )
  return inTransaction(ctx, async (tx) => {
    const draft = await lockDraft(tx, input.id)
    await emails.setContent(tx, draft.emailId, { html, text: input.text })
    return { campaign: draft }
  })
}

/** Deletes a draft with what it would have sent. Fails with CAMPAIGN_SCHEDULED, and with NOT_FOUND where it is no draft. */
export async function remove(ctx: Ctx, input: { id: string | number }): Promise<{ databaseId: number }> {
  return inTransaction(ctx, async (tx) => {
    const { id, emailId, status } = await lock(tx, input.id)
    if (status === 'SCHEDULED') throw refuse('CAMPAIGN_SCHEDULED')
    if (status !== 'DRAFT') throw notDraft()
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

async function lockDraft(tx: Ctx, id: string | number): Promise<Campaign> {
  const campaign = await lock(tx, id)
  if (campaign.status !== 'DRAFT') throw notDraft()
  return campaign
}

function notDraft() {
  return notFound('There is no such draft: a campaign that is scheduled, sent or on its way cannot be changed.')
}
