import { parse } from 'csv-parse/sync'
import { expect } from 'vitest'
import { newDemo } from '../support/demo.ts'
import { atEnd } from '../support/ends.ts'
import type { AskOptions, World } from '../support/world.ts'

export const Link = `query ($list: ExportList!, $format: ExportFormat!, $filter: ExportFilterInput) {
  exportLink(list: $list, format: $format, filter: $filter) { url expiresAt } }`

/** Returns the link of an export. */
export async function linkOf(world: World, list: string, format = 'CSV', filter?: object, options?: AskOptions) {
  return (await world.run(Link, { list, format, filter }, options)).exportLink.url as string
}

/** Returns the text of an export. */
export async function fetchExport(world: World, list: string, format = 'CSV', filter?: object): Promise<string> {
  const response = await fetch(await linkOf(world, list, format, filter))
  expect(response.status).toBe(200)
  return response.text()
}

/** Returns the rows of a CSV export, by column name. */
export async function rowsOf(world: World, list: string, filter?: object): Promise<Record<string, string>[]> {
  return parse(await fetchExport(world, list, 'CSV', filter), { columns: true })
}

/** Returns the rows of an NDJSON export. */
export async function objectsOf(world: World, list: string, filter?: object): Promise<Record<string, unknown>[]> {
  const text = await fetchExport(world, list, 'NDJSON', filter)
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}

let filled: Promise<World> | undefined
/** Returns an account with rows of every kind, one for each test file. */
export function openFilledWorld() {
  filled ??= (async () => {
    atEnd(() => {
      filled = undefined
    })
    const world = await newDemo()
    await world.run('mutation { contactImportCreate(input: { csv: "email\\n" }) { uploadUrl } }')
    await world.run(
      'mutation { suppressionAdd(input: { email: "no@example.com", detail: "=asked" }) { suppression { id } } }',
    )
    await world.run('mutation { webhookCreate(input: { url: "https://hook.invalid/" }) { secret } }')
    await world.rows(
      `INSERT INTO mail_recipient (account_id, campaign_id, contact_id, state, answer, created_at, sent_at)
       SELECT $1, (SELECT min(id) FROM campaign WHERE account_id = $1), id, 'SENT', '-oops', now(), now() FROM contact
       WHERE account_id = $1 ORDER BY id LIMIT 3 ON CONFLICT DO NOTHING`,
      [world.accountId],
    )
    return world
  })()
  return filled
}
