export * as accounts from './accounts.ts'
export { own as ownAccount, spanFor } from './accounts.ts'
export { type Admission, newAdmission, RateLimitError } from './admission.ts'
export * as apiKeys from './api-keys.ts'
export * as auditLog from './audit-log.ts'
export { keysChannel } from './callers.ts'
export * as documents from './documents.ts'
export { streamExport } from './export-stream.ts'
export type { ExportLink, Stretch } from './exports.ts'
export * as exportLinks from './exports.ts'
export { findActive, findHolder } from './holders.ts'
export { announcePageChange, pageChangesChannel } from './page-changes.ts'
export * as quotas from './quota.ts'
export { countOf, countThisMonth, type Slot, use, usedThisMonth, useToday } from './quota.ts'
export { forgetUsers } from './retention.ts'
export * as sessions from './sessions.ts'
export * as signInLinks from './sign-in-links.ts'
export {
  type InvitationPayload,
  invitationJob,
  type SignInPayload,
  signInJob,
} from './sign-in-requests.ts'
export * as streamTokens from './stream-tokens.ts'
export * as users from './users.ts'
