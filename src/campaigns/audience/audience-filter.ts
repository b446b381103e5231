import { contactFilters } from '../../contacts/index.ts'
import type { Ctx } from '../../db/context.ts'
import { compileFilter } from '../../db/filters/filter.ts'
import { checkFilter } from '../../db/filters/filter-check.ts'
import { invalid } from '../../kernel/errors.ts'
import { mustBeAllowed } from '../../kernel/scopes.ts'
import { idOf } from '../../kernel/values/ids.ts'

type ContactFilter = contactFilters.ContactFilter

/** Maximum number of ids in one list. */
const maxIds = 1_000

/** The criteria of lists of ids, each with the type of its ids and its field in the filter for contacts. */
const criteria = {
  Tag: { type: 'Tag', field: 'tags' },
  Segment: { type: 'Segment', field: 'segments' },
  Sequence: { type: 'Sequence', field: 'sequences' },
  Opened: { type: 'Campaign', field: 'campaignsOpened' },
  NotOpened: { type: 'Campaign', field: 'campaignsNotOpened' },
  Clicked: { type: 'Campaign', field: 'campaignsClicked' },
  NotClicked: { type: 'Campaign', field: 'campaignsNotClicked' },
} as const

type Criterion = keyof typeof criteria
export type ListName = `${'include' | 'exclude'}${Criterion}Ids`

/** The names of the lists: for each criterion one that includes contacts and one that excludes them. */
const listNames = (Object.keys(criteria) as Criterion[]).flatMap((criterion): ListName[] => [
  `include${criterion}Ids`,
  `exclude${criterion}Ids`,
])

/** Lists as clients send them: ids are global ids or integers. */
type AudienceLists = { readonly [Name in ListName]?: readonly (string | number)[] | null | undefined }

/**
 * An audience as it is stored: a filter for contacts, and the lists as integers. Both must match.
 */
export type StoredAudience = { readonly [Name in ListName]?: readonly number[] } & {
  readonly filter?: ContactFilter
}

/** An audience as clients send it. */
export interface AudienceInput {
  readonly filter?: ContactFilter | null | undefined
  readonly lists?: AudienceLists | null | undefined
}

/**
 * Merges an audience into the stored one. A filter replaces all of it. A list replaces the stored list, an empty list removes
 * it, and an absent list stays.
 *
 * **Throws** VALIDATION_ERROR, and FORBIDDEN for a condition whose scope the key lacks.
 */
export async function mergeAudience(
  ctx: Ctx,
  stored: StoredAudience,
  { filter, lists }: AudienceInput,
  path: string,
): Promise<StoredAudience> {
  const isListGiven = Object.values(lists ?? {}).some((list) => list != null)
  if (filter != null) {
    if (isListGiven) throw invalid({ [`${path}lists`]: ['cannot be combined with filter'] })
    await mustBeValid(ctx, filter, `${path}filter`)
    // As it is stored: times are text in JSON.
    return { filter: JSON.parse(JSON.stringify(filter)) }
  }
  if (!isListGiven) return stored
  const merged = Object.fromEntries(
    listNames.flatMap((name) => {
      const ids = lists?.[name]
      const list = ids == null ? stored[name] : toIntegers(name, ids, `${path}lists`)
      return list && list.length > 0 ? [[name, list]] : []
    }),
  )
  // The REST specification lets every key that writes campaigns use these lists. Other clients need the scopes.
  if (!ctx.isFixedDocument) {
    await mustBeValid(ctx, toFilter(merged), `${path}lists`)
  }
  return { ...merged, ...(stored.filter && { filter: stored.filter }) }
}

async function mustBeValid(ctx: Ctx, filter: ContactFilter, path: string): Promise<void> {
  mustBeAllowed(ctx, 'contacts:read')
  await checkFilter(ctx, contactFilters.contactFilter, filter, path)
  await compileFilter(ctx, contactFilters.contactFilter, filter, path)
}

/** Returns the filter for contacts of a stored audience. */
export function toFilter({ filter, ...lists }: StoredAudience): ContactFilter {
  const conditions = (direction: 'include' | 'exclude') =>
    listNames.flatMap((name): ContactFilter[] => {
      const ids = lists[name]
      if (!name.startsWith(direction) || !ids?.length) return []
      return [{ [criteria[criterionOf(name)].field]: direction === 'include' ? { any: ids } : { none: ids } }]
    })
  const [included, excluded] = [conditions('include'), conditions('exclude')]
  if (included.length + excluded.length === 0) return filter ?? {}
  const within: ContactFilter[] = included.length < 2 ? included : [{ or: included }]
  return { and: [...within, ...excluded, ...(filter ? [filter] : [])] }
}

function criterionOf(name: ListName): Criterion {
  return name.slice('include'.length, -'Ids'.length) as Criterion
}

function toIntegers(name: ListName, ids: readonly (string | number)[], path: string): number[] {
  if (ids.length > maxIds) throw invalid({ [`${path}.${name}`]: [`must have ${maxIds} ids at most`] }, 'TOO_LONG')
  const { type } = criteria[criterionOf(name)]
  // Campaigns return unknown integers as they were sent, as far as a number can represent them.
  return ids.map((id) => (/^-?\d{1,15}$/.test(String(id)) ? Number(id) : idOf(type, id, `${path}.${name}`)))
}
