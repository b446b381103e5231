import pg from 'pg'
import type { Written } from './traffic.ts'

/** Adds rows to the tables that all versions have, so that migrations take time. */
export async function fillOld(databaseUrl: string, contacts: number): Promise<void> {
  await connected(databaseUrl, async (client) => {
    await client.query(
      `INSERT INTO contact (account_id, email, created_at, updated_at)
       SELECT a.id, 'person' || n || '@example.com', now(), now() FROM account a CROSS JOIN generate_series(1, $1::int) n`,
      [contacts],
    )
    await client.query(
      `INSERT INTO quota_usage (account_id, slot, period, used) SELECT account_id, 'contacts', '', count(*) FROM contact GROUP BY 1
       ON CONFLICT (account_id, slot, period) DO UPDATE SET used = excluded.used`,
    )
    await client.query('VACUUM ANALYZE')
  })
}

/** Compares what was answered with the rows and with the events that a subscriber received. All counts should be 0. */
export async function readResult(databaseUrl: string, written: Written): Promise<Record<string, number>> {
  return connected(databaseUrl, async (client) => {
    const missing = async (sql: string, values: string[]) => {
      const { rows } = await client.query<{ email: string }>(sql, [values])
      return values.length - new Set(rows.map(({ email }) => email)).size
    }
    const { rows: stored } = await client.query<{ email: string }>(
      `SELECT email FROM contact WHERE email LIKE 'rolling.%'`,
    )
    const announced = new Set(written.announced)
    const [counter] = (
      await client.query<{ difference: string }>(
        `SELECT abs((SELECT sum(used) FROM quota_usage WHERE slot = 'contacts') - (SELECT count(*) FROM contact)) AS difference`,
      )
    ).rows
    return {
      'contacts lost': await missing('SELECT email FROM contact WHERE email = ANY($1)', written.created),
      'contacts without an answer': stored.length - new Set(written.created).size,
      'tags lost': await missing(
        `SELECT email FROM contact c WHERE email = ANY($1)
         AND EXISTS (SELECT FROM contact_tag t WHERE t.account_id = c.account_id AND t.contact_id = c.id)`,
        written.tagged,
      ),
      'orders lost': await missing('SELECT id_order AS email FROM "order" WHERE id_order = ANY($1)', written.ordered),
      'events lost': stored.filter(({ email }) => !announced.has(email)).length,
      'events repeated': written.announced.length - announced.size,
      'contacts not counted': Number(counter?.difference),
    }
  })
}

async function connected<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
