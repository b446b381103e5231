import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Where a running server is reached. */
export interface ServerAddress {
  readonly url: string
  readonly consoleUrl: string
}

interface AddressRecord extends ServerAddress {
  readonly pid: number
}

const fileIn = (dataDir: string) => join(dataDir, 'address.json')

/**
 * Records where this server is reached, so that commands with the same DATA_DIR create links that lead to it. Only a server
 * with the embedded database does it: others are on several computers, and have a public address. Of several servers, the one
 * that started last is recorded. Returns the function that removes the record.
 */
export async function recordAddress(dataDir: string, address: ServerAddress): Promise<() => Promise<void>> {
  const own: AddressRecord = { ...address, pid: process.pid }
  await mkdir(dataDir, { recursive: true })
  await writeFile(fileIn(dataDir), JSON.stringify(own))
  return async () => {
    if ((await readRecord(dataDir))?.pid === own.pid) await rm(fileIn(dataDir), { force: true })
  }
}

/** Returns where the server that uses the embedded database in `dataDir` is reached. Undefined if none is running. */
export async function findAddress(dataDir: string): Promise<ServerAddress | undefined> {
  const found = await readRecord(dataDir)
  return found && isRunning(found.pid) ? found : undefined
}

async function readRecord(dataDir: string): Promise<AddressRecord | undefined> {
  try {
    return JSON.parse(await readFile(fileIn(dataDir), 'utf8')) as AddressRecord
  } catch {
    // There is none, or a server that was killed did not finish it.
    return undefined
  }
}

/** A server that was killed leaves its record behind. */
function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
