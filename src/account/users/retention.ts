import type { System } from '../../db/context.ts'
import { removeOld } from '../../db/upkeep/retention.ts'
import { sessionMaxDays } from '../../kernel/web/session-cookie.ts'
import { sessionIdleDays } from '../sign-in/sessions.ts'

/** Returns the job that deletes expired sessions and links, and users that were removed more than `keptDays` ago. */
export function forgetUsers(keptDays: number): (system: System) => Promise<void> {
  return async (system) => {
    await removeOld(system, { table: 'sign_in_link', since: 'expires_at', keptDays: 0 })
    await removeOld(system, { table: 'session', since: 'used_at', keptDays: sessionIdleDays })
    await removeOld(system, { table: 'session', since: 'created_at', keptDays: sessionMaxDays })
    await removeOld(system, { table: '"user"', since: 'removed_at', keptDays })
  }
}
