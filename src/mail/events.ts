import type { FailureCause } from '../../prisma/generated/client/client.ts'
import { declareEvents } from '../events/index.ts'

const needs = 'mail:read'

/** Either `campaignId` or `stageId` is set. */
const sample = { contactId: 1, campaignId: 1 as number | null, stageId: null as number | null }

export const mailEvents = {
  ...declareEvents(
    { kind: 'EmailTemplateChangeEvent', needs: 'mail:read', sample: { emailTemplateId: 1 }, isEdit: true },
    {
      'email_template.created': 'A template was created.',
      'email_template.updated': 'A template was updated.',
      'email_template.deleted': 'A template was deleted.',
    },
  ),
  ...declareEvents(
    { kind: 'MessageEvent', needs, sample },
    {
      'email.sent': 'The mail server accepted a message.',
      'email.complained': 'A recipient reported a message as spam.',
      'email.opened': 'A message was opened for the first time.',
    },
  ),
  ...declareEvents(
    { kind: 'MessageEvent', needs, sample: { ...sample, cause: 'ADDRESS_UNKNOWN' as FailureCause } },
    { 'email.bounced': 'A message bounced permanently. The event contains the cause.' },
  ),
  ...declareEvents(
    { kind: 'MessageEvent', needs, sample: { ...sample, url: 'https://example.com/' } },
    { 'email.clicked': 'A link in a message was clicked for the first time.' },
  ),
  ...declareEvents(
    { kind: 'SenderDomainChangeEvent', needs, sample: { senderDomainId: 1 }, isEdit: true },
    {
      'sender_domain.created': 'A sender domain was added.',
      'sender_domain.verified': 'A DNS record proved control of a sender domain.',
      'sender_domain.failed':
        'A verified sender domain became unverified, because its records were missing for a week.',
      'sender_domain.updated':
        'A check of a sender domain found other DNS records or another problem than before, and its verification did not change.',
      'sender_domain.deleted': 'A sender domain was removed.',
    },
  ),
  ...declareEvents(
    { kind: 'SenderProblemChangeEvent', needs, sample: { senderProblemId: 1 }, isEdit: true },
    {
      'sender_problem.created':
        'A receiving domain refused a message for a fault of the sender, for the first time with this cause in 30 days. Further refusals emit no event.',
      'sender_problem.deleted': 'A problem of the sender was deleted, because no message was refused for 30 days.',
    },
  ),
  ...declareEvents(
    { kind: 'DkimKeyChangeEvent', needs, sample: { dkimKeyId: 1 }, isEdit: true },
    {
      'dkim_key.created': 'A DKIM key was set for a domain that had none.',
      'dkim_key.updated': 'The DKIM key of a domain was replaced.',
      'dkim_key.deleted': 'The DKIM key of a domain was deleted.',
    },
  ),
  ...declareEvents(
    {
      kind: 'SuppressionChangeEvent',
      needs,
      sample: { suppressionId: 1, contactId: null as number | null },
      isEdit: true,
    },
    {
      'suppression.created': 'An address was suppressed: by hand, after a bounce or a complaint, or by a merge.',
      'suppression.updated': 'A complaint replaced the reason of a suppression.',
      'suppression.deleted': 'A suppression was removed, by hand or by the erasure of a person.',
    },
  ),
}

type MailEvents = typeof mailEvents

declare module '../events/index.ts' {
  interface DeclaredEvents extends MailEvents {}
}
