import type { ActorKind, Contact, ContactChangeKind } from '../../../prisma/generated/client/client.ts'
import type { Ctx } from '../../db/context.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { table } from '../../db/table.ts'
import { type EventData, emitAll, emitWithIds } from '../../events/index.ts'
import type { Caller } from '../../kernel/scopes.ts'
import { type ConsentKey, consentFields, type RegionalKey, regionalFields, type TextKey, textFields } from './fields.ts'
import type { ContactChanges } from './regional.ts'

// The only place where events of contacts are emitted: each change is recorded in the transaction in which it is announced.

export const changeTable = table('ContactChange', 'h')

const changeFields = { ...textFields, ...regionalFields, ...consentFields }
/** A field of a contact whose changes are recorded. */
export type ChangeField = keyof typeof changeFields
type FieldKey = TextKey | RegionalKey | ConsentKey

const nameOfKey = Object.fromEntries(Object.entries(changeFields).map(([name, { key }]) => [key, name])) as Readonly<
  Record<FieldKey, ChangeField>
>

/** A change to record. Its time and its author are those of the transaction. */
interface NewChange {
  readonly contactId: number
  readonly kind: ContactChangeKind
  readonly tagId?: number
  readonly customFieldId?: number
  readonly field?: ChangeField
  readonly oldValue?: string | null
  readonly newValue?: string | null
}

/**
 * Records that contacts were created. Their initial values are not recorded: they follow from the current values and the old
 * values of later changes. **Emits** `contact.created`.
 */
export async function announceCreated(tx: Ctx, contactIds: readonly number[]): Promise<void> {
  const created = contactIds.map((contactId) => ({ contactId }))
  await announce(tx, 'contact.created', 'CREATED', created, () => ({}))
}

/** A contact before a change, and the fields that have other values after it. */
interface Update {
  readonly before: Contact
  readonly changed: ContactChanges
}

/**
 * Records the changed fields of contacts. **Emits** `contact.updated`, and `contact.unsubscribed` or `contact.resubscribed` if
 * the consent to e-mail marketing changes.
 */
export async function announceUpdated(tx: Ctx, updates: readonly Update[]): Promise<void> {
  const changes = updates.flatMap(({ before, changed }) => fieldChanges(before, changed))
  const contactId = changes[0]?.contactId
  if (contactId !== undefined && updates.length === 1 && changes.every(({ field }) => field !== 'EMAIL_MARKETING'))
    return emitWithIds(tx, 'contact.updated', { contactId }, { field: 'changes', insertion: insertion(tx, changes) })
  const recorded = (await record(tx, changes)).map((id, index) => ({ id, ...(changes[index] as NewChange) }))
  const byContact = [...Map.groupBy(recorded, ({ contactId }) => contactId)]
  const consents = recorded.filter(({ field }) => field === 'EMAIL_MARKETING')
  const eventsOf = (newValue: string) =>
    consents.filter((change) => change.newValue === newValue).map(({ contactId, id }) => ({ contactId, changes: [id] }))
  const updated = byContact.map(([contactId, all]) => ({ contactId, changes: all.map(({ id }) => id) }))
  await emitAll(tx, 'contact.updated', updated)
  await emitAll(tx, 'contact.unsubscribed', eventsOf('false'))
  await emitAll(tx, 'contact.resubscribed', eventsOf('true'))
}

/** A tag of a contact. */
interface ContactTag {
  readonly contactId: number
  readonly tagId: number
}

/** The contacts that an import has just created, whose tags and values are initial values. */
type NewContacts = ReadonlySet<number>

/**
 * Records that tags were added to contacts, except to new ones. **Emits** `contact.tag_added`, for new contacts without a
 * recorded change.
 */
export async function announceTagsAdded(
  tx: Ctx,
  added: readonly ContactTag[],
  created: NewContacts = new Set(),
): Promise<void> {
  const [initial, later] = split(added, created)
  await emitAll(tx, 'contact.tag_added', initial)
  await announce(tx, 'contact.tag_added', 'TAG_ADDED', later, ({ tagId }) => ({ tagId }))
}

/** Records that tags were removed from contacts. **Emits** `contact.tag_removed`. */
export async function announceTagsRemoved(tx: Ctx, removed: readonly ContactTag[]): Promise<void> {
  await announce(tx, 'contact.tag_removed', 'TAG_REMOVED', removed, ({ tagId }) => ({ tagId }))
}

/** A custom field value that changed. A value is null if there was or is none. */
export interface ChangedValue {
  readonly contactId: number
  readonly customFieldId: number
  readonly oldValue: string | null
  readonly value: string | null
}

/**
 * Records changed custom field values, except of new contacts. **Emits** `contact.field_updated`, with an empty text for a
 * removed value, and for new contacts without a recorded change.
 */
