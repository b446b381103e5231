import { z } from 'zod'
import { check } from '../kernel/check.ts'
import { idOf, largestId } from '../kernel/ids.ts'

/** How many ids one list of a filter can have. */
const mostIds = 1_000

/** What contacts are chosen by, and what the ids in each list are ids of. */
export const criteria = {
  Tag: 'Tag',
  Sequence: 'Sequence',
  Opened: 'Campaign',
  NotOpened: 'Campaign',
  Clicked: 'Campaign',
  NotClicked: 'Campaign',
} as const

export type Criterion = keyof typeof criteria
export type ListName = `${'include' | 'exclude'}${Criterion}Ids`

/** The names of the twelve lists: for each criterion those who are in, and those who are out. */
export const listNames = (Object.keys(criteria) as Criterion[]).flatMap((criterion): ListName[] => [
  `include${criterion}Ids`,
  `exclude${criterion}Ids`,
])

export type Match = 'ANY' | 'ALL'

/** Whom a filter chooses, as clients give it: ids are global ids or integers. */
export type GivenFilter = { match?: Match | null | undefined } & {
  readonly [Name in ListName]?: readonly (string | number)[] | null | undefined
}

/** A filter as it is kept: integers as they were given, whether or not there is such a thing; no list is empty. */
export type AudienceFilter = { readonly match: Match } & { readonly [Name in ListName]?: readonly number[] }

/** The filter that chooses everyone. */
export const everyone: AudienceFilter = { match: 'ANY' }

/**
 * Reads a filter, and lays it over one that was kept: a list that is given takes the place of the kept one, an empty list
 * takes it away, and what is not given stays. Fails with VALIDATION_ERROR for an id of another type.
 */
export function filterOver(kept: AudienceFilter, given: GivenFilter | null | undefined): AudienceFilter {
  const lists = Object.fromEntries(
    listNames.flatMap((name) => {
      const ids = given?.[name]
      const list = ids == null ? kept[name] : integersOf(name, ids)
      return list && list.length > 0 ? [[name, list]] : []
    }),
  )
  return { ...lists, match: given?.match ?? kept.match }
}

/** Whether a filter names anything at all: one that does not chooses everyone. */
export function isEmpty(filter: AudienceFilter): boolean {
  return listNames.every((name) => filter[name] === undefined)
}

/** The ids of a list that a row can have: those that no row has match nobody, but they do not make the list absent. */
export function possible(ids: readonly number[]): number[] {
  return ids.filter((id) => id >= 1 && id <= largestId)
}

/** The criterion that a list is about. */
export function criterionOf(name: ListName): Criterion {
  return name.slice('include'.length, -'Ids'.length) as Criterion
}

function integersOf(name: ListName, ids: readonly (string | number)[]): number[] {
  check(z.object({ [name]: z.array(z.unknown()).max(mostIds, `must have ${mostIds} ids at most`) }), { [name]: ids })
  const type = criteria[criterionOf(name)]
  return ids.map((id) => (/^-?\d+$/.test(String(id)) ? Number(id) : idOf(type, id, name)))
}
