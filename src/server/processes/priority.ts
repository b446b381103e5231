import { constants, setPriority } from 'node:os'
import type { Log } from '../../kernel/telemetry/log.ts'

interface WorkerSettings {
  readonly roles: { readonly api: boolean; readonly worker: boolean }
  readonly databaseUrl?: string | undefined
  readonly backgroundShare?: number | undefined
}

/**
 * Lowers the priority of a process that serves no requests, so that on a machine it shares with others the system runs those
 * first. One with the embedded PostgreSQL keeps its priority, because the database would inherit it, and so does one whose
 * background work may take all of the time.
 */
export function yieldToRequests({ roles, databaseUrl, backgroundShare }: WorkerSettings, log: Log): void {
  if (!roles.worker || roles.api || databaseUrl === undefined || backgroundShare === 1) return
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
  } catch (error) {
    log.debug({ err: error }, 'the priority of the process cannot be lowered')
  }
}
