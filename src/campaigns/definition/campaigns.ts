import { z } from 'zod'
import type { Campaign } from '../../../prisma/generated/client/client.ts'
import { use } from '../../account/index.ts'
import type { Ctx } from '../../db/context.ts'
import { inSavepoint, inTransaction } from '../../db/transaction.ts'
import { emit } from '../../events/index.ts'
import { nameOfCopy } from '../../kernel/copies.ts'
import { refuseValue } from '../../kernel/errors.ts'
import { check, name, sent } from '../../kernel/values/check.ts'
import {
  type BodyInput,
  checkBody,
  type EmailMeta,
  emails,
  hasDocument,
  openRecipients,
  queueSources,
  recompilation,
} from '../../mail/index.ts'
import { type AudienceInput, mergeAudience, type StoredAudience } from '../audience/audience-filter.ts'
import { lock, type StopCode } from './campaign-list.ts'
import { type DeliverySettings, deliveryOf, takeDelivery } from './delivery-settings.ts'
import { enqueueRecipients } from './recipient-job.ts'

const NewCampaign = z.object({ name: name(255) })
const CampaignChange = NewCampaign.partial()
const HtmlBody = z.object({ html: z.string().refine((html) => html.trim() !== '', 'must not be empty') })

/** The audience of a campaign as clients send it. Absent fields stay as they are stored. */
export interface CampaignAudienceInput extends AudienceInput {
  readonly sendToAll?: boolean | null | undefined
}

interface CampaignDetails extends EmailMeta, DeliverySettings {
  audience?: CampaignAudienceInput | null | undefined
}

/**
 * Creates a campaign as a draft, with a body if the input has one. The sender defaults to the account's. Emits
 * `campaign.created`. Throws VALIDATION_ERROR, also for a body that cannot be sent (`checkBody`), and QUOTA_EXCEEDED.
 */
export async function create(
  ctx: Ctx,
  input: CampaignDetails & BodyInput & { name: string },
): Promise<{ campaign: Campaign }> {
  const { delivery, rest } = takeDelivery(input)
  const { audience, name: newName, html, text, content, shippedTemplate, templateId, ...meta } = rest
  const fields = check(NewCampaign, { name: newName })
  const body = { html, text, content, shippedTemplate, templateId }
  const checked = Object.values(body).some((each) => each != null) ? await checkContent(ctx, body) : undefined
  return inTransaction(ctx, async (tx) => {
    const { id: emailId } = await emails.create(tx, meta)
    if (checked) await emails.setContent(tx, emailId, checked)
    const ownFields = { ...fields, ...delivery, ...(await changeAudience(tx, noAudience, audience)) }
    const data = { ...ownFields, emailId, accountId: tx.accountId }
    const campaign = await tx.db.campaign.create({ data: { ...data, ...creationTimes(tx) } })
    await emit(tx, 'campaign.created', { campaignId: campaign.id })
    await use(tx, 'campaigns', 1)
    return { campaign }
  })
}

/**
 * Creates a draft with the e-mail, the audience and the delivery settings of a campaign in any status, without its schedule,
 * recipients and statistics. The name defaults to `Copy of …`. Emits `campaign.created`. Throws NOT_FOUND, VALIDATION_ERROR
 * and QUOTA_EXCEEDED.
 */
export async function duplicate(
  ctx: Ctx,
  input: { id: string | number; name?: string | null | undefined },
): Promise<{ campaign: Campaign }> {
  const { name: newName } = check(CampaignChange, sent({ name: input.name }))
  return inTransaction(ctx, async (tx) => {
    const source = await lock(tx, input.id)
    const copyName = newName ?? nameOfCopy(source.name)
    const emailId = (await emails.copyAll(tx, [source.emailId])).get(source.emailId) as number
    const { sendToAll, filters } = source
    const copied = { sendToAll, filters: filters as object, ...deliveryOf(source) }
    const data = { name: copyName, ...copied, emailId, accountId: tx.accountId }
    const campaign = await tx.db.campaign.create({ data: { ...data, ...creationTimes(tx) } })
    await use(tx, 'campaigns', 1)
    await emit(tx, 'campaign.created', { campaignId: campaign.id })
    return { campaign }
  })
}

/**
 * Archives a draft, or a campaign that was sent or stopped. It cannot be scheduled or sent until it is restored. Idempotent.
 * Emits `campaign.updated`. Throws NOT_FOUND, CAMPAIGN_SCHEDULED for a scheduled campaign, and INVALID_STATE for one that is
 * being sent.
 */
