import type { SequenceStage } from '../../../prisma/generated/client/client.ts'
import type { Ctx } from '../../db/context.ts'
import { refuseValue } from '../../kernel/errors.ts'
import { idOf } from '../../kernel/values/ids.ts'
import { testMessages } from '../../mail/index.ts'
import { byId, notFound } from './stages.ts'

/**
 * Sends a stage's e-mail to some addresses as a test, whether or not the stage is active. Returns what became of each message.
 * Throws NOT_FOUND, STAGE_NOT_EMAIL for a stage of another type, and what `testMessages.sendTestMessages` throws.
 */
export async function send(
  ctx: Ctx,
  input: { id: string | number; emails: readonly string[]; contactId?: string | number | null | undefined },
): Promise<{ stage: SequenceStage; results: testMessages.TestMessage[] }> {
  const stage = await ctx.load(byId, idOf('SequenceStage', input.id))
  if (!stage) throw notFound()
  if (stage.emailId === null) throw refuseValue('id', 'STAGE_NOT_EMAIL')
  const contactId = input.contactId == null ? null : idOf('Contact', input.contactId, 'contactId')
  const { emails } = input
  const results = await testMessages.sendTestMessages(ctx, { emailId: stage.emailId, emails, contactId })
  return { stage, results }
}
