import type { FailureCause } from '../../prisma/generated/client/client.ts'
import { declareEvents } from '../events/index.ts'

/** Either `campaignId` or `stageId` is set. */
const sample = { contactId: 1, campaignId: 1 as number | null, stageId: null as number | null }

export const mailEvents = {
  ...declareEvents(
    { kind: 'MessageEvent', needs: 'mail:read', sample },
    {
      'email.sent': 'The mail server accepted a message.',
      'email.complained': 'A recipient reported a message as spam.',
      'email.opened': 'A message was opened for the first time.',
    },
  ),
  ...declareEvents(
    { kind: 'MessageEvent', needs: 'mail:read', sample: { ...sample, cause: 'ADDRESS_UNKNOWN' as FailureCause } },
    { 'email.bounced': 'A message bounced permanently. The event contains the cause.' },
  ),
  ...declareEvents(
    { kind: 'MessageEvent', needs: 'mail:read', sample: { ...sample, url: 'https://example.com/' } },
    { 'email.clicked': 'A link in a message was clicked for the first time.' },
  ),
}

type MailEvents = typeof mailEvents

declare module '../events/index.ts' {
  interface DeclaredEvents extends MailEvents {}
}
