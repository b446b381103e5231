import type { Plan } from '../../../prisma/generated/client/client.ts'
import type { Ctx } from '../../db/context.ts'
import { hint } from '../../db/jobs/listen.ts'
import { emitAll } from '../../events/index.ts'
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

/** Disables the active keys of the account, or one of them. **Emits** `api_key.disabled`. */
export async function disableKeys(tx: Ctx, id?: number): Promise<void> {
  const now = tx.clock.now()
  const disabled = await tx.db.apiKey.updateManyAndReturn({
    where: { accountId: tx.accountId, disabledAt: null, ...(id !== undefined && { id }) },
    data: { disabledAt: now, updatedAt: now },
    select: { id: true },
  })
  await emitAll(
    tx,
    'api_key.disabled',
    disabled.map((key) => ({ apiKeyId: key.id })),
  )
  await hint(tx, keysChannel)
}
