import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ConfigError } from './types.ts'

/**
 * Returns the secret that signs links and cookies: SECRET, or a random secret that the first start stores in DATA_DIR,
 * readable only by the current user. Processes that start at the same time with the same DATA_DIR get the same secret.
 *
 * **Throws** a system error if DATA_DIR is not writable, and `ConfigError` if the stored secret is too short.
 */
export async function secretOf(config: { secret?: string | undefined; dataDir: string }): Promise<string> {
  if (config.secret) return config.secret
  const file = join(config.dataDir, 'secret')
  await mkdir(config.dataDir, { recursive: true })
  if (!existsSync(file)) await createFile(file, randomBytes(32).toString('base64url'))
  const stored = (await readFile(file, 'utf8')).trim()
  if (stored.length < 16) throw new ConfigError(`SECRET must be at least 16 characters, ${file} holds fewer: delete it`)
  return stored
}

/** Creates a file unless it exists. Uses a hard link, because it is atomic: no process reads an incomplete file. */
async function createFile(file: string, value: string): Promise<void> {
  const draft = `${file}.${randomUUID()}`
  await writeFile(draft, value, { mode: 0o600, flag: 'wx' })
  try {
    await link(draft, file)
  } catch (error) {
    if (!existsSync(file)) throw error
  } finally {
    await rm(draft)
  }
}
