import { countOf } from '../../account/index.ts'
import type { Ctx } from '../../db/context.ts'
import { counted, type Figure, insertFigures } from '../../db/figures/figures.ts'
import { type Sql, sql } from '../../db/sql.ts'

const shared = { ...counted, needs: 'contacts:read', objects: ['Account'] } as const

/** Figures of contacts. */
export const figures = {
  NEW_CONTACTS: {
    ...shared,
    source: 'contact',
    description: 'Number of contacts that were created, including those that were deleted since.',
  },
  CONSENT_WITHDRAWALS: {
    ...shared,
    source: 'contact_consent',
    description: 'Number of times that a contact withdrew its consent to e-mail marketing, in any way.',
  },
  TAG_CONTACTS: {
    ...shared,
    objects: ['Tag'],
    isState: true,
    source: 'contact_tag',
    description: 'Number of contacts that have the tag at the end of the interval.',
  },
  SEGMENT_CONTACTS: {
    ...shared,
    objects: ['Segment'],
    isState: true,
    source: null,
    description:
      'Number of contacts in the segment at the end of the interval. Counted when the segment is created or its filter is changed, and once a day.',
  },
} as const satisfies Readonly<Record<string, Figure>>

/** Selects the changes that contacts make to figures. `condition` restricts the contacts `c`. */
export function creations(condition: Sql): Sql {
  return sql`SELECT c.account_id, 'NEW_CONTACTS'::text AS figure, '', '', c.created_at, 1 FROM contact c WHERE ${condition}`
}

/**
 * Selects the changes that withdrawn consents to e-mail marketing make to figures: those that followed a consent.
 * `condition` restricts the consents `n`.
 */
export function withdrawals(condition: Sql): Sql {
  return sql`SELECT n.account_id, 'CONSENT_WITHDRAWALS'::text AS figure, '', '', n.created_at, 1 FROM contact_consent n
    WHERE ${condition} AND n.kind = 'EMAIL_MARKETING' AND NOT n.granted AND (
      SELECT p.granted FROM contact_consent p
      WHERE p.account_id = n.account_id AND p.contact_id = n.contact_id AND p.kind = n.kind
        AND (p.created_at, p.id) < (n.created_at, n.id) ORDER BY p.created_at DESC, p.id DESC LIMIT 1)`
}

/** Selects the changes that the tags of contacts make to figures. `condition` restricts the links `h`. */
export function tagLinks(condition: Sql): Sql {
  return sql`SELECT h.account_id, 'TAG_CONTACTS'::text AS figure, 'Tag:' || h.tag_id, '', h.created_at, 1 FROM contact_tag h
    WHERE ${condition}`
}

/**
 * Records that the rows of contacts are about to be deleted. They stay counted, so that figures can be compared with rows, except
 * in the figures of their tags.
 */
export async function keepCounted(tx: Ctx, contactIds: readonly number[]): Promise<void> {
  const kept = (facts: Sql) =>
    sql`SELECT k.account_id, k.figure || ':deleted', '', '', k.at, k.value
      FROM (${facts}) AS k (account_id, figure, object, currency, at, value)`
  const [contact, consents, links] = [
    sql`c.account_id = ${tx.sql.account} AND c.id = ANY(${contactIds}::int[])`,
    sql`n.account_id = ${tx.sql.account} AND n.contact_id = ANY(${contactIds}::int[])`,
    sql`h.account_id = ${tx.sql.account} AND h.contact_id = ANY(${contactIds}::int[])`,
  ]
  const untagged = sql`SELECT u.account_id, u.figure, u.object, '', ${tx.clock.now()}::timestamptz, -u.value
    FROM (${tagLinks(links)}) AS u (account_id, figure, object, currency, at, value)`
  await tx.sql`${insertFigures(sql`${kept(creations(contact))} UNION ALL ${kept(withdrawals(consents))} UNION ALL ${untagged}`)}`
}

/** Returns the number of contacts of the account by its counter, on which lists rely, and by its rows, which should be equal. */
export async function counts(ctx: Ctx): Promise<{ counter: string; rows: string }> {
  const [row] = await ctx.sql<{ counter: string; rows: string }>`
    SELECT ${countOf(ctx, 'contacts')}::text AS counter, count(*)::text AS rows FROM contact WHERE account_id = ${ctx.sql.account}`
  return row as { counter: string; rows: string }
}
