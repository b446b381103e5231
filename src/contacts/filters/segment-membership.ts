import type { Ctx } from '../../db/context.ts'
import type { StoredFilters } from '../../db/filters/filter.ts'
import { type MembershipFilter, memberships, readMembers } from '../../db/filters/filter-fields.ts'
import { byId } from './segment-table.ts'

/** Condition on the segments that a contact is in. */
export type SegmentMembership = Omit<MembershipFilter, 'exists'>

/** The segments that a contact is in: their filters. A segment that was deleted contains no contact. */
export const segmentMembership: StoredFilters<'segments', SegmentMembership> = {
  kind: 'segments',
  expand: async (value, place) => {
    const read = (name: (typeof memberships)[number]) => readMembers('Segment', name, value[name], place)
    const [all, any, none] = await Promise.all(memberships.map((name) => filtersOf(place.ctx, read(name))))
    return { and: [...(all ?? []), ...(any ? [{ or: any }] : []), ...(none ? [{ not: { or: none } }] : [])] }
  },
}

async function filtersOf(ctx: Ctx, ids: readonly number[] | undefined): Promise<object[] | undefined> {
  if (!ids) return undefined
  const segments = await Promise.all(ids.map((id) => ctx.load(byId, id)))
  return segments.map((segment) => (segment ? (segment.filter as object) : { or: [] }))
}
