import { expect, it } from 'vitest'
import { type RowOf, table } from '../../src/db/table.ts'

it('reads all columns of the model, except those that the description leaves out', () => {
  const webhook = table('Webhook', 'w', { without: ['secret', 'previousSecret', 'previousSecretUntil'] })
  expect(webhook.columns.text).toContain('w.account_id AS "accountId", w.id AS "id", w.url AS "url"')
  expect(webhook.columns.text).not.toContain('secret')
})

it('reads a decimal as text, and a field by its name in rows', () => {
  expect(table('Order', 'o').columns.text).toContain('o.amount::text AS "amount"')
  const delivery = table('WebhookDelivery', 'd', { renamed: { status: 'state' } })
  expect(delivery.columns.text).toContain('d.state AS "status"')
  expect(delivery.field('status').text).toBe('d.state')
})

it('has rows with exactly the fields that it reads', () => {
  const nameless = table('Tag', 't', { without: ['name'] })
  const row: RowOf<typeof nameless> = { accountId: 1, id: 1, createdAt: new Date(), updatedAt: new Date() }
  // @ts-expect-error The name is not read.
  row.name
  // @ts-expect-error The columns do not make a complete tag.
  const complete: RowOf<ReturnType<typeof describeTag>> = row
  expect(complete).toBe(row)
})

it('describes only columns that exist', () => {
  // @ts-expect-error A tag has no colour.
  expect(table('Tag', 't', { without: ['colour'] }).columns.text).toContain('t.name')
})

function describeTag() {
  return table('Tag', 't')
}
