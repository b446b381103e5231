import { apiKeys } from '../../src/account/index.ts'
import type { System } from '../../src/db/context.ts'

interface Database {
  readonly pool: { query(sql: string, values: unknown[]): Promise<unknown> }
}

/** Creates an API key, and removes its event, so that an account starts with an empty log. */
export async function newKey(
  system: System,
  { pool }: Database,
  input: Parameters<typeof apiKeys.create>[1],
): Promise<string> {
  const { key, apiKey } = await apiKeys.create(system, input)
  await pool.query(
    "DELETE FROM outbox_event WHERE account_id = $1 AND type = 'api_key.created' AND data->>'apiKeyId' = $2",
    [input.accountId, String(apiKey.id)],
  )
  return key
}
