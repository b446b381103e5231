import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import {
  EmbeddedError,
  embeddedMajor,
  explainEmbedded,
  readBackup,
  startEmbedded,
  writeBackup,
} from '../db/embedded.ts'
import type { Log } from '../kernel/log.ts'

/** What of the configuration says where the database is. */
interface Place {
  readonly dataDir: string
  readonly databaseUrl?: string | undefined
}

/** Backs up the embedded database, which may be in use, with the secret beside it. Returns the file and its size in bytes. */
export async function backUp(config: Place, log: Log, given: string): Promise<{ file: string; bytes: number }> {
  mustBeEmbedded(config)
  const { dataDir } = config
  const file = resolve(given)
  if (!existsSync(join(dataDir, 'postgres/data')))
    throw new EmbeddedError(`There is no embedded database in DATA_DIR (${dataDir}).`)
  const embedded = await startEmbedded(dataDir, log)
  try {
    return { file, bytes: await writeBackup(dataDir, embedded.url, file) }
  } finally {
    await embedded.stop()
  }
}

/** Restores a backup into an empty DATA_DIR, and starts the database once, so that it is known to be sound. */
export async function restore(config: Place, log: Log, given: string): Promise<{ file: string; dataDir: string }> {
  mustBeEmbedded(config)
  const { dataDir } = config
  const file = resolve(given)
  await readBackup(dataDir, file, await embeddedMajor()).catch((error: unknown) => {
    throw explainEmbedded(dataDir, error)
  })
  const embedded = await startEmbedded(dataDir, log)
  await embedded.stop()
  return { file, dataDir }
}

function mustBeEmbedded({ databaseUrl }: Place): void {
  if (databaseUrl === undefined) return
  throw new EmbeddedError('backup and restore are for the embedded database: use pg_dump for that of DATABASE_URL.')
}
