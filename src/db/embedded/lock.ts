import { closeSync, existsSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'

/** Held until it is released or the process is gone, however it went: the operating system keeps it. */
export interface Lock {
  release(): void
}

/** A collected handle would give its lock up. */
const held = new Set<DatabaseSync>()

/**
 * Takes a lock on a file, or answers undefined at once when others hold it. Any number may share it.
 *
 * SQLite's way to a file lock that works on every system and outlives nobody; nothing is stored in the file. Unlike a
 * file with a process id in it, it cannot go stale, nor be mistaken for that of a later process with the same id.
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
  held.add(handle)
  return {
    release: () => {
      if (held.delete(handle)) handle.close()
    },
  }
}

/** Waits for the exclusive lock; undefined when it was not free for `patience` milliseconds. */
export async function lockWithin(file: string, patience: number): Promise<Lock | undefined> {
  const deadline = Date.now() + patience
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
