import type { ContactChangeKind } from '../../../prisma/generated/client/client.ts'
import { sql } from '../../db/sql.ts'
import { consentTable } from '../consents/consents.ts'
import type { TimelineSource } from '../ports.ts'
import { changeTable } from '../record/change-log.ts'
import { entryTypes } from './change-entries.ts'

const change = {
  kind: 'ContactChange',
  needs: 'contacts:read',
  at: sql`h.created_at`,
  id: sql`h.id`,
  data: sql`jsonb_build_object('actor', h.actor, 'actorId', h.actor_id, 'bulkJobId', h.bulk_job_id, 'tagId', h.tag_id,
    'customFieldId', h.custom_field_id, 'field', h.field, 'oldValue', h.old_value, 'newValue', h.new_value)`,
} as const

/** Returns the source of changes of a kind. */
function changesOf(kind: ContactChangeKind, rank: number, description: string): TimelineSource {
  const { from } = changeTable.within('contactId')
  return {
    ...change,
    rank,
    description,
    from: (ctx) => sql`${from(ctx)} AND h.kind = ${kind}::contact_change_kind`,
  }
}

/** The entries of this module in timelines, by type. */
export const contactTimeline = {
  [entryTypes.CREATED]: changesOf('CREATED', 1, 'The contact was created.'),
  [entryTypes.FIELD]: changesOf('FIELD', 2, 'A field of the contact was updated.'),
  [entryTypes.CUSTOM_FIELD]: changesOf('CUSTOM_FIELD', 3, 'A custom field value of the contact was set or removed.'),
  [entryTypes.TAG_ADDED]: changesOf('TAG_ADDED', 4, 'A tag was added to the contact.'),
  [entryTypes.TAG_REMOVED]: changesOf('TAG_REMOVED', 5, 'A tag was removed from the contact.'),
  CONSENT_RECORDED: {
    rank: 6,
    kind: 'ConsentEntry',
    needs: 'contacts:read',
    description: 'The contact gave or withdrew a consent.',
    at: sql`n.created_at`,
    id: sql`n.id`,
    data: sql`jsonb_build_object('consentId', n.id::text)`,
    from: consentTable.within('contactId').from,
  },
} as const satisfies Readonly<Record<string, TimelineSource>>
