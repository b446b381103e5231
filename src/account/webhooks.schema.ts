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
    description: needing('events:read', 'Where it is told of events, the newest first unless ordered otherwise.'),
    args: listArgs(t.arg, WebhookFilter, WebhookOrder),
    complexity: pageCost,
    // An account reads no other than itself, so its list is that of the key's account.
    resolve: allowed('events:read', (_account, args, ctx) => webhookList.list(ctx, args)),
  }),
)
