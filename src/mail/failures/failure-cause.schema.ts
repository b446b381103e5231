import { builder } from '../../graphql/schema/builder.ts'
import { filterKind } from '../../graphql/schema/filter.ts'

export const FailureCauseType = builder.enumType('FailureCause', {
  description: 'Why a message was not delivered, as judged from the reply of the mail server or the report of it.',
  values: {
    ADDRESS_UNKNOWN: { description: 'The address does not exist or has moved. Suppresses it.' },
    DOMAIN_UNKNOWN: { description: 'The domain does not exist or accepts no e-mail. Suppresses the address.' },
    MAILBOX_DISABLED: { description: 'The mailbox is disabled. Suppresses the address.' },
    MAILBOX_FULL: { description: 'The mailbox is full. Counts as a soft bounce.' },
    POLICY: { description: 'A rule of the receiving server. A problem of the sender.' },
    AUTHENTICATION: {
      description: 'SPF, DKIM, DMARC or the name of the sending server could not be verified. A problem of the sender.',
    },
    BLOCK_LIST: { description: 'The sending server or domain is on a block list. A problem of the sender.' },
    RATE: { description: 'Too many messages or connections. Tried again. A problem of the sender.' },
    CONTENT: { description: 'The content was refused, for example as spam. A problem of the sender.' },
    TOO_LARGE: { description: 'The message is too large. A problem of the sender.' },
    SENDER: { description: 'The sender address was refused. A problem of the sender.' },
    NETWORK: { description: 'The receiving server did not answer or failed. Counts as a soft bounce.' },
    UNKNOWN: { description: 'The reply gives no cause. Counts as a soft bounce.' },
  },
})

filterKind('enum FailureCause', [FailureCauseType])
