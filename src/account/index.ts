export * as accounts from './accounts/accounts.ts'
export { own as ownAccount, ownRules as accountRules } from './accounts/accounts.ts'
export { keysChannel } from './accounts/callers.ts'
export { announcePageChange, pageChangesChannel } from './accounts/page-changes.ts'
export * as quotas from './accounts/quotas.ts'
export { countOf, countThisMonth, type Slot, use, usedThisMonth, useToday } from './accounts/quotas.ts'
export { refusedDomainOf } from './accounts/refused-domains.ts'
export { type Admission, newAdmission, RateLimitError } from './admission/admission.ts'
export { findActive, findHolder } from './admission/holders.ts'
export * as accessTokens from './api-keys/access-tokens.ts'
export * as apiKeys from './api-keys/api-keys.ts'
export * as auditLog from './audit-log/audit-log.ts'
export * as documents from './documents/documents.ts'
export { streamExport } from './exports/export-stream.ts'
export type { ExportLink, ExportPage } from './exports/exports.ts'
export * as exportLinks from './exports/exports.ts'
export * as sessions from './sign-in/sessions.ts'
export * as signInLinks from './sign-in/sign-in-links.ts'
export {
  type InvitationPayload,
  invitationJob,
  type SignInPayload,
  signInJob,
} from './sign-in/sign-in-requests.ts'
export { forgetUsers } from './users/retention.ts'
export * as users from './users/users.ts'
