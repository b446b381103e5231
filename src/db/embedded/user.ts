import { existsSync } from 'node:fs'
import { chmod, realpath, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname } from 'node:path'
import { runAs, type ServerUser } from './command.ts'
import { EmbeddedError } from './problem.ts'

/**
 * Who the server runs as: undefined for ourselves. PostgreSQL refuses root, so as root it is whoever owns the cluster,
 * or `postgres`, who is made where the machine has none.
 *
 * Fails when the cluster belongs to somebody else and we are not root.
 */
export async function serverUser(cluster: string): Promise<ServerUser | undefined> {
  const ourselves = process.getuid?.()
  const owner = existsSync(cluster) ? await stat(cluster) : undefined
  if (ourselves !== 0) {
    if (!owner || ourselves === undefined || owner.uid === ourselves) return undefined
    throw new EmbeddedError(
      `${cluster} belongs to another user: start as that user or as root, or set another DATA_DIR`,
    )
  }
  if (owner && owner.uid !== 0) return { name: `number ${owner.uid}`, uid: owner.uid, gid: owner.gid }
  return (await postgresUser()) ?? (await makePostgresUser())
}

async function postgresUser(): Promise<ServerUser | undefined> {
  const [uid, gid] = await Promise.all([
    runAs(undefined, 'id', ['-u', 'postgres']),
    runAs(undefined, 'id', ['-g', 'postgres']),
  ])
  const found = uid.code === 0 && gid.code === 0 && Number(uid.output) > 0
  return found ? { name: 'postgres', uid: Number(uid.output), gid: Number(gid.output) } : undefined
}

async function makePostgresUser(): Promise<ServerUser> {
  const made = await runAs(undefined, 'useradd', ['--system', '--user-group', '--no-create-home', 'postgres'])
  const user = await postgresUser()
  if (user) return user
  const reason = made.output.trim().split('\n')[0]
  throw new EmbeddedError(
    `PostgreSQL does not run as root and no user postgres could be made (${reason}): make one, or start as another user`,
  )
}

/**
 * Lets the server's user reach a folder below DATA_DIR: opens for passage what of the way is ours to open, that is
 * DATA_DIR, what is in it, and folders of ours below the system's temporary folder.
 *
 * Fails with the folder that stops it otherwise.
 */
export async function openPassage(user: ServerUser, folder: string, dataDir: string): Promise<void> {
  const way = wayTo(folder)
  const temporary = await realpath(tmpdir())
  for (let closed = await firstClosed(user, way); closed; closed = await firstClosed(user, way)) {
    const { mode, uid } = await stat(closed)
    const may = closed === dataDir || closed.startsWith(`${dataDir}/`) || closed.startsWith(`${temporary}/`)
    const open = mode | 0o011
    if (!may || uid !== process.getuid?.() || open === mode) {
      throw new EmbeddedError(
        `As root the database runs as user ${user.name}, who may not pass through ${closed} to DATA_DIR (${dataDir}): ` +
          `set DATA_DIR to a folder outside, such as /var/lib/campanile, or DATABASE_URL, or run chmod o+x ${closed}`,
      )
    }
    await chmod(closed, open & 0o7777)
  }
}

function wayTo(folder: string): string[] {
  const parent = dirname(folder)
  return parent === folder ? [folder] : [...wayTo(parent), folder]
}

async function firstClosed(user: ServerUser, way: string[]): Promise<string | undefined> {
  const look = 'for d do [ -x "$d" ] || { printf %s "$d"; exit 1; }; done'
  const { code, output } = await runAs(user, '/bin/sh', ['-c', look, 'sh', ...way])
  return code === 0 ? undefined : output || way.at(-1)
}
