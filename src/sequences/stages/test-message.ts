import type { SequenceStage } from '../../../prisma/generated/client/client.ts'
import type { Ctx } from '../../db/context.ts'
import { refuseValue } from '../../kernel/errors.ts'
import { idOf } from '../../kernel/values/ids.ts'
import { testMessages } from '../../mail/index.ts'
import { byId, notFound } from './stages.ts'

/**
 * Sends a stage's e-mail to one address as a test, whether or not the stage is active. Returns the mail server's reply.
 * Throws NOT_FOUND, STAGE_NOT_EMAIL for a stage of another type, and what `testMessages.sendTest` throws.
 */
export async function send(
  ctx: Ctx,
  input: { id: string | number; email: string; contactId?: string | number | null | undefined },
): Promise<{ stage: SequenceStage; answer: string }> {
  const stage = await ctx.load(byId, idOf('SequenceStage', input.id))
  if (!stage) throw notFound()
  if (stage.emailId === null) throw refuseValue('id', 'STAGE_NOT_EMAIL')
  const contactId = input.contactId == null ? null : idOf('Contact', input.contactId, 'contactId')
  const answer = await testMessages.sendTestMessage(ctx, { emailId: stage.emailId, email: input.email, contactId })
  return { stage, answer }
}
