import type { ActorKind, ContactChangeKind } from '../../../prisma/generated/client/client.ts'
import type { Ctx } from '../../db/context.ts'
import { type ChangeField, changeTable } from '../record/change-log.ts'
import type { TimelineEntry } from './entries.ts'

/** The data of a change as an entry of a timeline. */
export interface ChangeData {
  readonly actor: ActorKind
  readonly actorId: number | null
  readonly bulkJobId: number | null
  readonly tagId: number | null
  readonly customFieldId: number | null
  readonly field: ChangeField | null
  readonly oldValue: string | null
  readonly newValue: string | null
}

/** The type of the entries of each kind of change. */
export const entryTypes = {
  CREATED: 'CONTACT_CREATED',
  FIELD: 'FIELD_CHANGED',
  CUSTOM_FIELD: 'CUSTOM_FIELD_CHANGED',
  TAG_ADDED: 'TAG_ADDED',
  TAG_REMOVED: 'TAG_REMOVED',
} as const satisfies Readonly<Record<ContactChangeKind, string>>

/** Returns the changes with the ids, in the same order, without those of deleted contacts. */
export async function entriesById(ctx: Ctx, ids: readonly string[]): Promise<TimelineEntry<ChangeData>[]> {
  const changes = await Promise.all(ids.map((id) => ctx.load(changeTable.byId, BigInt(id))))
  return changes.flatMap((change) => {
    if (!change) return []
    const { id, kind, createdAt, ...data } = change
    return [{ type: entryTypes[kind], id, occurredAt: createdAt, data: data as ChangeData }]
  })
}
