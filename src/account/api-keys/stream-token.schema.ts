import { mutation } from '../../graphql/schema/mutation.ts'
import { ScopeType } from './api-key.schema.ts'
import * as streamTokens from './stream-tokens.ts'

mutation('streamTokenCreate', {
  needs: null,
  description:
    'Creates a token with which a browser subscribes over server-sent events. `EventSource` cannot send a header, so the token is sent in the query parameter `streamToken` of `/graphql`. It executes subscriptions only, with the given scopes. It becomes invalid when it expires and when its key is disabled; its streams then end.\n\nThrows FORBIDDEN if the key lacks one of the scopes. Throws VALIDATION_ERROR if an idempotency key is sent, because the response contains a secret and is not stored.\n\nNeeds the scopes that the token gets.',
  isStored: false,
  input: (t) => ({
    scopes: t.field({
      type: [ScopeType],
      required: true,
      description: 'Scopes of the token: at least one. Only scopes to read that the key has.',
    }),
    ttlSeconds: t.int({ description: 'Seconds until the token expires. Defaults to 300. Maximum 900.' }),
  }),
  run: streamTokens.create,
  payload: (t) => ({
    token: t.exposeString('token', {
      description: 'Token to send in the query parameter `streamToken` of a subscription. It cannot be read again.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      description: 'Time at which the token expires and its streams end.',
    }),
  }),
})
