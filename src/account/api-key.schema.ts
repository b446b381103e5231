import { builder } from '../graphql/builder.ts'
import { connectionOf, listArgs, orderOf, pageCost } from '../graphql/connection.ts'
import { asOfNow, mutation, needing } from '../graphql/mutation.ts'
import { Node, nodeSource } from '../graphql/node.ts'
import { allowed } from '../graphql/query.ts'
import { fullAccess, type Scope, scopeModules, scopesOf } from '../kernel/scopes.ts'
import type { KeyScope } from './api-keys.ts'
import { apiKeys, ownAccount } from './index.ts'

const ScopeType = builder.enumType('Scope', {
  description: 'What a key may do: read or write in one part of the graph, or everything.',
  values: Object.fromEntries([
    ...scopeModules.flatMap((module) =>
      (['read', 'write'] as const).map((verb) => [
        `${module}_${verb}`.toUpperCase(),
        {
          value: `${module}:${verb}` as Scope,
          description: `${verb === 'read' ? 'See' : 'Change'} what belongs to ${module}.`,
        },
      ]),
    ),
    ['FULL_ACCESS', { value: fullAccess, description: 'Everything, keys and the account included. Stands alone.' }],
  ]) as Record<string, { value: KeyScope; description: string }>,
})

const Viewer = builder.objectRef<object>('Viewer').implement({
  description: 'Who is asking: the key of this request, and whose it is.',
  fields: (t) => ({
    email: t.string({
      description: 'Where the owner of the account can be reached.',
      resolve: async (_v, _a, ctx) => (await ownAccount(ctx)).email,
    }),
    accountName: t.string({
      description: 'What the account is called.',
      resolve: async (_v, _a, ctx) => (await ownAccount(ctx)).name,
    }),
    keyName: t.string({ description: 'What the key is called.', resolve: (_v, _a, ctx) => apiKeys.nameOfOwn(ctx) }),
    scopes: t.field({
      type: [ScopeType],
      nullable: true,
      description: 'What the key may do; null where it may do everything.',
      resolve: (_v, _a, ctx) => (ctx.scopes ? [...ctx.scopes] : null),
    }),
  }),
})

export const ApiKeyType = builder.prismaObject('ApiKey', {
  description: 'A way in for a program. The key itself is shown once, when it is made.',
  interfaces: [Node],
  findUnique: ({ accountId, id }) => ({ accountId_id: { accountId, id } }),
  fields: (t) => ({
    name: t.exposeString('name', { description: 'What it is called.' }),
    prefix: t.exposeString('prefix', { description: 'How the key begins, to tell one from another.' }),
    scopes: t.field({
      type: [ScopeType],
      nullable: true,
      description: 'What it may do; null where it may do everything.',
      resolve: ({ scopes }) => scopesOf(scopes)?.slice() ?? null,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
    disabledAt: t.expose('disabledAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was disabled, for good.',
    }),
  }),
})

nodeSource('ApiKey', 'full access', apiKeys.byId)

const ApiKeyConnection = connectionOf('ApiKey', ApiKeyType, 'API keys')

const ApiKeyFilter = builder.inputType('ApiKeyFilter', {
  description: 'Which API keys a list is about.',
  fields: (t) => ({ disabled: t.boolean({ description: 'Those that are, or are not, disabled.' }) }),
})

const ApiKeyOrder = orderOf(
  'ApiKey',
  'API keys',
  { CREATED_AT: 'When they were made.' },
  { field: 'CREATED_AT', direction: 'DESC' },
)

builder.queryFields((t) => ({
  viewer: t.field({ type: Viewer, description: 'Who is asking. Any valid key may ask this.', resolve: () => ({}) }),
  apiKeys: t.field({
    type: ApiKeyConnection,
    description: needing(
      'full access',
      'The keys of the account, disabled ones too; the newest first unless ordered otherwise.',
    ),
    args: listArgs(t.arg, ApiKeyFilter, ApiKeyOrder),
    complexity: pageCost,
    resolve: allowed('full access', (_root, args, ctx) => apiKeys.list(ctx, args)),
  }),
}))

mutation('apiKeyCreate', {
  needs: 'full access',
  description:
    'Makes a key and shows it, this once. A trial account cannot have keys. An idempotency key is refused: the answer holds a secret.',
  isStored: false,
  input: (t) => ({
    name: t.string({ description: 'What to call it.' }),
    scopes: t.field({
      type: [ScopeType],
      description: 'What it may do. Required: at least one scope, or `FULL_ACCESS` alone. A repeat counts once.',
    }),
  }),
  run: apiKeys.createOwn,
  payload: (t) => ({
    apiKey: t.field({
      type: ApiKeyType,
      description: 'The key without its secret.',
      resolve: (result) => result.apiKey,
    }),
    key: t.exposeString('key', { description: 'The key itself: keep it, it is not shown again.' }),
  }),
})

mutation('apiKeyDisable', {
  needs: 'full access',
  description: 'Disables a key for good; requests with it are refused from now on. Safe to repeat.',
  input: (t) => ({ id: t.id({ required: true, description: 'The key, by global id or integer.' }) }),
  run: apiKeys.disable,
  payload: (t) => ({
    apiKey: t.field({
      type: ApiKeyType,
      description: 'The key, disabled.',
      resolve: asOfNow(apiKeys.byId, (result) => result.apiKey),
    }),
  }),
})