export async function announceValues(
  tx: Ctx,
  changed: readonly ChangedValue[],
  created: NewContacts = new Set(),
): Promise<void> {
  const [initial, later] = split(changed, created)
  const changes = later.map(({ value, ...change }) => ({ ...change, kind: 'CUSTOM_FIELD', newValue: value }) as const)
  const ids = await record(tx, changes)
  const toEvent = ({ contactId, customFieldId, value }: ChangedValue) => ({
    contactId,
    customFieldId,
    value: value ?? '',
  })
  const events = later.map((change, index) => ({ ...toEvent(change), changes: ids.slice(index, index + 1) }))
  await emitAll(tx, 'contact.field_updated', [...initial.map(toEvent), ...events])
}

/** Separates the changes of new contacts from the others. */
function split<Change extends { readonly contactId: number }>(
  changes: readonly Change[],
  created: NewContacts,
): readonly [Change[], Change[]] {
  const isInitial = ({ contactId }: Change) => created.has(contactId)
  return [changes.filter(isInitial), changes.filter((change) => !isInitial(change))]
}

async function announce<
  Type extends 'contact.created' | 'contact.tag_added' | 'contact.tag_removed',
  Data extends EventData[Type],
>(
  tx: Ctx,
  type: Type,
  kind: ContactChangeKind,
  all: readonly Data[],
  toChange: (data: Data) => Partial<NewChange>,
): Promise<void> {
  const changes = all.map((data) => ({ contactId: data.contactId, kind, ...toChange(data) }))
  const [data] = all
  if (data && all.length === 1)
    return emitWithIds(tx, type, data, { field: 'changes', insertion: insertion(tx, changes) })
  const ids = await record(tx, changes)
  await emitAll(
    tx,
    type,
    all.map((data, index) => ({ ...data, changes: ids.slice(index, index + 1) })),
  )
}

const keyOfSource: Readonly<Record<string, FieldKey>> = Object.fromEntries(
  Object.values(regionalFields).map(({ key, sourceKey }) => [sourceKey, key]),
)

/** Returns a change for each field. One of how a value is known is a change of its field. */
function fieldChanges(before: Contact, changed: Update['changed']): NewChange[] {
  const keys = new Set(Object.keys(changed).map((key) => keyOfSource[key] ?? (key as FieldKey)))
  return [...keys].map((key) => ({
    contactId: before.id,
    kind: 'FIELD',
    field: nameOfKey[key],
    oldValue: String(before[key]),
    newValue: String(changed[key] ?? before[key]),
  }))
}

/** Records changes with one statement. Returns their ids in the same order, as text, because they exceed a number of JSON. */
async function record(tx: Ctx, changes: readonly NewChange[]): Promise<string[]> {
  if (changes.length === 0) return []
  const recorded = await tx.sql<{ id: bigint }>`${insertion(tx, changes)}`
  return recorded.map((row) => String(row.id))
}

/**
 * Returns the statement that records changes, which returns their ids. A single one has parameters, which cost less than JSON.
 */
function insertion(tx: Ctx, changes: readonly NewChange[]): Sql {
  const { kind, id } = actorOf(tx)
  const [change] = changes
  const columns = sql`account_id, created_at, actor, actor_id, bulk_job_id, contact_id, kind, tag_id, custom_field_id, field,
    old_value, new_value`
  const shared = sql`${tx.sql.account}::int, ${tx.clock.now()}::timestamptz, ${kind}::actor_kind, ${id ?? null}::int,
    ${tx.bulkJobId ?? null}::int`
  if (change && changes.length === 1)
    return sql`INSERT INTO contact_change (${columns}) VALUES (${shared}, ${change.contactId}::int,
      ${change.kind}::contact_change_kind, ${change.tagId ?? null}::int, ${change.customFieldId ?? null}::int,
      ${change.field ?? null}, ${change.oldValue ?? null}, ${change.newValue ?? null}) RETURNING id`
  const rows = changes.map((each, place) => ({ ...each, place }))
  return sql`INSERT INTO contact_change (${columns})
    SELECT ${shared}, g."contactId", g.kind::contact_change_kind, g."tagId", g."customFieldId", g.field, g."oldValue", g."newValue"
    FROM json_to_recordset(${JSON.stringify(rows)}::json) AS g(place int, "contactId" int, kind text, "tagId" int,
      "customFieldId" int, field text, "oldValue" text, "newValue" text) ORDER BY g.place RETURNING id`
}

function actorOf({ actor, keyId, user }: Caller): { readonly kind: ActorKind; readonly id?: number | undefined } {
  if (actor) return actor
  if (user) return { kind: 'USER', id: user.id }
  return keyId === undefined ? { kind: 'BACKGROUND_JOB' } : { kind: 'API_KEY', id: keyId }
}

/** Returns the SQL address that a contact had at a time, if it has changed since; otherwise null. Arguments are columns. */
export function emailBefore(accountId: Sql, contactId: Sql, at: Sql): Sql {
  return sql`(SELECT h.old_value FROM contact_change h WHERE h.account_id = ${accountId} AND h.contact_id = ${contactId}
    AND h.field = 'EMAIL' AND h.created_at > ${at} ORDER BY h.created_at, h.id LIMIT 1)`
}