export async function archive(ctx: Ctx, input: { id: string | number }): Promise<{ campaign: Campaign }> {
  return inTransaction(ctx, async (tx) => {
    const before = await lock(tx, input.id)
    if (before.status === 'SCHEDULED') throw refuseValue('id', 'CAMPAIGN_SCHEDULED')
    if (before.status === 'SENDING') throw refuseValue('id', 'INVALID_STATE', 'The campaign is being sent.')
    return { campaign: await setArchivedAt(tx, before, before.archivedAt ?? tx.clock.now()) }
  })
}

/** Restores an archived campaign. Idempotent. Emits `campaign.updated`. Throws NOT_FOUND. */
export async function restore(ctx: Ctx, input: { id: string | number }): Promise<{ campaign: Campaign }> {
  return inTransaction(ctx, async (tx) => ({ campaign: await setArchivedAt(tx, await lock(tx, input.id), null) }))
}

/** Throws INVALID_STATE if a campaign is archived. */
export function mustNotBeArchived({ archivedAt }: Campaign): void {
  if (archivedAt) throw refuseValue('id', 'INVALID_STATE', 'The campaign is archived; restore it first.')
}

async function setArchivedAt(tx: Ctx, before: Campaign, archivedAt: Date | null): Promise<Campaign> {
  if (before.archivedAt?.getTime() === archivedAt?.getTime()) return before
  await emit(tx, 'campaign.updated', { campaignId: before.id })
  return updateRow(tx, before, { archivedAt })
}

/**
 * Updates a draft; absent fields stay as they are. A campaign that failed before any message was sent becomes a draft again
 * (see `returnToDraft`). Emits `campaign.updated`. Throws VALIDATION_ERROR, and INVALID_STATE for any other campaign.
 */
export async function update(
  ctx: Ctx,
  input: CampaignDetails & { id: string | number; name?: string | null | undefined },
): Promise<{ campaign: Campaign }> {
  const { delivery, rest } = takeDelivery(input)
  const { id, audience, name: newName, ...meta } = rest
  const change = sent(check(CampaignChange, sent({ name: newName })))
  return inTransaction(ctx, async (tx) => {
    const draft = await lockDraft(tx, id)
    await emails.update(tx, draft.emailId, meta)
    const campaign = await updateRow(tx, draft, {
      ...{ ...change, ...delivery },
      ...(await changeAudience(tx, draft, audience)),
    })
    await emit(tx, 'campaign.updated', { campaignId: campaign.id })
    return { campaign }
  })
}

/**
 * Sets the body of a campaign's e-mail: HTML, and plain text if given, or a document of blocks. Accepts a draft; a campaign that
 * failed before any message was sent, which becomes a draft again (see `returnToDraft`); and a campaign that stopped because its
 * e-mail could not be rendered (TEMPLATE_ERROR), which keeps its open recipients. Emits `campaign.updated`. Throws
 * VALIDATION_ERROR, also for a body that cannot be sent (`checkBody`), and INVALID_STATE for any other campaign.
 */
export async function setContent(
  ctx: Ctx,
  { id, ...body }: BodyInput & { id: string | number },
): Promise<{ campaign: Campaign }> {
  const checked = await checkContent(ctx, body)
  return inTransaction(ctx, async (tx) => {
    const campaign = await lockForContent(tx, id)
    await emails.setContent(tx, campaign.emailId, checked)
    await emit(tx, 'campaign.updated', { campaignId: campaign.id })
    return { campaign: await updateRow(tx, campaign, {}) }
  })
}

/**
 * Deletes a draft, or a campaign that stopped before any message was sent, with its e-mail. Emits `campaign.deleted`. Throws
 * CAMPAIGN_SCHEDULED for a scheduled campaign, and INVALID_STATE for any other.
 */
export async function remove(ctx: Ctx, input: { id: string | number }): Promise<{ databaseId: number }> {
  return inTransaction(ctx, async (tx) => {
    const campaign = await lock(tx, input.id)
    const { id, emailId, status } = campaign
    if (status === 'SCHEDULED') throw refuseValue('id', 'CAMPAIGN_SCHEDULED')
    if (status !== 'DRAFT' && !(await removeRecipients(tx, campaign))) throw notDraft()
    await tx.db.campaign.delete({ where: { accountId_id: { accountId: tx.accountId, id } } })
    await emails.remove(tx, [emailId])
    await emit(tx, 'campaign.deleted', { campaignId: id })
    await use(tx, 'campaigns', -1)
    return { databaseId: id }
  })
}

