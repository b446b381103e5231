import type { Ctx } from '../../db/context.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { emit } from '../../events/index.ts'
import { invalid } from '../../kernel/errors.ts'
import { consentStateOf, recordAll } from '../consents/consents.ts'
import { ofContact as valuesOf, writeValues } from '../custom-fields/custom-field-values.ts'
import { ports } from '../ports.ts'
import { type Contact, type ContactRef, find, lock, notFound, pathOf } from '../record/contact-lookup.ts'
import { consentFields, detailTexts } from '../record/fields.ts'
import { missingRegional } from '../record/regional.ts'
import { addAll, ofContact as tagsOf } from '../tags/contact-tags.ts'
import { mergeFrequency } from '../topics/frequency.ts'
import { merge as mergeTopics } from '../topics/memberships.ts'
import { removeRows } from './batch-changes.ts'
import { update } from './contacts.ts'

/**
 * Merges a contact into another one, which gets its messages, enrolments, submissions, visits, customers, consents and tags. Its
 * fields and custom fields fill the empty ones. The contact opts out if the merged one did, unless it consented later. No
 * campaign is sent to both. Links in messages that the merged contact got continue to work.
 *
 * **Emits** `contact.deleted`, `contact.updated`, and the events of what is added: tags, values, the end of one of two enrolments
 * in a sequence, `contact.unsubscribed` and `contact.resubscribed`. **Throws** NOT_FOUND, and VALIDATION_ERROR if both are the
 * same contact or the result would have too many tags or sequences.
 */
export async function merge(
  ctx: Ctx,
  input: { contact: ContactRef; into: ContactRef },
): Promise<{ databaseId: number; contact: Contact }> {
  return inTransaction(ctx, async (tx) => {
    const { source, target } = await lockBoth(tx, input)
    const consent = await mergeConsents(tx, source, target)
    await mergeTags(tx, source.id, target.id)
    await mergeTopics(tx, source.id, target.id)
    await mergeFrequency(tx, source.id, target.id)
    await mergeValues(tx, source.id, target.id)
    await ports.merge(tx, source, target)
    await mergeChanges(tx, source.id, target.id)
    await mergeActivity(tx, source, target)
    await redirectMerged(tx, source.id, target.id)
    await removeRows(tx, [source.id])
    const changes = { ...missingTexts(source, target), ...missingRegional(source, target), ...consent }
    const { contact } = await update(tx, { contact: { id: target.id }, ...changes, consent: { source: 'merge' } })
    await recordRefusals(tx, contact)
    const isUpdated = Object.entries(changes).some(([key, value]) => target[key as keyof Contact] !== value)
    if (!isUpdated) await emit(tx, 'contact.updated', { contactId: target.id })
    return { databaseId: source.id, contact }
  })
}

/** Locks both contacts in the order of their ids, so that two merges cannot block each other. */
async function lockBoth(
  tx: Ctx,
  input: { contact: ContactRef; into: ContactRef },
): Promise<{ source: Contact; target: Contact }> {
  const source = await find(tx, input.contact)
  const target = await find(tx, input.into, 'into')
  if (!source) throw notFound(pathOf(input.contact))
  if (!target) throw notFound(pathOf(input.into, 'into'))
  if (source.id === target.id) throw invalid({ into: ['must be another contact'] })
  const locked: Contact[] = []
  for (const { id } of [source, target].toSorted((a, b) => a.id - b.id)) locked.push(await lock(tx, { id }))
  const [first, second] = locked as [Contact, Contact]
  return first.id === source.id ? { source: first, target: second } : { source: second, target: first }
}

