import { expect } from 'vitest'
import type { Announcement } from './mutations.ts'

/** The events of the mutations of accounts, API keys, users and sessions. */
export const accountAnnouncements: Readonly<Record<string, Announcement>> = {
  accountUpdate: {
    input: () => ({ name: 'x' }),
    select: 'account { id }',
    events: () => [['account.updated', { accountId: expect.any(Number) }]],
  },
  apiKeyCreate: {
    input: () => ({ scopes: ['FULL_ACCESS'] }),
    select: 'key',
    events: () => [['api_key.created', { apiKeyId: expect.any(Number) }]],
  },
  apiKeyUpdate: {
    input: ({ key }) => ({ id: key, name: 'x' }),
    select: 'apiKey { id }',
    events: ({ key }) => [['api_key.updated', { apiKeyId: key }]],
  },
  apiKeyDisable: {
    input: ({ key }) => ({ id: key }),
    select: 'apiKey { id }',
    events: ({ key }) => [['api_key.disabled', { apiKeyId: key }]],
  },
  // A token is signed, and not stored.
  accessTokenCreate: { input: () => ({ scopes: ['CONTACTS_READ'] }), select: 'token', events: () => [] },
  userInvite: {
    input: () => ({ email: 'new@example.com', role: 'ANALYST' }),
    select: 'user { id }',
    events: () => [['user.invited', { userId: expect.any(Number) }]],
  },
  userInvitationResend: {
    input: ({ user }) => ({ id: user }),
    select: 'user { id }',
    events: ({ user }) => [['user.invited', { userId: user }]],
  },
  userUpdate: {
    input: ({ user }) => ({ id: user, role: 'ANALYST' }),
    select: 'user { id }',
    events: ({ user }) => [['user.updated', { userId: user }]],
  },
  viewerUpdate: {
    input: () => ({ name: 'Ada' }),
    select: 'user { id }',
    events: ({ user }) => [['user.updated', { userId: user }]],
    isOfUser: true,
  },
  userRemove: {
    input: ({ user }) => ({ id: user }),
    select: 'user { id }',
    events: ({ user }) => [['user.removed', { userId: user }]],
  },
  // Sessions have no events: a front end lists those of its user only.
  sessionRevoke: {
    input: ({ session }) => ({ id: session }),
    select: 'deletedSessionDatabaseId',
    events: () => [],
    isOfUser: true,
  },
  sessionRevokeOthers: { input: () => ({}), select: 'count', events: () => [], isOfUser: true },
  sessionEnd: { input: () => ({}), select: 'deletedSessionDatabaseId', events: () => [], isOfUser: true },
}
