import { existsSync } from 'node:fs'
import { chmod, realpath, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname } from 'node:path'
import { runAs, type ServerUser } from './command.ts'
import { EmbeddedError } from './problem.ts'

/**
 * Returns the user as which the server runs, or undefined for the current user. PostgreSQL refuses to run as root. If
 * this process is root, the server runs as the owner of the cluster, or as `postgres`, which is created if it does not
 * exist.
 *
 * Throws EmbeddedError if the cluster belongs to another user and this process is not root.
 */
export async function serverUser(cluster: string): Promise<ServerUser | undefined> {
  const ownUid = process.getuid?.()
  const owner = existsSync(cluster) ? await stat(cluster) : undefined
  if (ownUid !== 0) {
    if (!owner || ownUid === undefined || owner.uid === ownUid) return undefined
    throw new EmbeddedError(
      `${cluster} belongs to another user: start as that user or as root, or set another DATA_DIR`,
    )
  }
  if (owner && owner.uid !== 0) return { name: `number ${owner.uid}`, uid: owner.uid, gid: owner.gid }
  return (await postgresUser()) ?? (await createPostgresUser())
}

async function postgresUser(): Promise<ServerUser | undefined> {
  const [uid, gid] = await Promise.all([
    runAs(undefined, 'id', ['-u', 'postgres']),
    runAs(undefined, 'id', ['-g', 'postgres']),
  ])
  const isFound = uid.code === 0 && gid.code === 0 && Number(uid.output) > 0
  return isFound ? { name: 'postgres', uid: Number(uid.output), gid: Number(gid.output) } : undefined
}

async function createPostgresUser(): Promise<ServerUser> {
  const creation = await runAs(undefined, 'useradd', ['--system', '--user-group', '--no-create-home', 'postgres'])
  const user = await postgresUser()
  if (user) return user
  const reason = creation.output.trim().split('\n')[0]
  throw new EmbeddedError(
    `PostgreSQL does not run as root and the user postgres could not be created (${reason}): create one, or start as another user`,
  )
}

/**
 * Gives the server's user access to a folder below DATA_DIR. Adds the execute permission to folders that this process
 * owns: DATA_DIR, folders in it, and folders below the system's temporary folder.
 *
 * Throws EmbeddedError with the folder that blocks access otherwise.
 */
export async function openPassage(user: ServerUser, folder: string, dataDir: string): Promise<void> {
  const path = foldersTo(folder)
  const temporary = await realpath(tmpdir())
  for (let closed = await firstClosed(user, path); closed; closed = await firstClosed(user, path)) {
    const { mode, uid } = await stat(closed)
    const isAllowed = closed === dataDir || closed.startsWith(`${dataDir}/`) || closed.startsWith(`${temporary}/`)
    const open = mode | 0o011
    if (!isAllowed || uid !== process.getuid?.() || open === mode) {
      throw new EmbeddedError(
        `As root the database runs as user ${user.name}, who may not pass through ${closed} to DATA_DIR (${dataDir}): ` +
          `set DATA_DIR to a folder outside, such as /var/lib/campanile, or DATABASE_URL, or run chmod o+x ${closed}`,
      )
    }
    await chmod(closed, open & 0o7777)
  }
}

function foldersTo(folder: string): string[] {
  const parent = dirname(folder)
  return parent === folder ? [folder] : [...foldersTo(parent), folder]
}

async function firstClosed(user: ServerUser, path: string[]): Promise<string | undefined> {
  const script = 'for d do [ -x "$d" ] || { printf %s "$d"; exit 1; }; done'
  const { code, output } = await runAs(user, '/bin/sh', ['-c', script, 'sh', ...path])
  return code === 0 ? undefined : output || path.at(-1)
}
