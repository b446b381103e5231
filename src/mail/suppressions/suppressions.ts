import { hkdfSync } from 'node:crypto'
import { z } from 'zod'
import { type Ctx, one } from '../../db/context.ts'
import { filterOn } from '../../db/filters/filter.ts'
import { emailAddress, oneOf, text, time } from '../../db/filters/filter-fields.ts'
import { newList } from '../../db/lists/list.ts'
import { pagesOf } from '../../db/lists/pages.ts'
import { addressHintOf, documentOf, search } from '../../db/lists/search.ts'
import { addressKeys, empty, isOneOfEnum, type Sql, sql } from '../../db/sql.ts'
import { type RowOf, table } from '../../db/table.ts'
import { inTransaction } from '../../db/transaction.ts'
import { emissionWithin } from '../../events/index.ts'
import { refuseValue } from '../../kernel/errors.ts'
import { address, check, email, sent, text as textOf } from '../../kernel/values/check.ts'
import type { Signer } from '../../kernel/web/signer.ts'
import type { FailureCause } from '../failures/failure-causes.ts'

const suppressionTable = table('Suppression', 'x')
export type Suppression = RowOf<typeof suppressionTable>
export type SuppressionReason = Suppression['reason']

/** The words of a suppression by which it is searched. The index of suppressions has this expression. */
const document = documentOf(sql`x.email`)

/** The filter of suppressions. */
export const suppressionFilter = filterOn(suppressionTable, {
  email: emailAddress(sql`x.email`, { hint: addressHintOf(document) }),
  reason: oneOf<SuppressionReason>('SuppressionReason', sql`x.reason`, 'suppression_reason'),
  cause: oneOf<FailureCause>('FailureCause', sql`x.cause`, 'failure_cause'),
  detail: text(sql`x.detail`),
  createdAt: time(sql`x.created_at`),
  search: search(document),
})

/** The suppressions of an account. */
export const suppressionList = newList(suppressionTable, {
  name: 'suppressions',
  orders: { CREATED_AT: 'createdAt', EMAIL: { by: sql`address_key(x.email)`, kind: 'text' } },
  filter: suppressionFilter,
})

const NewSuppression = z.object({ email, detail: textOf(500).default('') })

/** Loads suppressions by id. */
export const { byId } = suppressionTable

/** Loads the suppressions of the addresses of contacts, by contact. A suppression that is only a hash is not found. */
export const ofContact = one<number, Suppression>(async (ctx, contactIds) => {
  const rows = await ctx.sql<Suppression & { contactId: number }>`
    SELECT c.id AS "contactId", ${suppressionTable.columns} FROM contact c
    JOIN suppression x ON x.account_id = c.account_id AND address_key(x.email) = address_key(c.email)
    WHERE c.account_id = ${ctx.sql.account} AND c.id = ANY(${contactIds}::int[])`
  return new Map(rows.map((row) => [row.contactId, row]))
})

/** Lists the suppressed addresses of the account. Defaults to the newest first. */
export const list = pagesOf(suppressionList)

/**
 * Returns the SQL condition that an address is suppressed, by itself or by the hash that the erasure of a person left.
 * `accountId` and `address` are columns of the statement.
 */
export function isSuppressed(signer: Signer, accountId: Sql, address: Sql): Sql {
  return sql`(EXISTS (SELECT FROM suppression x WHERE x.account_id = ${accountId} AND address_key(x.email) = address_key(${address}))
    OR EXISTS (SELECT FROM suppression_hash y WHERE y.account_id = ${accountId} AND y.hash = ${hashOf(signer, address)}))`
}

/** Selects the ids of the contacts whose address is suppressed, for any of the reasons or causes if they are given. */
export function contactsWithSuppression(
  ctx: Ctx,
  { reasons, causes }: { readonly reasons?: readonly string[]; readonly causes?: readonly string[] } = {},
): Sql {
  const forReasons = reasons ? sql`AND ${isOneOfEnum(sql`x.reason`, reasons, 'suppression_reason')}` : empty
  const byCauses = causes ? sql`AND ${isOneOfEnum(sql`x.cause`, causes, 'failure_cause')}` : empty
  return sql`SELECT c.id FROM suppression x JOIN contact c
      ON c.account_id = x.account_id AND address_key(c.email) = address_key(x.email)
    WHERE x.account_id = ${ctx.sql.account} ${forReasons} ${byCauses}`
}

const keys = new WeakMap<Signer, string>()

/** Returns the SQL hash of an address, with a key that only the server has, so that addresses cannot be guessed from a copy. */
function hashOf(signer: Signer, address: Sql): Sql {
  const key =
    keys.get(signer) ??
    Buffer.from(hkdfSync('sha256', signer.secret, '', 'campanile suppressed addresses', 32)).toString('hex')
  keys.set(signer, key)
  return sql`sha256(decode(${key}::text, 'hex') || convert_to(address_key(${address}), 'UTF8'))`
}

/**
 * Removes the suppressions of the addresses of a person who is erased. Addresses that were suppressed, or all if the person
 * opted out, stay suppressed by their hash.
 */