/** Moves the consents, and returns the consents of the result that differ from those of the target. */
async function mergeConsents(
  tx: Ctx,
  source: Contact,
  target: Contact,
): Promise<{ emailMarketing: boolean; gdpr: boolean }> {
  const [ofSource, ofTarget] = [await consentStateOf(tx, source.id), await consentStateOf(tx, target.id)]
  const result = (kind: 'EMAIL_MARKETING' | 'GDPR', own: boolean, other: boolean): boolean => {
    const [given, taken] = [ofTarget.get(kind), ofSource.get(kind)]
    if (taken?.granted === false) return own && given !== undefined && given.at > taken.at
    // A contact without a record never decided.
    return given ? own : own || other
  }
  await tx.sql`
    UPDATE contact_consent SET contact_id = ${target.id}::int
    WHERE account_id = ${tx.sql.account} AND contact_id = ${source.id}::int`
  return {
    emailMarketing: result('EMAIL_MARKETING', target.emailMarketing, source.emailMarketing),
    gdpr: result('GDPR', target.gdpr, source.gdpr),
  }
}

/**
 * Records a refusal that won against a consent which is later: the last record decides whether a consent is withdrawn, so that
 * nothing revives it.
 */
async function recordRefusals(tx: Ctx, contact: Contact): Promise<void> {
  const last = await consentStateOf(tx, contact.id)
  const refused = [...last].flatMap(([kind, { granted }]) => (granted && !contact[consentFields[kind].key] ? kind : []))
  await recordAll(
    tx,
    refused.map((kind) => ({ contactId: contact.id, kind, granted: false })),
    { source: 'merge', text: '', ip: '' },
  )
}

async function mergeTags(tx: Ctx, sourceId: number, targetId: number): Promise<void> {
  const tags = (await tagsOf.batch(tx, [sourceId])).get(sourceId) ?? []
  await addAll(
    tx,
    [targetId],
    tags.map(({ id }) => id),
    'contact',
  )
}

async function mergeValues(tx: Ctx, sourceId: number, targetId: number): Promise<void> {
  const values = await valuesOf.batch(tx, [sourceId, targetId])
  const known = new Set((values.get(targetId) ?? []).map(({ customField }) => customField.id))
  const missing = (values.get(sourceId) ?? []).filter(({ customField }) => !known.has(customField.id))
  await writeValues(
    tx,
    missing.map(({ customField, value }) => ({ contactId: targetId, customFieldId: customField.id, value })),
  )
}

/** Gives the log of changes to the target, so that its timeline shows what happened to both. */
async function mergeChanges(tx: Ctx, sourceId: number, targetId: number): Promise<void> {
  await tx.sql`
    UPDATE contact_change SET contact_id = ${targetId}::int
    WHERE account_id = ${tx.sql.account} AND contact_id = ${sourceId}::int`
}

async function mergeActivity(tx: Ctx, source: Contact, target: Contact): Promise<void> {
  await tx.sql`
    UPDATE contact c SET last_active_at = greatest(c.last_active_at, ${source.lastActiveAt}::timestamptz)
    WHERE c.account_id = ${tx.sql.account} AND c.id = ${target.id}::int`
}

/** Lets the id of the merged contact, and those of contacts that were merged into it, lead to the target. */
async function redirectMerged(tx: Ctx, sourceId: number, targetId: number): Promise<void> {
  await tx.sql`
    UPDATE contact_merge SET into_id = ${targetId}::int
    WHERE account_id = ${tx.sql.account} AND into_id = ${sourceId}::int`
  await tx.sql`
    INSERT INTO contact_merge (account_id, contact_id, into_id, created_at)
    VALUES (${tx.sql.account}::int, ${sourceId}::int, ${targetId}::int, ${tx.clock.now()}::timestamptz)`
}

/** Returns the texts of a contact that the other one does not have. */
function missingTexts(source: Contact, target: Contact): Partial<Record<string, string>> {
  return Object.fromEntries(
    detailTexts.flatMap(({ key }) => (target[key] === '' && source[key] !== '' ? [[key, source[key]]] : [])),
  )
}

/** Returns the SQL id of the contact that a contact was merged into, or else its own. The arguments are columns. */
export function currentId(accountId: Sql, contactId: Sql): Sql {
  return sql`coalesce((SELECT merged.into_id FROM contact_merge merged
    WHERE merged.account_id = ${accountId} AND merged.contact_id = ${contactId}), ${contactId})`
}
