import type { World } from '../support/world.ts'

/** Gives the contacts of an account entries of all types in their timelines. */
export async function createTimelines({ accountId, rows }: World): Promise<void> {
  const contacts = 'FROM contact c WHERE c.account_id = $1'
  const statements = [
    `INSERT INTO mail_recipient (account_id, contact_id, state, created_at, sent_at, failed_at, complained_at)
     SELECT $1, c.id, 'SENT', now(), now(), now(), now() ${contacts}`,
    `INSERT INTO mail_open (account_id, recipient_id, contact_id, created_at, is_bot)
     SELECT $1, r.id, r.contact_id, now(), false FROM mail_recipient r WHERE r.account_id = $1`,
    `INSERT INTO mail_click (account_id, recipient_id, contact_id, created_at, url, is_bot)
     SELECT $1, r.id, r.contact_id, now(), 'https://shop.example/', false FROM mail_recipient r WHERE r.account_id = $1`,
    `INSERT INTO contact_consent (account_id, contact_id, kind, granted, source, created_at)
     SELECT $1, c.id, 'GDPR', true, 'api', now() ${contacts}`,
    `INSERT INTO contact_change (account_id, contact_id, created_at, kind, actor, actor_id, bulk_job_id, tag_id)
     SELECT $1, c.id, now(), 'TAG_ADDED', 'API_KEY', (SELECT min(id) FROM api_key WHERE account_id = $1),
       (SELECT min(id) FROM bulk_job WHERE account_id = $1), (SELECT min(id) FROM tag WHERE account_id = $1) ${contacts}`,
    `INSERT INTO contact_change (account_id, contact_id, created_at, kind, actor, actor_id, custom_field_id)
     SELECT $1, c.id, now(), 'CUSTOM_FIELD', 'API_KEY', (SELECT min(id) FROM api_key WHERE account_id = $1),
       (SELECT min(id) FROM custom_field WHERE account_id = $1) ${contacts}`,
    'UPDATE visit SET contact_id = (SELECT min(id) FROM contact WHERE account_id = $1) WHERE account_id = $1',
    `UPDATE customer SET contact_id = (SELECT min(id) FROM contact WHERE account_id = $1)
     WHERE account_id = $1 AND id IN (SELECT customer_id FROM "order" WHERE account_id = $1)`,
  ]
  for (const statement of statements) await rows(statement, [accountId])
}

/** Suppresses the addresses of all contacts for a while, because campaigns would have no recipients. */
export async function whileSuppressed<Result>(
  { accountId, rows }: World,
  work: () => Promise<Result>,
): Promise<Result> {
  await rows(
    `INSERT INTO suppression (account_id, email, reason, detail, created_at)
     SELECT account_id, email, 'BOUNCE', 'for a while', now() FROM contact WHERE account_id = $1 ON CONFLICT DO NOTHING`,
    [accountId],
  )
  try {
    return await work()
  } finally {
    await rows("DELETE FROM suppression WHERE account_id = $1 AND detail = 'for a while'", [accountId])
  }
}
