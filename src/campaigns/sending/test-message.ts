import type { Campaign } from '../../../prisma/generated/client/client.ts'
import type { Ctx } from '../../db/context.ts'
import { idOf } from '../../kernel/values/ids.ts'
import { testMessages } from '../../mail/index.ts'
import { byId, notFound } from '../definition/campaign-list.ts'

/**
 * Sends a campaign's e-mail to one address as a test, whatever the status of the campaign. Returns the mail server's reply.
 * Throws NOT_FOUND, and what `testMessages.sendTest` throws.
 */
export async function send(
  ctx: Ctx,
  input: { id: string | number; email: string; contactId?: string | number | null | undefined },
): Promise<{ campaign: Campaign; answer: string }> {
  const campaign = await ctx.load(byId, idOf('Campaign', input.id))
  if (!campaign) throw notFound()
  const contactId = input.contactId == null ? null : idOf('Contact', input.contactId, 'contactId')
  const answer = await testMessages.sendTestMessage(ctx, { emailId: campaign.emailId, email: input.email, contactId })
  return { campaign, answer }
}
