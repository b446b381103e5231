import { eventObject, resourceFields } from '../events/feed/event-object.schema.ts'
import { builder } from '../graphql/schema/builder.ts'
import { AccountType } from './accounts/account.schema.ts'
import type { Slot } from './accounts/quotas.ts'
import { ApiKeyType } from './api-keys/api-key.schema.ts'
import { UserType } from './users/user.schema.ts'

const QuotaSlot = builder.enumType('QuotaSlot', {
  description: 'A metered resource of an account.',
  values: {
    CONTACTS: { value: 'contacts', description: 'Contacts of the account.' },
    CAMPAIGNS: { value: 'campaigns', description: 'Campaigns of the account.' },
    FUNNELS: { value: 'funnels', description: 'Funnels of the account.' },
    EMAILS: { value: 'emails', description: 'E-mails sent in the current calendar month.' },
    MONTHLY_RECIPIENTS: {
      value: 'monthly_recipients',
      description: 'Different recipients in the current calendar month.',
    },
    MEDIA: { value: 'media', description: 'Kilobytes of media files and their variants.' },
  } satisfies Record<Uppercase<Slot>, { value: Slot; description: string }>,
})

eventObject('QuotaEvent', 'The account reached the limit of a quota.', (t) => ({
  slot: t.field({
    type: QuotaSlot,
    description: 'The quota whose limit was reached.',
    resolve: ({ data }) => data.slot as Slot,
  }),
  limit: t.int({ description: 'Limit of the quota.', resolve: ({ data }) => data.limit }),
  used: t.int({ description: 'Current usage.', resolve: ({ data }) => data.used }),
}))

eventObject('AccountChangeEvent', 'The account was updated.', (t) => resourceFields(t, 'account', AccountType))

eventObject('ApiKeyChangeEvent', 'An API key was created, updated or disabled.', (t) =>
  resourceFields(t, 'apiKey', ApiKeyType),
)

eventObject('UserEvent', 'A user was invited, updated or removed.', (t) => resourceFields(t, 'user', UserType))
