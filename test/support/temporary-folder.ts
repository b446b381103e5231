import { existsSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

/** A folder in memory, and the free memory in bytes from which on temporary files are there. */
const memoryFolder = '/dev/shm'
const roomyMemory = 8e9

/**
 * Returns the folder of temporary files: in memory if there is enough of it, because a new database is a thousand files, whose
 * creation takes a second on some file systems.
 */
export function temporaryFolder(): string {
  if (process.env['TMPDIR'] || !existsSync(memoryFolder) || process.availableMemory() < roomyMemory) return tmpdir()
  const { bavail, bsize } = statfsSync(memoryFolder)
  return bavail * bsize >= roomyMemory ? memoryFolder : tmpdir()
}
