import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import pg from 'pg'
import { type Pack, pack } from 'tar-stream'

/** Name of the first entry of a backup, which describes the others. */
export const manifestName = 'campanile-backup.json'

/** Description of a backup. */
export interface Manifest {
  readonly format: 1
  /** PostgreSQL's major version. */
  readonly postgres: string
  readonly createdAt: string
}

/** Folders whose content is not in a backup, because PostgreSQL creates it at its start. */
const emptyFolders = /^(pg_wal|pg_replslot|pg_dynshmem|pg_notify|pg_serial|pg_snapshots|pg_stat_tmp|pg_subtrans)\//
const excludedFiles = /^postmaster\.(pid|opts)$|(^|\/)(pgsql_tmp|pg_internal\.init)/
const control = 'global/pg_control'

/**
 * Writes a backup of the server at `url`, which may be in use, to `file`: a gzipped tar archive that only this user can
 * read. It contains PostgreSQL's files, the write-ahead log that makes them consistent, and the password and the secret
 * that belong to them. The file is created when the backup is complete. Returns its size in bytes.
 */
export async function writeBackup(dataDir: string, url: string, file: string): Promise<number> {
  const data = join(dataDir, 'postgres/data')
  const client = new pg.Client({ connectionString: url, statement_timeout: 0 })
  client.on('error', () => undefined)
  await client.connect()
  const draft = `${file}.draft`
  try {
    const archive = pack()
    const written = pipeline(archive, createGzip(), createWriteStream(draft, { mode: 0o600 }))
    const filling = fill(archive, client, dataDir, data).catch((error: Error) => archive.destroy(error))
    await Promise.all([written, filling])
    const handle = await open(draft, 'r+')
    await handle.sync()
    await handle.close()
    await rename(draft, file)
    return (await stat(file)).size
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  } finally {
    await client.end()
  }
}

async function fill(archive: Pack, client: pg.Client, dataDir: string, data: string): Promise<void> {
  const postgres = (await readFile(join(data, 'PG_VERSION'), 'utf8')).trim()
  const manifest: Manifest = { format: 1, postgres, createdAt: new Date().toISOString() }
  await addText(archive, manifestName, JSON.stringify(manifest))
  // The slot keeps the write-ahead log until the connection ends.
  const slot = `campanile_backup_${process.pid}`
  await client.query('SELECT pg_create_physical_replication_slot($1, true, true)', [slot])
  const started = await client.query<{ segment: string }>(
    `SELECT pg_walfile_name(pg_backup_start('campanile', true)) AS segment`,
  )
  const entries = await readdir(data, { recursive: true, withFileTypes: true })
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name).slice(data.length + 1)
    if (emptyFolders.test(path) || excludedFiles.test(path) || path === control) continue
    if (entry.isDirectory()) archive.entry({ name: `data/${path}`, type: 'directory', mode: 0o700 })
    else if (entry.isFile()) await addFile(archive, `data/${path}`, join(data, path))
  }
  await addFile(archive, `data/${control}`, join(data, control))
  const stopped = await client.query<{ label: string; segment: string }>(
    'SELECT labelfile AS label, pg_walfile_name(lsn) AS segment FROM pg_backup_stop(false)',
  )
  const [first = '', last = ''] = [started.rows[0]?.segment, stopped.rows[0]?.segment]
  for (const segment of (await readdir(join(data, 'pg_wal'))).toSorted()) {
    const isNeeded = /^[0-9A-F]{24}$/.test(segment) && segment >= first && segment <= last
    if (isNeeded) await addFile(archive, `data/pg_wal/${segment}`, join(data, 'pg_wal', segment))
  }
  await addFile(archive, 'secret', join(dataDir, 'secret'))
  await addFile(archive, 'password', join(dataDir, 'postgres/password'))
  // A backup without this entry is incomplete, so it comes last.
  await addText(archive, 'data/backup_label', stopped.rows[0]?.label ?? '')
  archive.finalize()
}

/** Adds a file with its current size. It may grow or shrink meanwhile; the write-ahead log contains the difference. */
async function addFile(archive: Pack, name: string, path: string): Promise<void> {
  const stats = await stat(path).catch(absent)
  if (!stats) return
  const { size } = stats
  const entry = archive.entry({ name, size, mode: 0o600 })
  let rest = size
  if (size > 0) {
    try {
      for await (const chunk of createReadStream(path, { end: size - 1 })) {
        rest -= chunk.length
        if (!entry.write(chunk)) await once(entry, 'drain')
      }
    } catch (error) {
      absent(error as NodeJS.ErrnoException)
    }
  }
  for (; rest > 0; rest -= 65_536) if (!entry.write(Buffer.alloc(Math.min(rest, 65_536)))) await once(entry, 'drain')
  entry.end(undefined)
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

function addText(archive: Pack, name: string, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    archive.entry({ name, mode: 0o600 }, text, (error) => (error ? reject(error) : resolve()))
  })
}
