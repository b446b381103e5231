import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import {
  EmbeddedError,
  embeddedMajor,
  explainEmbedded,
  readBackup,
  startEmbedded,
  writeBackup,
} from '../db/embedded/embedded.ts'
import type { Log } from '../kernel/telemetry/log.ts'

/** Settings that determine the location of the database. */
interface DatabaseLocation {
  readonly dataDir: string
  readonly databaseUrl?: string | undefined
}

/**
 * Writes a backup of the embedded database and its secret to a file. The database can be in use. Returns the absolute path of
 * the file and its size in bytes. **Throws** `EmbeddedError`.
 */
export async function backUp(
  config: DatabaseLocation,
  log: Log,
  path: string,
): Promise<{ file: string; bytes: number }> {
  mustBeEmbedded(config)
  const { dataDir } = config
  const file = resolve(path)
  if (!existsSync(join(dataDir, 'postgres/data')))
    throw new EmbeddedError(`There is no embedded database in DATA_DIR (${dataDir}).`)
  const embedded = await startEmbedded(dataDir, log)
  try {
    return { file, bytes: await writeBackup(dataDir, embedded.url, file) }
  } finally {
    await embedded.stop()
  }
}

/** Restores a backup into an empty DATA_DIR, and starts the database once to verify it. **Throws** `EmbeddedError`. */
export async function restore(
  config: DatabaseLocation,
  log: Log,
  path: string,
): Promise<{ file: string; dataDir: string }> {
  mustBeEmbedded(config)
  const { dataDir } = config
  const file = resolve(path)
  await readBackup(dataDir, file, await embeddedMajor()).catch((error: unknown) => {
    throw explainEmbedded(dataDir, error)
  })
  const embedded = await startEmbedded(dataDir, log)
  await embedded.stop()
  return { file, dataDir }
}

function mustBeEmbedded({ databaseUrl }: DatabaseLocation): void {
  if (databaseUrl === undefined) return
  throw new EmbeddedError(
    'backup and restore support only the embedded database. Use pg_dump for the database of DATABASE_URL.',
  )
}
