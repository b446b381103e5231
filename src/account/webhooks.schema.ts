import { webhookList } from '../events/index.ts'
import { WebhookConnection, WebhookFilter, WebhookOrder } from '../events/webhooks/webhook.schema.ts'
import { builder } from '../graphql/builder.ts'
import { listArgs, pageCost } from '../graphql/connection.ts'
import { needing } from '../graphql/mutation.ts'
import { allowed } from '../graphql/query.ts'
import { AccountType } from './account.schema.ts'

builder.prismaObjectField(AccountType, 'webhooks', (t) =>
  t.field({
    type: WebhookConnection,
    nullable: true,
    description: needing(
      'events:read',
      'Returns the webhooks of the account. Sorted by creation time, newest first, by default.',
    ),
    args: listArgs(t.arg, WebhookFilter, WebhookOrder),
    complexity: pageCost,
    // A key reads only its own account, so the list of the context's account is that of `_account`.
    resolve: allowed('events:read', (_account, args, ctx) => webhookList.list(ctx, args)),
  }),
)
