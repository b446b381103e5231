import { closeSync, existsSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'

/** A file lock. The operating system releases it when the process ends for any reason. */
export interface Lock {
  release(): void
}

/** Keeps handles from garbage collection, which would release their locks. */
const heldHandles = new Set<DatabaseSync>()

/**
 * Acquires a lock on a file, or returns undefined immediately if another process holds it. A shared lock can have
 * several holders.
 *
 * SQLite provides a file lock that works on all systems and ends with the process. The file stores no data. Unlike a
 * file with a process ID, the lock cannot become stale or be confused with another process.
 */
export function tryLock(file: string, mode: 'shared' | 'exclusive'): Lock | undefined {
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600))
  const handle = new DatabaseSync(file)
  try {
    handle.exec(mode === 'exclusive' ? 'BEGIN EXCLUSIVE' : 'BEGIN; SELECT count(*) FROM sqlite_schema')
  } catch (error) {
    handle.close()
    if (isBusy(error)) return undefined
    throw error
  }
  heldHandles.add(handle)
  return {
    release: () => {
      if (heldHandles.delete(handle)) handle.close()
    },
  }
}

/** Waits for the exclusive lock. Returns undefined if it is not free within `timeoutMs` milliseconds. */
export async function lockWithin(file: string, timeoutMs: number): Promise<Lock | undefined> {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    const lock = tryLock(file, 'exclusive')
    if (lock || Date.now() > deadline) return lock
    await pause(25)
  }
}

function isBusy(error: unknown): boolean {
  const sqliteBusy = 5
  return error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy
}
