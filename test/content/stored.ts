import type { Named, World } from '../support/world.ts'

/** Stores a picture with a variant, without an upload. The bytes are those of its name. */
export async function storedMedia({ accountId, rows }: World, name = 'stored.png'): Promise<Named> {
  const [media] = await rows<{ id: number; bytes: number }>(
    `INSERT INTO media (account_id, name, content_type, hash, bytes, width, height, is_animated, created_at, updated_at)
     SELECT $1, $2::text, 'PNG', encode(sha256(random()::text::bytea), 'hex'), octet_length($2::text), 900, 300, false, now(), now()
     RETURNING id, bytes`,
    [accountId, name],
  )
  const id = media?.id as number
  await rows(
    `INSERT INTO media_file (account_id, media_id, hash, bytes, width, height, body)
     SELECT $1, m.id, v.hash, m.bytes, v.width, v.width / 3, convert_to(m.name, 'UTF8')
     FROM media m, LATERAL (VALUES (m.hash, 900), (encode(sha256(m.hash::bytea), 'hex'), 600)) v (hash, width)
     WHERE m.account_id = $1 AND m.id = $2`,
    [accountId, id],
  )
  return { id: Buffer.from(`Media:${id}`).toString('base64url'), databaseId: id }
}
