import { webhookList } from '../events/index.ts'
import { WebhookConnection } from '../events/webhooks/webhook.schema.ts'
import { builder } from '../graphql/builder.ts'
import { AccountType } from './account.schema.ts'

builder.prismaObjectField(AccountType, 'webhooks', (t) =>
  t.connection(WebhookConnection, {
    description: 'Returns the webhooks of the account. Sorted by creation time, newest first, by default.',
    // A key reads only its own account, so the list of the context's account is that of `_account`.
    resolve: (_account, args, ctx) => webhookList.list(ctx, args),
  }),
)
