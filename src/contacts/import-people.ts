import type { Contact } from '../../prisma/generated/client/client.ts'
import type { Ctx } from '../db/context.ts'
import { planInIndexOrder } from '../db/plans.ts'
import { contactColumns } from './contact-list.ts'
import type { Details, LineFault, ReadRow } from './import-row.ts'

/** Everybody whom some rows of a file are about: all rows of one address are one person. */
export interface Person {
  /** The address in small letters, as the database makes them. */
  readonly key: string
  readonly rows: readonly ReadRow[]
  readonly email: string
  readonly details: Details
  readonly tags: readonly string[]
  readonly values: ReadonlyMap<number, string>
  /** The contact as it was before; absent where it is made here. */
  before?: Contact
  /** Its id, once it is known. */
  id?: number
}

/** Whom rows are about: of what rows of one address say the later one counts, and what it leaves empty stays. */
export async function peopleOf(tx: Ctx, rows: readonly ReadRow[]): Promise<Person[]> {
  // Which letters are the same in another case, the index knows that keeps addresses unique. It is asked row by row for the
  // first address from there on, which no other index can answer, however large PostgreSQL takes the table to be.
  const keys = await planInIndexOrder(
    tx,
    () => tx.sql<{ key: string; isKnown: boolean }>`
      SELECT lower(g.email) AS key, c.key IS NOT DISTINCT FROM lower(g.email) AS "isKnown"
      FROM unnest(${rows.map(({ email }) => email)}::text[]) WITH ORDINALITY AS g(email, place)
      LEFT JOIN LATERAL (SELECT lower(k.email) AS key FROM contact k WHERE k.account_id = ${tx.sql.account}
        AND lower(k.email) >= lower(g.email) ORDER BY lower(k.email) LIMIT 1) c ON true ORDER BY g.place`,
  )
  const keyed = rows.map((row, index) => ({ row, ...(keys[index] as (typeof keys)[number]) }))
  const people = [...Map.groupBy(keyed, ({ key }) => key)].map(([key, all]) =>
    merged(
      key,
      all.map(({ row }) => row),
    ),
  )
  const known = new Set(keyed.filter(({ isKnown }) => isKnown).map(({ key }) => key))
  await findKnown(
    tx,
    people.filter(({ key }) => known.has(key)),
  )
  return people
}

function merged(key: string, rows: readonly ReadRow[]): Person {
  const [first] = rows as [ReadRow]
  if (rows.length === 1) return { key, rows, ...first }
  return {
    key,
    rows,
    email: first.email,
    details: Object.assign({}, ...rows.map(({ details }) => details)),
    tags: [...new Set(rows.flatMap(({ tags }) => tags))],
    values: new Map(rows.flatMap(({ values }) => [...values])),
  }
}

/** Finds those who are contacts already, and locks their rows. */
export async function findKnown(tx: Ctx, people: readonly Person[]): Promise<void> {
  if (people.length === 0) return
  const keys = people.map(({ key }) => key)
  const found = await planInIndexOrder(
    tx,
    () => tx.sql<Contact & { key: string }>`
      SELECT ${contactColumns}, lower(c.email) AS key FROM contact c WHERE c.ctid = ANY (ARRAY(
        SELECT f.ctid FROM unnest(${keys}::text[]) AS g(key) CROSS JOIN LATERAL (
          SELECT k.ctid, lower(k.email) AS key FROM contact k WHERE k.account_id = ${tx.sql.account}
            AND lower(k.email) >= g.key ORDER BY lower(k.email) LIMIT 1) f WHERE f.key = g.key))
      ORDER BY c.id + 0 FOR UPDATE`,
  )
  const byKey = new Map(found.map(({ key, ...contact }) => [key, contact]))
  for (const person of people) {
    const contact = byKey.get(person.key)
    if (contact) Object.assign(person, { before: contact, id: contact.id })
  }
}

/** The contact's id, once it is known. */
export function idOf({ id, key }: Person): number {
  if (id === undefined) throw new Error(`Nobody has the address ${key} yet.`)
  return id
}

/** A fault of all rows of a person. */
export function faultsOf({ rows }: Person, message: string): LineFault[] {
  return rows.map(({ line }) => ({ line, column: '', message }))
}
