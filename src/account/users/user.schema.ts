import { listCost } from '../../graphql/cost/sizes.ts'
import { builder } from '../../graphql/schema/builder.ts'
import { connectionOf } from '../../graphql/schema/connection.ts'
import { requiredId } from '../../graphql/schema/descriptions.ts'
import { filterKind, filterOf } from '../../graphql/schema/filter.ts'
import { deletedNode, mutation } from '../../graphql/schema/mutation.ts'
import { Node, nodeSource } from '../../graphql/schema/node.ts'
import type { Role } from '../../kernel/scopes.ts'
import * as sessions from '../sign-in/sessions.ts'
import * as users from './users.ts'

export const UserRoleType = builder.enumType('UserRole', {
  description: 'What a user of the console may do.',
  values: {
    OWNER: {
      description: 'Everything, including who is an owner. Each account keeps at least one owner, once it has one.',
    },
    ADMIN: { description: 'Everything, except changing who is an owner.' },
    EDITOR: {
      description:
        'Reads everything that has a scope, and writes contacts, e-mails, sequences, campaigns, forms and funnels. Has no access to API keys, and cannot change users, webhooks and sales.',
    },
    ANALYST: { description: 'Reads everything that has a scope.' },
  } satisfies Record<Role, { description: string }>,
})

const SessionType = builder.objectRef<sessions.Session>('Session').implement({
  description:
    'A browser in which a user is signed in. Ends after 30 days without a request, and after 90 days. Only its user can read it.',
  interfaces: [Node],
  fields: (t) => ({
    address: t.exposeString('address', { description: 'IP address from which the user signed in.' }),
    userAgent: t.exposeString('userAgent', {
      description: 'Header `User-Agent` of the browser. Maximum 255 characters. May be empty.',
    }),
    createdAt: t.exposeTime('createdAt', { description: 'Time at which the user signed in.' }),
    usedAt: t.exposeTime('usedAt', { description: 'Time of the last request, exact to a minute.' }),
    isCurrent: t.boolean({
      description: 'Whether this is the session of the request.',
      resolve: ({ id }, _args, ctx) => ctx.user?.sessionId === id,
    }),
  }),
})

nodeSource(SessionType, 'account:read', sessions.byId)

export const UserType = builder.prismaObject('User', {
  description: 'A person who can sign in to the console of the account, by a link in an e-mail.',
  interfaces: [Node],
  fields: (t) => ({
    email: t.exposeString('email', { description: 'E-mail address, in lower case. Unique in the account.' }),
    name: t.exposeString('name', { description: 'Name of the person. Maximum 255 characters. Empty until it is set.' }),
    role: t.expose('role', { type: UserRoleType, description: 'What the user may do.' }),
    createdAt: t.exposeTime('createdAt', { description: 'Time of the first invitation.' }),
    updatedAt: t.exposeTime('updatedAt', { description: 'Time of the last change of the user.' }),
    signedInAt: t.exposeTime('signedInAt', {
      nullable: true,
      description: 'Time at which the user last signed in. Null if the user has not accepted the invitation.',
    }),
    removedAt: t.exposeTime('removedAt', {
      nullable: true,
      description: 'Time at which the user was removed. Null if the user can sign in.',
    }),
    sessions: t.field({
      type: [SessionType],
      nullable: true,
      description:
        'Browsers in which the user is signed in, the last used first. Maximum 50. Null unless it is the user of the request.',
      complexity: listCost('sessions'),
      resolve: ({ id }, _args, ctx) => (ctx.user?.id === id ? ctx.load(sessions.ofUser, id) : null),
    }),
  }),
})

nodeSource(UserType, 'account:read', users.byId)

filterKind('enum UserRole', [UserRoleType])

const UserFilter = filterOf('UserFilterInput', 'users', users.userFilter, {
  id: 'The user itself.',
  email: 'E-mail address.',
  name: 'Name of the person.',
  role: 'One of these roles. An empty list matches nothing.',
  removed: 'Whether the user was removed.',
  createdAt: 'Time of the first invitation.',
  signedInAt: 'Time at which the user last signed in. A user who never signed in does not match.',
  search: 'Words in any order, in the e-mail address and the name.',
})

const UserConnection = connectionOf(UserType, {
  noun: 'users',
  filter: UserFilter,
  orders: { CREATED_AT: 'Time of the first invitation.', EMAIL: 'E-mail address.' },
})

