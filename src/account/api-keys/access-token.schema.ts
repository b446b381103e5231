import { mutation } from '../../graphql/schema/mutation.ts'
import * as accessTokens from './access-tokens.ts'
import { ScopeType } from './api-key.schema.ts'

mutation('accessTokenCreate', {
  needs: null,
  description:
    'Creates a token with which a browser reads without the key: in the header `Authorization`, in the `connection_init` of a socket, or in the query parameter `accessToken`, because `EventSource` cannot send a header. It executes subscriptions, or the trusted documents that are named, with the given scopes; never a mutation. It becomes invalid when it expires and when its key is disabled; its streams then end.\n\nThrows FORBIDDEN if the key lacks one of the scopes. Throws VALIDATION_ERROR if an idempotency key is sent, because the response contains a secret and is not stored.\n\nNeeds the scopes that the token gets.',
  isStored: false,
  input: (t) => ({
    scopes: t.field({
      type: [ScopeType],
      required: true,
      description: 'Scopes of the token: at least one. Only scopes to read that the key has.',
    }),
    documents: t.stringList({
      description:
        'SHA-256 hashes (hexadecimal) of trusted documents of this server, at most 50. The token executes these queries and subscriptions, and nothing else. Without them, it executes all subscriptions and no queries.',
    }),
    ttlSeconds: t.int({ description: 'Seconds until the token expires. Defaults to 300. Maximum 900.' }),
  }),
  run: accessTokens.create,
  payload: (t) => ({
    token: t.exposeString('token', {
      description: 'Token to send as `Authorization: Bearer <token>`. It cannot be read again.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      description: 'Time at which the token expires and its streams end.',
    }),
  }),
})
