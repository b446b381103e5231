import type { Contact } from '../../../../prisma/generated/client/client.ts'
import type { Ctx } from '../../../db/context.ts'
import { planInIndexOrder } from '../../../db/plans.ts'
import type { Details } from '../../record/contact-details.ts'
import { contactColumns } from '../../record/contact-lookup.ts'
import { type ConsentKey, consentFields } from '../../record/fields.ts'
import { type CellProblem, type RowError, rowError } from '../rows/row-errors.ts'
import type { ParsedRow, SuppressedFor } from '../rows/row-parser.ts'

/** The rows of one e-mail address in a chunk of a file, merged into one contact. */
export interface RowGroup {
  /** The form in which the e-mail address is compared, as PostgreSQL computes it. */
  readonly key: string
  readonly rows: readonly ParsedRow[]
  readonly email: string
  readonly details: Details
  readonly tags: readonly string[]
  readonly values: ReadonlyMap<number, string>
  /** Consents that a new contact does not have, because a row neither gives nor refuses them. */
  readonly withheld: readonly ConsentKey[]
  readonly suppressed?: SuppressedFor | undefined
  /** The contact before the import. Absent for a new contact. */
  before?: Contact
  /** Id of the contact. Absent until a new contact is inserted. */
  id?: number
}

/**
 * Groups rows by e-mail address and loads existing contacts. In a group, the last value of each field is used, but a refusal in
 * any row wins.
 */
export async function groupRows(tx: Ctx, rows: readonly ParsedRow[]): Promise<RowGroup[]> {
  // The keys are those of the index. The query reads the next key of the unique index for each
  // row, because no other index can answer that: the plan does not depend on PostgreSQL's estimate of the table size.
  const keys = await planInIndexOrder(
    tx,
    () => tx.sql<{ key: string; exists: boolean }>`
      SELECT address_key(g.email) AS key, c.key IS NOT DISTINCT FROM address_key(g.email) AS "exists"
      FROM unnest(${rows.map(({ email }) => email)}::text[]) WITH ORDINALITY AS g(email, place)
      LEFT JOIN LATERAL (SELECT address_key(k.email) AS key FROM contact k WHERE k.account_id = ${tx.sql.account}
        AND address_key(k.email) >= address_key(g.email) ORDER BY address_key(k.email) LIMIT 1) c ON true ORDER BY g.place`,
  )
  const keyed = rows.map((row, index) => ({ row, ...(keys[index] as (typeof keys)[number]) }))
  const groups = [...Map.groupBy(keyed, ({ key }) => key)].map(([key, entries]) =>
    mergeRows(
      key,
      entries.map(({ row }) => row),
    ),
  )
  const existing = new Set(keyed.filter(({ exists }) => exists).map(({ key }) => key))
  await loadExisting(
    tx,
    groups.filter(({ key }) => existing.has(key)),
  )
  return groups
}

function mergeRows(key: string, rows: readonly ParsedRow[]): RowGroup {
  const [first] = rows as [ParsedRow]
  if (rows.length === 1) return { key, rows, ...first }
  return {
    key,
    rows,
    email: first.email,
    details: Object.assign({}, ...rows.map(({ details }) => details), ...rows.map(refusalsOf)),
    tags: [...new Set(rows.flatMap(({ tags }) => tags))],
    values: new Map(rows.flatMap(({ values }) => [...values])),
    withheld: rows.flatMap(({ withheld }) => withheld),
    suppressed: rows.find(({ suppressed }) => suppressed === 'COMPLAINT')
      ? 'COMPLAINT'
      : rows.find(({ suppressed }) => suppressed)?.suppressed,
  }
}

/** Returns the consents that a row refuses. */
export function refusalsOf({ details }: Pick<ParsedRow, 'details'>): Details {
  return Object.fromEntries(
    Object.values(consentFields).flatMap(({ key }) => (details[key] === false ? [[key, false]] : [])),
  )
}

/** Loads and locks the contacts that exist for groups, and sets them in the groups. */
export async function loadExisting(tx: Ctx, groups: readonly RowGroup[]): Promise<void> {
  if (groups.length === 0) return
  const keys = groups.map(({ key }) => key)
  const contacts = await planInIndexOrder(
    tx,
    () => tx.sql<Contact & { key: string }>`
      SELECT ${contactColumns}, address_key(c.email) AS key FROM contact c WHERE c.ctid = ANY (ARRAY(
        SELECT f.ctid FROM unnest(${keys}::text[]) AS g(key) CROSS JOIN LATERAL (
          SELECT k.ctid, address_key(k.email) AS key FROM contact k WHERE k.account_id = ${tx.sql.account}
            AND address_key(k.email) >= g.key ORDER BY address_key(k.email) LIMIT 1) f WHERE f.key = g.key))
      ORDER BY c.id + 0 FOR UPDATE`,
  )
  const byKey = new Map(contacts.map(({ key, ...contact }) => [key, contact]))
  for (const group of groups) {
    const contact = byKey.get(group.key)
    if (contact) Object.assign(group, { before: contact, id: contact.id })
  }
}

/** Returns the id of a group's contact. Throws if the contact has not been inserted yet. */
export function contactIdOf({ id, key }: RowGroup): number {
  if (id === undefined) throw new Error(`The contact ${key} has no id yet.`)
  return id
}

/** Returns an error for each row of a group. */
export function groupErrors({ rows }: RowGroup, problem: CellProblem): RowError[] {
  return rows.map(({ line }) => rowError(line, '', problem))
}
