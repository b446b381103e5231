import { z } from 'zod'
import type { ConsentKind } from '../../prisma/generated/client/client.ts'
import type { Ctx } from '../db/context.ts'
import { newList, pagesWithin } from '../db/list.ts'
import { sql } from '../db/sql.ts'
import { table } from '../db/table.ts'
import { text } from '../kernel/check.ts'
import { type ConsentKey, consentFields } from './fields.ts'

/** Origin of a consent, and the text that the contact agreed to. */
export const ConsentSource = z.object({
  source: text(255).default('api'),
  text: text(5000).default(''),
  ip: text(45).default(''),
})

export type ConsentSource = z.output<typeof ConsentSource>

/** Records that a contact gave or withdrew consents. */
export async function record(
  tx: Ctx,
  contactId: number,
  changes: Readonly<Partial<Record<ConsentKind, boolean>>>,
  source: ConsentSource,
): Promise<void> {
  const kinds = Object.entries(changes) as [ConsentKind, boolean][]
  await recordAll(
    tx,
    kinds.map(([kind, granted]) => ({ contactId, kind, granted })),
    source,
  )
}

/** Returns true if the contact's last consent record for e-mail marketing is a withdrawal. False without any record. */
export async function isWithdrawn(tx: Ctx, contactId: number): Promise<boolean> {
  const [last] = await tx.sql<{ granted: boolean }>`
    SELECT granted FROM contact_consent
    WHERE account_id = ${tx.sql.account} AND contact_id = ${contactId}::int AND kind = 'EMAIL_MARKETING'
    ORDER BY created_at DESC, id DESC LIMIT 1`
  return last?.granted === false
}

/** A consent that a contact gives or withdraws. */
interface ConsentChange {
  readonly contactId: number
  readonly kind: ConsentKind
  readonly granted: boolean
}

/** Returns the consent changes for the fields that are set. */
export function consentChanges(
  contactId: number,
  fields: { readonly [Key in ConsentKey]?: boolean | undefined },
): ConsentChange[] {
  return (Object.keys(consentFields) as ConsentKind[]).flatMap((kind) => {
    const granted = fields[consentFields[kind].key]
    return granted === undefined ? [] : [{ contactId, kind, granted }]
  })
}

/** Records consents that contacts gave or withdrew. */
export async function recordAll(tx: Ctx, changes: readonly ConsentChange[], source: ConsentSource): Promise<void> {
  if (changes.length === 0) return
  await tx.sql`
    INSERT INTO contact_consent (account_id, contact_id, kind, granted, source, text, ip, created_at)
    SELECT ${tx.sql.account}::int, g."contactId", g.kind::consent_kind, g.granted, ${source.source}, ${source.text}, ${source.ip},
      ${tx.clock.now()}::timestamptz
    FROM json_to_recordset(${JSON.stringify(changes)}::json) AS g("contactId" int, kind text, granted boolean)`
}

/** Filter for consents. All conditions must match. */
export interface ConsentFilter {
  kinds?: readonly ConsentKind[] | null | undefined
  granted?: boolean | null | undefined
}

const consentTable = table('ContactConsent', 'n')

/** All consents of an account. */
export const consents = newList(consentTable, {
  name: 'consents',
  orders: { CREATED_AT: 'createdAt' },
  where: ({ kinds, granted }: ConsentFilter) => [
    ...(kinds == null ? [] : [sql`n.kind = ANY(${[...kinds]}::text[]::consent_kind[])`]),
    ...(granted == null ? [] : [sql`n.granted = ${granted}`]),
  ],
})

/** Loads consents by id. */
export const { byId } = consentTable

/** Returns the consents that a contact gave or withdrew. Newest first by default. */
export const listOfContact = pagesWithin(consents, consentTable.within('contactId'))