builder.queryField('users', (t) =>
  t.connection(UserConnection, {
    description:
      'Returns the users of the account, including removed users. Sorted by creation time, newest first, by default.',
    resolve: (_root, args, ctx) => users.list(ctx, args),
  }),
)

const nameText = 'Name of the person. Maximum 255 characters. An empty text removes it.'

mutation('userInvite', {
  needs: 'full access',
  description:
    'Creates a user and sends an invitation by e-mail, with a link that signs the user in once within seven days. Restores a removed user with the address. Emits `user.invited`. Throws FORBIDDEN if an administrator or an API key invites an owner, VALIDATION_ERROR if the address already belongs to a user, and QUOTA_EXCEEDED after 100 invitations a day.',
  input: (t) => ({
    email: t.string({ required: true, description: 'E-mail address. Stored in lower case.' }),
    role: t.field({ type: UserRoleType, required: true, description: 'What the user may do.' }),
  }),
  run: users.invite,
  payload: (t) => ({ user: t.expose('user', { type: UserType, description: 'The invited user.' }) }),
})

mutation('userInvitationResend', {
  needs: 'full access',
  description:
    'Sends the invitation of a user again, with a new link that signs the user in once within seven days. Emits `user.invited`. Throws NOT_FOUND, also for a removed user, FORBIDDEN if an administrator or an API key invites an owner, and QUOTA_EXCEEDED after 100 invitations a day.',
  input: (t) => ({ id: t.id(requiredId('the user')) }),
  run: users.resendInvitation,
  payload: (t) => ({ user: t.expose('user', { type: UserType, description: 'The invited user.' }) }),
})

mutation('userUpdate', {
  needs: 'full access',
  description:
    'Changes the name or the role of a user. A role applies to the next request of the user, and ends the open subscriptions. Emits `user.updated` if a field changes. Throws NOT_FOUND, also for a removed user, FORBIDDEN if an administrator or an API key changes an owner or who is one, and INVALID_STATE if no owner would be left.',
  input: (t) => ({
    id: t.id(requiredId('the user')),
    name: t.string({ description: nameText }),
    role: t.field({ type: UserRoleType, description: 'What the user may do from now on.' }),
  }),
  run: users.update,
  lock: (tx, { id }) => users.lock(tx, id),
  payload: (t) => ({ user: t.expose('user', { type: UserType, description: 'The updated user.' }) }),
})

mutation('viewerUpdate', {
  needs: null,
  description:
    'Changes the name of the user of the request. Emits `user.updated` if it changes. Throws FORBIDDEN for an API key.',
  input: (t) => ({ name: t.string({ description: nameText }) }),
  run: users.updateSelf,
  lock: users.lockSelf,
  payload: (t) => ({ user: t.expose('user', { type: UserType, description: 'The user of the request.' }) }),
})

mutation('userRemove', {
  needs: 'full access',
  description:
    'Removes a user, and ends the sessions and open subscriptions of the user. Emits `user.removed`. Throws NOT_FOUND, also for a removed user, FORBIDDEN if an administrator or an API key removes an owner, and INVALID_STATE if no owner would be left.',
  input: (t) => ({ id: t.id(requiredId('the user')) }),
  run: users.remove,
  payload: (t) => ({ user: t.expose('user', { type: UserType, description: 'The removed user.' }) }),
})

mutation('sessionRevoke', {
  needs: null,
  description:
    'Ends a session of the user of the request, and its open subscriptions. Throws NOT_FOUND, also for sessions of others, and FORBIDDEN for an API key.',
  input: (t) => ({ id: t.id(requiredId('the session')) }),
  run: sessions.revoke,
  payload: (t) => deletedNode(t, SessionType),
})

mutation('sessionRevokeOthers', {
  needs: null,
  description:
    'Ends all sessions of the user of the request except the current one, and their open subscriptions. Throws FORBIDDEN for an API key.',
  input: () => ({}),
  run: sessions.revokeOthers,
  payload: (t) => ({ count: t.exposeInt('count', { description: 'Number of ended sessions.' }) }),
})

mutation('sessionEnd', {
  needs: null,
  description:
    'Signs out: ends the session of the request, and its open subscriptions. Throws FORBIDDEN for an API key.',
  input: () => ({}),
  run: sessions.end,
  payload: (t) => deletedNode(t, SessionType),
})
