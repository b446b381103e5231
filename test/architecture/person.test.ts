import { beforeAll, describe, expect, it } from 'vitest'
import { erasureSteps } from '../../src/contacts/erasure/erasures.ts'
import type { Ctx } from '../../src/db/context.ts'
import { columnsOf } from '../../src/db/datamodel.ts'
import { personParts } from '../../src/exports/person-parts.ts'
import '../../src/server/ports.ts'
import { newWorld, type World } from '../support/world.ts'

/** Names of columns that refer to a person: to a contact or a row that belongs to one, or to an address. */
const personal =
  '(^|_)(contact|customer|visitor|recipient|submission|enrolment|order|invoice|credit_note|transaction|subscription)_id$|(^|_)email$|^phone$|^buyer$|^contacts$|^person$'

/** Tables that refer to persons and are not exported, with the reason. */
const notExported: Readonly<Record<string, string>> = {
  account: 'the address of the account itself',
  bulk_job: 'the work of a user of the account',
  bulk_job_error: 'the work of a user of the account',
  contact_erasure: 'an erased person has no contact',
  email: 'the address of the sender',
  latest_message: 'times of messages, which are exported',
  monthly_recipient: 'a count of recipients',
  suppression_hash: 'a hash of an address of an erased person',
  user: 'a person who works for the account, not a contact',
}

/** Tables that refer to persons, and what an erasure does with them besides its steps. */
const erased: Readonly<Record<string, string>> = {
  account: 'kept: the address of the account itself',
  answer: 'redacted with the submission',
  billing_subscription: 'kept with the customer',
  bulk_job_error: 'kept: a bare id and a code',
  confirmation: 'deleted',
  contact: 'deleted',
  contact_change: 'deleted with the contact',
  contact_claim: 'deleted with the contact',
  contact_consent: 'deleted with the contact',
  contact_field: 'deleted with the contact',
  contact_merge: 'deleted with the contact',
  contact_preference: 'deleted with the contact',
  contact_tag: 'deleted with the contact',
  contact_erasure: 'the person is removed at the end',
  credit_note: 'kept, or the buyer is removed',
  customer: 'kept if there are sales, or redacted',
  email: 'kept: the address of the sender',
  enrolment: 'redacted',
  invoice: 'kept, or the buyer is removed',
  latest_message: 'kept: times of messages with a bare id',
  mail_click: 'kept: it refers to a message',
  mail_open: 'kept: it refers to a message',
  mail_recipient: 'redacted',
  monthly_recipient: 'kept: a count of recipients',
  order: 'kept; the attribution is redacted',
  order_line: 'kept with the order',
  submission: 'redacted',
  failing_address: 'deleted',
  suppression: 'replaced by a hash',
  topic_membership: 'deleted with the contact',
  transaction: 'kept with the customer',
  unsubscribe_answer: 'deleted with the contact',
  user: 'kept: a person who works for the account, not a contact',
  visit: 'redacted',
  visitor: 'deleted',
}

/**
 * Columns that the client does not read, which the description of a table therefore lacks, with the reason why none is exported.
 */
const notRead: Readonly<Record<string, string>> = {
  'contact_field.number': 'a copy of the value',
  'contact.words': 'made of other columns',
}

describe('the rights of a person', () => {
  let world: World
  let tables: string[]
  beforeAll(async () => {
    world = await newWorld()
    const rows = await world.rows<{ table: string }>(
      `SELECT DISTINCT c.table_name AS "table" FROM information_schema.columns c JOIN pg_class t ON t.relname = c.table_name
         AND t.relnamespace = 'public'::regnamespace AND t.relkind IN ('r', 'p') AND NOT t.relispartition
       WHERE c.table_schema = 'public' AND c.column_name ~ $1 ORDER BY 1`,
      [personal],
    )
    tables = rows.map(({ table }) => table)
  })

  it('are applied to many tables', () => {
    expect(tables.length).toBeGreaterThan(20)
    expect(tables).toEqual(expect.arrayContaining(['contact', 'suppression', 'customer', 'mail_open', 'answer']))
  })

  it('include every table with data about a person in the export', () => {
    const exported = new Set(Object.values(personParts).flatMap(({ tables: all }) => all.map(({ name }) => name)))
    expect(tables.filter((table) => !exported.has(table) && !(table in notExported))).toEqual([])
  })

  it('include every column of an exported table in the export, unless there is a reason', async () => {
    const ctx = { sql: { account: 0 } } as unknown as Ctx
    const parts = Object.values(personParts).map((part) => ({
      ...part,
      sql: part.select(ctx, { contactId: 0, emails: [] }).sql,
    }))
    const selected = parts.flatMap(({ sql, tables: all }) => all.map((table) => ({ ...table, sql })))
    expect(selected.filter(({ columns, sql }) => !sql.includes(columns.sql)).map(({ name }) => name)).toEqual([])
    const inModels = selected.flatMap(({ model, name }) =>
      [...columnsOf(model).values()].map((each) => `${name}.${each.name}`),
    )
    const inTables = await world.rows<{ column: string }>(
      `SELECT table_name || '.' || column_name AS "column" FROM information_schema.columns
       WHERE table_schema = 'public' AND table_name = ANY($1)`,
      [selected.map(({ name }) => name)],
    )
    const unread = inTables.map(({ column }) => column).filter((each) => !inModels.includes(each))
    expect(unread.toSorted()).toEqual(Object.keys(notRead).toSorted())
  })

  it('include every table with data about a person in the erasure', () => {
    const inSteps = new Set(erasureSteps().flatMap(({ tables: all }) => all))
    expect(tables.filter((table) => !inSteps.has(table) && !(table in erased))).toEqual([])
  })

  it('have steps of different names', () => {
    const names = erasureSteps().map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
  })
})
