import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { lchown, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { extract } from 'tar-stream'
import { type Manifest, manifestName } from './backup.ts'
import { EmbeddedError } from './problem.ts'
import { serverUser } from './user.ts'

/** Names that `writeBackup` uses. They cannot lead out of the folder. */
const names = /^data\/(?!.*(^|\/)\.\.?(\/|$))[\w./-]+$/

/**
 * Writes the files of a backup into `dataDir`, which must be empty or missing. A server that is started on it recovers
 * from the write-ahead log. If it fails, all files are removed.
 *
 * Throws EmbeddedError if the folder is not empty, or the file is not a complete backup of this major version of
 * PostgreSQL.
 */
export async function readBackup(dataDir: string, file: string, major: string): Promise<void> {
  if (!existsSync(file)) throw new EmbeddedError(`There is no file ${file}.`)
  const before = existsSync(dataDir) ? await readdir(dataDir) : []
  if (before.length > 0) throw new EmbeddedError(`DATA_DIR (${dataDir}) must be empty or missing for a restore.`)
  const home = join(dataDir, 'postgres')
  const draft = join(home, 'draft-restored')
  try {
    await mkdir(draft, { recursive: true, mode: 0o700 })
    const { secret, password } = await unpack(file, draft, major)
    await changeOwner(home, draft)
    await writeFile(join(home, 'password'), password, { mode: 0o600 })
    if (secret !== undefined) await writeFile(join(dataDir, 'secret'), secret, { mode: 0o600 })
    await rename(draft, join(home, 'data'))
  } catch (error) {
    await rm(home, { recursive: true, force: true })
    await rm(join(dataDir, 'secret'), { force: true })
    throw error
  }
}

async function unpack(file: string, folder: string, major: string): Promise<{ secret?: string; password: string }> {
  const entries = extract()
  const feeding = pipeline(createReadStream(file), createGunzip(), entries)
  const kept: Record<string, string> = {}
  const reading = (async () => {
    for await (const entry of entries) {
      const { name, type } = entry.header
      if (kept[manifestName] === undefined && name !== manifestName) throw notABackup(file)
      if ([manifestName, 'secret', 'password'].includes(name)) {
        kept[name] = await text(entry)
        if (name === manifestName) mustFit(file, kept[name], major)
        continue
      }
      if (!names.test(name)) throw notABackup(file)
      const path = join(folder, name.slice('data/'.length))
      await mkdir(type === 'directory' ? path : dirname(path), { recursive: true, mode: 0o700 })
      if (type === 'directory') entry.resume()
      else await pipeline(entry, createWriteStream(path, { mode: 0o600 }))
    }
  })()
  const [fed, read] = await Promise.allSettled([feeding, reading])
  for (const { reason } of [read, fed].filter((each) => each.status === 'rejected')) {
    const isOfSystem = (reason as NodeJS.ErrnoException).syscall !== undefined
    throw isOfSystem || reason instanceof EmbeddedError ? reason : notABackup(file)
  }
  if (!existsSync(join(folder, 'backup_label')) || kept['password'] === undefined) throw notABackup(file)
  return { password: kept['password'], ...(kept['secret'] !== undefined && { secret: kept['secret'] }) }
}

function mustFit(file: string, manifest: string, major: string): void {
  const { format, postgres } = JSON.parse(manifest) as Manifest
  if (format !== 1) throw new EmbeddedError(`${file} was written by a newer version.`)
  if (postgres !== major)
    throw new EmbeddedError(`${file} was created by PostgreSQL ${postgres}, but this version includes ${major}.`)
}

function notABackup(file: string): EmbeddedError {
  return new EmbeddedError(`${file} is no complete backup.`)
}

/** Changes the owner of the files to the user as which the server runs. */
async function changeOwner(home: string, folder: string): Promise<void> {
  const user = await serverUser(join(home, 'data'))
  if (!user) return
  for (const entry of await readdir(folder, { recursive: true })) await lchown(join(folder, entry), user.uid, user.gid)
  await lchown(folder, user.uid, user.gid)
}
