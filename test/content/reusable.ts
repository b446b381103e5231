import type { Named, World } from '../support/world.ts'

/** Has each stage of an account contain a reusable block, without changing any content. */
export async function useReusableBlock({ accountId, rows }: World, { databaseId }: Named): Promise<void> {
  await rows(
    `INSERT INTO reusable_block_use (account_id, email_id, reusable_block_id)
     SELECT DISTINCT account_id, email_id, $2::int FROM sequence_stage WHERE account_id = $1 AND email_id IS NOT NULL`,
    [accountId, databaseId],
  )
}

/** Creates a reusable block, by default with a text. */
export async function newReusableBlock(
  world: World,
  name = 'Hours',
  content: object[] = [{ type: 'heading', content: [{ type: 'text', text: name }] }],
): Promise<Named> {
  const document = `mutation ($name: String!, $content: JSON!) {
    reusableBlockCreate(input: { name: $name, content: $content }) { reusableBlock { id databaseId } } }`
  return (await world.run(document, { name, content })).reusableBlockCreate.reusableBlock
}
