import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { expect, onTestFinished } from 'vitest'
import { databaseServerOf, isAlive, start, temporaryFolder, until } from './process.ts'

/** The program that serves, as opposed to one that only shares the database. */
export const server = 'main'

/** Time limit of a failing start, in milliseconds. */
const longest = 10_000

let sound = ''
/** Measured duration of a successful start, in milliseconds. */
let usual = 0
/** Paths of tables in the data folder, by database and name. */
export const paths: Record<string, string> = {}

/** Creates an intact DATA_DIR, of which the tests of a file damage copies. */
export async function prepareSound(): Promise<void> {
  sound = await temporaryFolder()
  const began = performance.now()
  const first = start('main', [], { DATA_DIR: sound, PORT: '0' })
  await first.line(/^ready /)
  usual = performance.now() - began
  const beside = start('test/runtime/share.ts', [sound])
  const url = new URL(await beside.line(/^postgres:/))
  for (const [database, table] of [
    ['campanile', 'pg_class'],
    ['postgres', 'pg_class'],
    ['campanile', '_prisma_migrations'],
    ['campanile', 'log_reader'],
  ]) {
    url.pathname = `/${database}`
    const client = new pg.Client({ connectionString: url.href })
    await client.connect()
    const { rows } = await client.query<{ path: string }>('SELECT pg_relation_filepath($1) AS path', [table])
    paths[`${database} ${table}`] = rows[0]?.path ?? ''
    await client.end()
  }
  const server = await databaseServerOf(sound)
  for (const each of [beside, first]) {
    each.signal('SIGTERM')
    await each.end
  }
  await until(() => !isAlive(server))
}

/** Creates a copy of an intact DATA_DIR, in a new folder by default. */
export async function copyOfSound(folder?: string): Promise<string> {
  const copy = folder ?? (await temporaryFolder())
  execFileSync('cp', ['-a', join(sound, 'postgres'), copy])
  return copy
}

/** Starts a program, which must end in time with one line that names DATA_DIR. Returns the line. */
export async function lineOf(folder: string, script = 'test/runtime/share.ts'): Promise<string> {
  const began = performance.now()
  const { code, stdout, stderr } = await start(script, [folder].slice(script === server ? 1 : 0), {
    DATA_DIR: folder,
    PORT: '0',
  }).end
  expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(/^[^\n]+\n$/) })
  expect(stderr).toContain('DATA_DIR')
  expect(stderr).toContain(folder)
  // On a busy machine loading the program alone takes longer.
  expect(performance.now() - began).toBeLessThan(Math.max(longest, 4 * usual))
  return stderr
}

/** A kind of damage: what it is, the reason that is printed, and what causes it in the data folder. */
export type Damage = [what: string, reason: RegExp, damage: (data: string) => Promise<unknown>]

/** Expects that a start on damaged data ends with one line. */
export async function expectLine([, reason, damage]: Damage): Promise<void> {
  const folder = await copyOfSound()
  await damage(join(folder, 'postgres/data'))
  expect(await lineOf(folder)).toMatch(reason)
}

/** Expects that the start of the server ends with one line if this table has invalid content. */
export async function expectLineOfTable(table: string): Promise<void> {
  const folder = await copyOfSound()
  await writeFile(join(folder, 'postgres/data', paths[table] ?? ''), Buffer.alloc(8_192, 'x'))
  expect(await lineOf(folder, server)).toMatch(/invalid page|critical system index/)
}

/** Creates a file system of this size for one test. */
export async function smallDisk(kilobytes: number): Promise<string> {
  const folder = await temporaryFolder()
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${kilobytes}k`, 'tmpfs', folder], { stdio: 'ignore' })
  onTestFinished(() => {
    execFileSync('umount', ['-l', folder])
  })
  return folder
}

/** Only root can mount, and many containers do not allow it to root either. */
export function mayMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'campanile-mount-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', folder], { stdio: 'ignore' })
    execFileSync('umount', [folder])
    return true
  } catch {
    return false
  } finally {
    rmdirSync(folder)
  }
}
