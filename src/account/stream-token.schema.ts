import { builder } from '../graphql/builder.ts'
import { atPath } from '../kernel/errors.ts'
import { ScopeType } from './api-key.schema.ts'
import { streamTokens } from './index.ts'

const StreamTokenCreateInput = builder.inputType('StreamTokenCreateInput', {
  description: 'Input of `streamTokenCreate`.',
  fields: (t) => ({
    scopes: t.field({
      type: [ScopeType],
      required: true,
      description: 'Scopes of the token: at least one. Only scopes to read that the key has.',
    }),
    ttlSeconds: t.int({ description: 'Seconds until the token expires. Defaults to 300. Maximum 900.' }),
  }),
})

const StreamTokenCreatePayload = builder
  .objectRef<{ token: string; expiresAt: Date }>('StreamTokenCreatePayload')
  .implement({
    description: 'Result of `streamTokenCreate`.',
    fields: (t) => ({
      token: t.exposeString('token', {
        description: 'Token to send in the query parameter `streamToken` of a subscription. It cannot be read again.',
      }),
      expiresAt: t.expose('expiresAt', {
        type: 'DateTime',
        description: 'Time at which the token expires and its streams end.',
      }),
    }),
  })

builder.mutationField('streamTokenCreate', (t) =>
  t.field({
    type: StreamTokenCreatePayload,
    description:
      'Creates a token with which a browser subscribes over server-sent events. `EventSource` cannot send a header, so the token is sent in the query parameter `streamToken` of `/graphql`. It executes subscriptions only, with the given scopes. It becomes invalid when it expires and when its key is disabled; its streams then end.\n\nThrows FORBIDDEN if the key lacks one of the scopes. Throws VALIDATION_ERROR if an idempotency key is sent, because the response contains a secret and is not stored.\n\nNeeds the scopes that the token gets.',
    args: {
      input: t.arg({ type: StreamTokenCreateInput, required: true, description: 'Input of `streamTokenCreate`.' }),
    },
    complexity: 10,
    resolve: (_root, { input }, ctx) => atPath('input', () => streamTokens.create(ctx, input)),
  }),
)