export async function eraseSuppressions(tx: Ctx, emails: readonly string[], isOptedOut: boolean): Promise<void> {
  await tx.sql`DELETE FROM failing_address f WHERE f.account_id = ${tx.sql.account} AND f.email = ANY(${addressKeys(emails)})`
  await tx.sql`
    WITH removed AS (
      DELETE FROM suppression x WHERE x.account_id = ${tx.sql.account} AND address_key(x.email) = ANY(${addressKeys(emails)})
      RETURNING x.account_id, x.id, x.email
    ), announced AS (${announcing(tx, 'suppression.deleted', sql`removed`)})
    INSERT INTO suppression_hash (account_id, hash, created_at)
    SELECT ${tx.sql.account}::int, ${hashOf(tx.signer, sql`given.email`)}, ${tx.clock.now()}::timestamptz
    FROM (SELECT email FROM removed UNION SELECT unnest(${isOptedOut ? [...emails] : []}::text[])) AS given(email)
    ON CONFLICT DO NOTHING`
}

/** Returns the SQL that emits an event for each row with the account, the id and the address of a suppression. */
export function announcing(
  tx: Ctx,
  type: 'suppression.created' | 'suppression.updated' | 'suppression.deleted',
  rows: Sql,
): Sql {
  return emissionWithin(
    tx,
    type,
    sql`SELECT s.account_id, jsonb_build_object('suppressionId', s.id, 'contactId', c.id) AS data FROM ${rows} s
      LEFT JOIN contact c ON c.account_id = s.account_id AND address_key(c.email) = address_key(s.email)`,
  )
}

interface NewEntry {
  readonly email: string
  readonly reason: SuppressionReason
  readonly cause?: FailureCause
  readonly detail: string
}

/** Suppresses an address as `suppressAll` does. Returns whether anything changed. */
export async function suppress(tx: Ctx, entry: NewEntry): Promise<boolean> {
  return (await suppressAll(tx, [entry])) > 0
}

/**
 * Suppresses addresses that are different, in all their spellings. An existing suppression stays as it is, except that a
 * complaint replaces other reasons. Returns how many changed. **Emits** `suppression.created`, or `suppression.updated` for a new
 * reason.
 */
export async function suppressAll(tx: Ctx, entries: readonly NewEntry[]): Promise<number> {
  const rows = await tx.sql`
    WITH changed AS (
      INSERT INTO suppression AS x (account_id, email, reason, cause, detail, created_at)
      SELECT ${tx.sql.account}::int, g.email, g.reason::suppression_reason, g.cause::failure_cause, g.detail,
        ${tx.clock.now()}::timestamptz
      FROM json_to_recordset(${JSON.stringify(entries)}::json) AS g(email text, reason text, cause text, detail text)
      ORDER BY address_key(g.email)
      ON CONFLICT (account_id, address_key(email)) DO UPDATE SET reason = excluded.reason, cause = excluded.cause, detail = excluded.detail
        WHERE excluded.reason = 'COMPLAINT' AND x.reason <> 'COMPLAINT'
      RETURNING x.account_id, x.id, x.email, x.xmax = 0 AS is_new
    ), created AS (${announcing(tx, 'suppression.created', sql`(SELECT * FROM changed WHERE is_new)`)}
    ), updated AS (${announcing(tx, 'suppression.updated', sql`(SELECT * FROM changed WHERE NOT is_new)`)}
    ) SELECT FROM changed`
  return rows.length
}

/**
 * Suppresses an address with reason MANUAL. An existing suppression is returned unchanged. **Emits** `suppression.created`.
 * **Throws** VALIDATION_ERROR.
 */
export async function add(
  ctx: Ctx,
  input: { email: string; detail?: string | null | undefined },
): Promise<{ suppression: Suppression }> {
  const entry = check(NewSuppression, sent(input))
  return inTransaction(ctx, async (tx) => {
    for (;;) {
      await suppress(tx, { ...entry, reason: 'MANUAL' })
      const [suppression] = await suppressionTable.select(
        tx,
        sql`AND address_key(x.email) = address_key(${entry.email}) FOR KEY SHARE`,
      )
      // Missing only if it was removed between the two statements.
      if (suppression) return { suppression }
    }
  })
}

/**
 * Removes a suppression, so that messages are sent to the address again, also that of an erased person. **Emits**
 * `suppression.deleted`, except for an erased person, whose suppression is not listed. **Throws** NOT_FOUND.
 */
export async function remove(ctx: Ctx, input: { email: string }): Promise<{ email: string }> {
  const fields = check(z.object({ email: address }), input)
  return inTransaction(ctx, async (tx) => {
    const [removed] = await tx.sql<{ email: string }>`
      WITH listed AS (
        DELETE FROM suppression x WHERE x.account_id = ${tx.sql.account} AND address_key(x.email) = address_key(${fields.email})
        RETURNING x.account_id, x.id, x.email
      ), announced AS (${announcing(tx, 'suppression.deleted', sql`listed`)}
      ), counted AS (
        DELETE FROM failing_address f WHERE f.account_id = ${tx.sql.account} AND f.email = address_key(${fields.email}::text)
      ), hashed AS (
        DELETE FROM suppression_hash y
        WHERE y.account_id = ${tx.sql.account} AND y.hash = ${hashOf(tx.signer, sql`${fields.email}::text`)} RETURNING 1
      )
      SELECT email FROM listed UNION ALL SELECT ${fields.email}::text FROM hashed LIMIT 1`
    if (!removed) throw refuseValue('email', 'NOT_FOUND', 'The address is not suppressed.')
    return removed
  })
}
