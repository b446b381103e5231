import { builder } from '../../graphql/schema/builder.ts'
import { connectionOf } from '../../graphql/schema/connection.ts'
import { requiredId } from '../../graphql/schema/descriptions.ts'
import { filterKind, filterOf, relevanceDescription } from '../../graphql/schema/filter.ts'
import { mutation } from '../../graphql/schema/mutation.ts'
import { Node, nodeSource } from '../../graphql/schema/node.ts'
import { scopeName } from '../../graphql/schema/query.ts'
import { fullAccess, type KeyScope, type Scope, scopeModules, scopesOf } from '../../kernel/scopes.ts'
import { own as ownAccount } from '../accounts/accounts.ts'
import { UserRoleType, UserType } from '../users/user.schema.ts'
import * as users from '../users/users.ts'
import * as apiKeys from './api-keys.ts'

export const ScopeType = builder.enumType('Scope', {
  description: 'Permission of an API key: to read or write the objects of one module, or full access.',
  values: Object.fromEntries([
    ...scopeModules.flatMap((module) =>
      (['read', 'write'] as const).map((verb) => [
        scopeName(`${module}:${verb}`),
        {
          value: `${module}:${verb}` as Scope,
          description: `${verb === 'read' ? 'Read' : 'Create, update and delete'} the objects of the module \`${module}\`.`,
        },
      ]),
    ),
    [
      'FULL_ACCESS',
      {
        value: fullAccess,
        description:
          'All permissions, including those for the account and its API keys. Cannot be combined with other scopes.',
      },
    ],
  ]) as Record<string, { value: KeyScope; description: string }>,
})

const Viewer = builder.objectRef<object>('Viewer').implement({
  description: 'API key or user of the current request, and its account.',
  fields: (t) => ({
    email: t.string({
      description: 'E-mail address of the account owner.',
      resolve: async (_v, _a, ctx) => (await ownAccount(ctx)).email,
    }),
    accountName: t.string({
      description: 'Name of the account.',
      resolve: async (_v, _a, ctx) => (await ownAccount(ctx)).name,
    }),
    keyName: t.string({
      description: 'Name of the API key. May be empty, and is for a user.',
      resolve: (_v, _a, ctx) => apiKeys.ownKeyName(ctx),
    }),
    scopes: t.field({
      type: [ScopeType],
      nullable: true,
      description: 'Scopes of the API key or of the role. Null for full access.',
      resolve: (_v, _a, ctx) => (ctx.scopes ? [...ctx.scopes] : null),
    }),
    user: t.field({
      type: UserType,
      nullable: true,
      description: 'The user who is signed in. Null for an API key.',
      resolve: (_v, _a, ctx) => (ctx.user ? ctx.load(users.byId, ctx.user.id) : null),
    }),
    role: t.field({
      type: UserRoleType,
      nullable: true,
      description: 'Role of the user who is signed in. Null for an API key.',
      resolve: (_v, _a, ctx) => ctx.user?.role ?? null,
    }),
  }),
})

export const ApiKeyType = builder.prismaObject('ApiKey', {
  description: 'An API key of the account. The secret is returned once, by `apiKeyCreate`.',
  interfaces: [Node],
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name of the key. May be empty.' }),
    prefix: t.exposeString('prefix', { description: 'First 10 characters of the secret, to recognise the key.' }),
    scopes: t.field({
      type: [ScopeType],
      nullable: true,
      description: 'Scopes of the key. Null if the key has full access.',
      resolve: ({ scopes }) => scopesOf(scopes)?.slice() ?? null,
    }),
    createdAt: t.exposeTime('createdAt', { description: 'Time of creation.' }),
    updatedAt: t.exposeTime('updatedAt', { description: 'Time of the last change of the key.' }),
    createdBy: t.node('createdByUserId', {
      type: UserType,
      description: 'The user who created the key. Null if a key or an operator created it, or if the user was deleted.',
    }),
    lastUsedAt: t.exposeTime('lastUsedAt', {
      nullable: true,
      description: 'Time of the last request with the key, exact to a minute. Null if it was never used.',
    }),
    disabledAt: t.exposeTime('disabledAt', {
      nullable: true,
      description:
        'Time at which the key was disabled. Null if the key is active. A disabled key cannot be enabled again.',
    }),
  }),
})