/** Checks the whole body of an e-mail: a document, HTML, or a text alone. */
async function checkContent(ctx: Ctx, body: BodyInput) {
  const isComplete = hasDocument(body) || (body.html === '' && body.text?.trim())
  if (!isComplete) check(HtmlBody, body)
  return checkBody(ctx, body)
}

function creationTimes({ clock }: Ctx) {
  const now = clock.now()
  return { createdAt: now, updatedAt: now }
}

/** Updates a row that the caller has locked, and sets its `updatedAt`. */
export async function updateRow(
  tx: Ctx,
  { id }: Campaign,
  data: Partial<Omit<Campaign, 'filters'>> & { filters?: object },
): Promise<Campaign> {
  return tx.db.campaign.update({
    where: { accountId_id: { accountId: tx.accountId, id } },
    data: { ...data, updatedAt: tx.clock.now() },
  })
}

/** Sets a campaign, whose row the caller has locked, to ERROR with a code. Emits `campaign.error`. */
export async function fail(tx: Ctx, campaign: Campaign, errorCode: StopCode): Promise<Campaign> {
  const failed = await updateRow(tx, campaign, { status: 'ERROR', errorCode })
  await emit(tx, 'campaign.error', { campaignId: campaign.id, errorCode })
  await queueSources.pause(tx, campaign.id)
  return failed
}

/** The audience of a new campaign: no contact. */
const noAudience = { sendToAll: false, filters: {} }

/**
 * Merges an audience into the stored one; absent fields stay. One exception: a filter without `sendToAll` clears a stored
 * `sendToAll`, because a client that sends a filter wants it to apply.
 */
export async function changeAudience(
  tx: Ctx,
  stored: Pick<Campaign, 'sendToAll'> & { filters: unknown },
  input: CampaignAudienceInput | null | undefined,
): Promise<{ sendToAll: boolean; filters: object }> {
  const isFilterGiven = input?.filter != null || Object.values(input?.lists ?? {}).some((list) => list != null)
  return {
    sendToAll: input?.sendToAll ?? (isFilterGiven ? false : stored.sendToAll),
    filters: await mergeAudience(tx, stored.filters as StoredAudience, input ?? {}, 'audience.'),
  }
}

/**
 * Makes a campaign, whose row the caller has locked, a draft again if it failed before any message was sent. Its recipients
 * are removed; its audience is evaluated again when it is sent. Emits `campaign.unscheduled`. Returns undefined for any other
 * campaign, also for a cancelled one; the caller must then roll back.
 */
async function returnToDraft(tx: Ctx, campaign: Campaign): Promise<Campaign | undefined> {
  if (campaign.errorCode === 'CANCELLED' || !(await removeRecipients(tx, campaign))) return undefined
  const data = { status: 'DRAFT', errorCode: null, scheduledFor: null, localTime: null, recipientsCount: 0 } as const
  const draft = await updateRow(tx, campaign, data)
  await recompilation.unfix(tx, campaign.emailId)
  await emit(tx, 'campaign.unscheduled', { campaignId: campaign.id })
  return draft
}

/**
 * Removes the recipients of a stopped campaign: many of them in the background. Returns false if a message was sent; the caller
 * must then roll back.
 */
async function removeRecipients(tx: Ctx, { id, status, sentTo, recipientsCount }: Campaign): Promise<boolean> {
  if (status !== 'ERROR' || sentTo > 0) return false
  await queueSources.remove(tx, id)
  if (recipientsCount > 0 && !(await openRecipients.areUnsent(tx, id))) return false
  if (!(await openRecipients.removeUnsent(tx, id))) await enqueueRecipients(tx, id)
  return true
}

async function lockDraft(tx: Ctx, id: string | number): Promise<Campaign> {
  const campaign = await lock(tx, id)
  const draft = campaign.status === 'DRAFT' ? campaign : await returnToDraft(tx, campaign)
  if (!draft) throw notDraft()
  return draft
}

/** Locks a campaign whose content may be set: one that `lockDraft` accepts, or one that stopped with TEMPLATE_ERROR. */
async function lockForContent(tx: Ctx, id: string | number): Promise<Campaign> {
  try {
    // The savepoint restores the open recipients of a campaign that cannot become a draft.
    return await inSavepoint(tx, (inner) => lockDraft(inner, id))
  } catch (error) {
    const campaign = await lock(tx, id)
    if (campaign.status === 'ERROR' && campaign.errorCode === 'TEMPLATE_ERROR') return campaign
    throw error
  }
}

function notDraft() {
  return refuseValue(
    'id',
    'INVALID_STATE',
    'There is no such draft. A campaign that is scheduled, being sent or was sent cannot be changed.',
  )
}
