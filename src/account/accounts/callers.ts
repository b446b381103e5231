import type { Plan } from '../../../prisma/generated/client/client.ts'
import type { Scope } from '../../kernel/scopes.ts'

/** NOTIFY channel for changes of API keys, users and sessions. Processes then clear their cache of callers. */
export const keysChannel = 'campanile_keys'

/** Account, scopes and limits of an API key or of a session. */
export interface Caller {
  readonly accountId: number
  readonly scopes: readonly Scope[] | undefined
  /** Share of COST_LIMIT_PER_MINUTE that the plan of the account allows, from 0 to 1. */
  readonly costShare: number
}

/** Share of COST_LIMIT_PER_MINUTE per plan. Trial accounts have sessions, but no keys. */
export const costShares: Readonly<Record<Plan, number>> = { FREE_TRIAL: 0.25, STARTER: 0.5, PRO: 1, UNLIMITED: 1 }
