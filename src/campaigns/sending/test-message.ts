import type { Campaign } from '../../../prisma/generated/client/client.ts'
import type { Ctx } from '../../db/context.ts'
import { idOf } from '../../kernel/values/ids.ts'
import { testMessages } from '../../mail/index.ts'
import { byId, notFound } from '../definition/campaign-list.ts'

/**
 * Sends a campaign's e-mail to some addresses as a test, whatever the status of the campaign. Returns what became of each
 * message. Throws NOT_FOUND, and what `testMessages.sendTestMessages` throws.
 */
export async function send(
  ctx: Ctx,
  input: { id: string | number; emails: readonly string[]; contactId?: string | number | null | undefined },
): Promise<{ campaign: Campaign; results: testMessages.TestMessage[] }> {
  const campaign = await ctx.load(byId, idOf('Campaign', input.id))
  if (!campaign) throw notFound()
  const contactId = input.contactId == null ? null : idOf('Contact', input.contactId, 'contactId')
  const { emails } = input
  const results = await testMessages.sendTestMessages(ctx, { emailId: campaign.emailId, emails, contactId })
  return { campaign, results }
}