nodeSource(ApiKeyType, 'full access', apiKeys.byId)

filterKind('enum Scope', [ScopeType])

const ApiKeyFilter = filterOf('ApiKeyFilterInput', 'API keys', apiKeys.keyFilter, {
  id: 'The key itself.',
  name: 'Name.',
  prefix: 'First 10 characters of the secret.',
  scopes: 'At least one of these scopes. A key with full access has only `FULL_ACCESS`.',
  disabled: 'Whether the key is disabled.',
  createdAt: 'Time of creation.',
  lastUsedAt: 'Time of the last request with the key, exact to a minute. A key that was never used does not match.',
  disabledAt: 'Time at which the key was disabled. An active key does not match.',
  search: 'Words in any order, in the name and the first 10 characters of the secret.',
})

const ApiKeyConnection = connectionOf(ApiKeyType, {
  noun: 'API keys',
  filter: ApiKeyFilter,
  orders: {
    CREATED_AT: 'Time of creation.',
    NAME: 'Name, in the order of a dictionary.',
    RELEVANCE: relevanceDescription,
  },
})

builder.queryFields((t) => ({
  viewer: t.field({
    type: Viewer,
    description:
      'Returns the API key or the user of the current request, and the account. Every valid key may read it.',
    resolve: () => ({}),
  }),
  apiKeys: t.connection(ApiKeyConnection, {
    description:
      'Returns the API keys of the account, including disabled keys. Sorted by creation time, newest first, by default.',
    resolve: (_root, args, ctx) => apiKeys.list(ctx, args),
  }),
}))

mutation('apiKeyCreate', {
  needs: 'full access',
  description:
    'Creates an API key and returns its secret, which cannot be read again. Throws FORBIDDEN if the account is on the free trial. Throws VALIDATION_ERROR if an idempotency key is sent, because the response contains a secret and is not stored.',
  isStored: false,
  input: (t) => ({
    name: t.string({ description: 'Name of the key. Maximum 255 characters. Defaults to an empty string.' }),
    scopes: t.field({
      type: [ScopeType],
      description: 'Scopes of the key: at least one, or `FULL_ACCESS` alone. Duplicates are ignored.',
    }),
  }),
  run: apiKeys.createOwn,
  payload: (t) => ({
    apiKey: t.expose('apiKey', { type: ApiKeyType, description: 'The created key, without its secret.' }),
    key: t.exposeString('key', {
      description:
        'Secret to send in the header `Authorization: Bearer <key>`. Store it, because it cannot be read again.',
    }),
  }),
})

mutation('apiKeyUpdate', {
  needs: 'full access',
  description:
    'Renames an API key. The scopes of a key cannot be changed: create another key, and disable this one. Throws NOT_FOUND if the account has no such key.',
  input: (t) => ({
    id: t.id(requiredId('the key')),
    name: t.string({ description: 'Name of the key. Maximum 255 characters.' }),
  }),
  run: apiKeys.update,
  lock: (tx, { id }) => apiKeys.lock(tx, id),
  payload: (t) => ({
    apiKey: t.expose('apiKey', { type: ApiKeyType, description: 'The renamed key.' }),
  }),
})

mutation('apiKeyDisable', {
  needs: 'full access',
  description:
    'Disables an API key permanently. Requests with it return UNAUTHORIZED from then on. Idempotent. Throws NOT_FOUND if the account has no such key.',
  input: (t) => ({ id: t.id(requiredId('the key')) }),
  run: apiKeys.disable,
  payload: (t) => ({
    apiKey: t.expose('apiKey', { type: ApiKeyType, description: 'The disabled key.' }),
  }),
})
