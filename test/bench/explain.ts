import { readdir, readFile, writeFile } from 'node:fs/promises'
import pg from 'pg'
import type { FilledDatabase } from './database.ts'

const folder = new URL('baseline/', import.meta.url)

/** Writes the plan of each statement of the baseline with actual times and rows. */
export async function explainBaseline({ url, accountId }: FilledDatabase): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<{ ids: number[] }>(
      'SELECT array(SELECT id FROM contact WHERE account_id = $1 ORDER BY created_at DESC, id DESC LIMIT 50) AS ids',
      [accountId],
    )
    for (const file of (await readdir(folder)).filter((name) => name.endsWith('.sql'))) {
      const statement = await readFile(new URL(file, folder), 'utf8')
      const values = valuesOf(statement, accountId, rows[0]?.ids ?? [])
      const plan = async () =>
        (await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN (ANALYZE, BUFFERS) ${statement}`, values)).rows
      // The first run fills the cache, which nearly every request of a running server finds filled.
      await plan()
      const lines = (await plan()).map((row) => row['QUERY PLAN'])
      await writeFile(new URL(file.replace(/sql$/, 'explain.txt'), folder), `${lines.join('\n')}\n`)
      console.log(`${file}: ${lines.at(-1)}`)
    }
  } finally {
    await client.end()
  }
}

/** The parameters of the statements: the account, then its contacts or the size and start of the page. */
function valuesOf(statement: string, accountId: number, contactIds: number[]): unknown[] {
  if (statement.includes('ANY($2')) return [accountId, contactIds]
  if (statement.includes('OFFSET $3')) return [accountId, 50, 0]
  return [accountId]
}
