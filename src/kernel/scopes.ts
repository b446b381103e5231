import { Refusal } from './errors.ts'

/** The modules of the product. Each has a scope to read its data and one to write it. */
export const scopeModules = [
  'events',
  'account',
  'contacts',
  'media',
  'mail',
  'sequences',
  'campaigns',
  'finance',
  'forms',
  'funnels',
] as const

/** Permission of a key to read or write the data of one module. */
export type Scope = `${(typeof scopeModules)[number]}:${'read' | 'write'}`

/** All scopes. */
export const scopes = scopeModules.flatMap((name): Scope[] => [`${name}:read`, `${name}:write`])

/** Stored in place of scopes by a key or a webhook that has full access. */
export const fullAccess = 'full_access'

/** A scope, or `full_access`. */
export type KeyScope = Scope | typeof fullAccess

/** Returns the scopes that a key or a webhook is stored with; undefined if it has full access. */
export function scopesOf(stored: readonly string[]): readonly Scope[] | undefined {
  return stored.includes(fullAccess) ? undefined : (stored as readonly Scope[])
}

/** Returns scopes as they are stored: sorted, without duplicates. Undefined means full access. */
export function storedScopes(scopes: readonly Scope[] | undefined): string[] {
  return scopes === undefined ? [fullAccess] : [...new Set(scopes)].sort()
}

/** What a user of the console can be, from the most to the fewest permissions. */
export const roles = ['OWNER', 'ADMIN', 'EDITOR', 'ANALYST'] as const

export type Role = (typeof roles)[number]

/** Modules that an editor writes. */
const editedModules: readonly string[] = ['contacts', 'media', 'mail', 'sequences', 'campaigns', 'forms', 'funnels']

const readScopes = scopes.filter((scope) => scope.endsWith(':read'))
const editorScopes = scopes.filter((scope) => scope.endsWith(':read') || editedModules.includes(moduleOf(scope)))

/** Returns the scopes of a role; undefined if it has full access. */
export function scopesOfRole(role: Role): readonly Scope[] | undefined {
  if (role === 'OWNER' || role === 'ADMIN') return undefined
  return role === 'EDITOR' ? editorScopes : readScopes
}

function moduleOf(scope: Scope): string {
  return scope.slice(0, scope.indexOf(':'))
}

/** What makes a change on behalf of no API key. `id` is that of the import or the stage. */
export interface Actor {
  readonly kind: 'VISITOR' | 'IMPORT' | 'SEQUENCE_STAGE' | 'MAIL_PROVIDER'
  readonly id?: number
}

/** A user of the console, by the session that sent a request. */
export interface SignedInUser {
  readonly id: number
  readonly sessionId: number
  readonly role: Role
}

/** The account, and the key or the user, that a request or a job acts for. Without `scopes`, it has full access. */
export interface Caller {
  readonly accountId: number
  readonly keyId?: number | undefined
  readonly user?: SignedInUser | undefined
  /** What changes contacts. Absent if it is the key, the user, or a background job. */
  readonly actor?: Actor | undefined
  /** The bulk job that changes contacts for the key. */
  readonly bulkJobId?: number | undefined
  readonly scopes?: readonly Scope[] | undefined
  /** IP address from which the request came. Undefined for jobs. */
  readonly address?: string | undefined
}

/**
 * Returns the text that identifies the key or the session of a caller, in streams and in signed links. Empty if there is neither.
 * It contains the role, so that a change of the role ends what was created with the old one.
 */
export function holderOf({ keyId, user }: Pick<Caller, 'keyId' | 'user'>): string {
  if (keyId !== undefined) return `k${keyId}`
  return user ? `s${user.sessionId}:${user.role}` : ''
}

/** Returns whether the caller's key has the scope. */
export function may(caller: Pick<Caller, 'scopes'>, scope: KeyScope): boolean {
  return caller.scopes === undefined || (scope !== fullAccess && caller.scopes.includes(scope))
}

/** FORBIDDEN: the key lacks a scope or full access. */
export class MissingScope extends Refusal {
  readonly scope: KeyScope

  constructor(scope: KeyScope) {
    super('FORBIDDEN', scope === fullAccess ? 'This requires a key with full access.' : lackOf(scope))
    this.scope = scope
  }

  override within(): this {
    return this
  }
}

/** Returns the message for a scope that a key lacks, in the spelling of the API that answers. */
export function lackOf(scope: string): string {
  return `This key lacks the scope ${scope}.`
}

/** Throws FORBIDDEN unless the caller's key has the scope. */
export function mustBeAllowed(caller: Caller, scope: KeyScope): void {
  if (!may(caller, scope)) throw new MissingScope(scope)
}
