import { z } from 'zod'
import type { ConsentKind } from '../../../prisma/generated/client/client.ts'
import type { Ctx } from '../../db/context.ts'
import { filterOn, onColumns } from '../../db/filters/filter.ts'
import { flag, oneOf, reference, text, time } from '../../db/filters/filter-fields.ts'
import { newList } from '../../db/lists/list.ts'
import { pagesWithin } from '../../db/lists/pages.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { table } from '../../db/table.ts'
import { text as textOf } from '../../kernel/values/check.ts'
import { type ConsentKey, consentFields, type FieldConsent } from '../record/fields.ts'

/** Origin of a consent, and the text that the contact agreed to. */
export const ConsentSource = z.object({
  source: textOf(255).default('api'),
  text: textOf(5000).default(''),
  ip: textOf(45).default(''),
  documentVersion: textOf(100).default(''),
})

export type ConsentSource = Omit<z.output<typeof ConsentSource>, 'documentVersion'> & {
  readonly documentVersion?: string
}

/** Records that a contact gave or withdrew consents. */
export async function record(
  tx: Ctx,
  contactId: number,
  changes: Readonly<Partial<Record<FieldConsent, boolean>>>,
  source: ConsentSource,
): Promise<void> {
  const kinds = Object.entries(changes) as [FieldConsent, boolean][]
  await recordAll(
    tx,
    kinds.map(([kind, granted]) => ({ contactId, kind, granted })),
    source,
  )
}

/** Returns true if the contact's last consent record for e-mail marketing is a withdrawal. False without any record. */
export async function isWithdrawn(tx: Ctx, contactId: number): Promise<boolean> {
  return (await withdrawnAmong(tx, [contactId])).has(contactId)
}

/**
 * Returns the SQL condition that a contact withdrew consent to marketing e-mail at any time. `contactId` is a column of the
 * statement.
 */
export function hasWithdrawn(ctx: Ctx, contactId: Sql): Sql {
  return sql`EXISTS (SELECT FROM contact_consent n WHERE n.account_id = ${ctx.sql.account} AND n.contact_id = ${contactId}
    AND n.kind = 'EMAIL_MARKETING' AND NOT n.granted)`
}

/** Returns those of the contacts for which `isWithdrawn` is true. */
export async function withdrawnAmong(tx: Ctx, contactIds: readonly number[]): Promise<ReadonlySet<number>> {
  const rows = await tx.sql<{ id: number }>`
    SELECT g.id FROM unnest(${contactIds}::int[]) AS g(id) CROSS JOIN LATERAL (
      SELECT n.granted FROM contact_consent n
      WHERE n.account_id = ${tx.sql.account} AND n.contact_id = g.id AND n.kind = 'EMAIL_MARKETING'
      ORDER BY n.created_at DESC, n.id DESC LIMIT 1) last
    WHERE NOT last.granted`
  return new Set(rows.map(({ id }) => id))
}

/**
 * Returns true if the contact's last consent record for e-mail marketing, or for a topic, is a withdrawal after a time from one
 * of the sources.
 */
export async function isWithdrawnSince(
  tx: Ctx,
  contactId: number,
  {
    topicId,
    since,
    sources,
  }: { readonly topicId: number | null; readonly since: Date; readonly sources: readonly string[] },
): Promise<boolean> {
  const [last] = await tx.sql<{ isRecent: boolean }>`
    SELECT NOT n.granted AND n.created_at > ${since}::timestamptz AND n.source = ANY(${sources}) AS "isRecent" FROM contact_consent n
    WHERE n.account_id = ${tx.sql.account} AND n.contact_id = ${contactId}::int
      AND n.kind = ${topicId === null ? 'EMAIL_MARKETING' : 'TOPIC'}::consent_kind AND n.topic_id IS NOT DISTINCT FROM ${topicId}::int
    ORDER BY n.created_at DESC, n.id DESC LIMIT 1`
  return last?.isRecent ?? false
}

/** Returns the last record of a contact for each consent that is a field of it. */
export async function consentStateOf(
  tx: Ctx,
  contactId: number,
): Promise<Map<FieldConsent, { granted: boolean; at: Date }>> {
  const rows = await tx.sql<{ kind: FieldConsent; granted: boolean; at: Date }>`
    SELECT DISTINCT ON (kind) kind::text AS kind, granted, created_at AS at FROM contact_consent
    WHERE account_id = ${tx.sql.account} AND contact_id = ${contactId}::int AND kind <> 'TOPIC'
    ORDER BY kind, created_at DESC, id DESC`
  return new Map(rows.map(({ kind, ...state }) => [kind, state]))
}

/** A consent that a contact gives or withdraws. */
interface ConsentChange {
  readonly contactId: number
  readonly kind: ConsentKind
  readonly granted: boolean
  /** The topic of a consent of the kind TOPIC. */
  readonly topicId?: number
}

/** Returns the consent changes for the fields that are set. */
export function consentChanges(
  contactId: number,
  fields: { readonly [Key in ConsentKey]?: boolean | undefined },
): ConsentChange[] {
  return (Object.keys(consentFields) as FieldConsent[]).flatMap((kind) => {
    const granted = fields[consentFields[kind].key]
    return granted === undefined ? [] : [{ contactId, kind, granted }]
  })
}

/** Records consents that contacts gave or withdrew. */
export async function recordAll(tx: Ctx, changes: readonly ConsentChange[], source: ConsentSource): Promise<void> {
  if (changes.length === 0) return
  await tx.sql.later`
    INSERT INTO contact_consent (account_id, contact_id, kind, granted, topic_id, source, text, ip, document_version, created_at)
    SELECT ${tx.sql.account}::int, g."contactId", g.kind::consent_kind, g.granted, g."topicId", ${source.source}, ${source.text},
      ${source.ip}, ${source.documentVersion ?? ''}, ${tx.clock.now()}::timestamptz
    FROM json_to_recordset(${JSON.stringify(changes)}::json) AS g("contactId" int, kind text, granted boolean, "topicId" int)`
}

export const consentTable = table('ContactConsent', 'n')

/** The filter of consents. */
export const consentFilter = filterOn(consentTable, {
  kind: oneOf<ConsentKind>('ConsentKind', sql`n.kind`, 'consent_kind'),
  ...onColumns(flag, consentTable, 'granted'),
  topics: reference('Topic', sql`n.topic_id`),
  ...onColumns(text, consentTable, 'source', 'text', 'ip', 'documentVersion'),
  ...onColumns(time, consentTable, 'createdAt'),
})

/** All consents of an account. */
export const consents = newList(consentTable, {
  name: 'consents',
  orders: { CREATED_AT: 'createdAt' },
  filter: consentFilter,
})

/** Loads consents by id. */
export const { byId } = consentTable

/** Returns the consents that a contact gave or withdrew. Newest first by default. */
export const listOfContact = pagesWithin(consents, consentTable.within('contactId'))
