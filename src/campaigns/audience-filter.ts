import { z } from 'zod'
import { check } from '../kernel/check.ts'
import { idOf, largestId } from '../kernel/ids.ts'

/** Maximum number of ids in one list of a filter. */
const maxIds = 1_000

/** The criteria of a filter, each with the type that its ids refer to. */
export const criteria = {
  Tag: 'Tag',
  Sequence: 'Sequence',
  Opened: 'Campaign',
  NotOpened: 'Campaign',
  Clicked: 'Campaign',
  NotClicked: 'Campaign',
} as const

type Criterion = keyof typeof criteria
export type ListName = `${'include' | 'exclude'}${Criterion}Ids`

/** The names of the twelve lists: for each criterion one that includes contacts and one that excludes them. */
export const listNames = (Object.keys(criteria) as Criterion[]).flatMap((criterion): ListName[] => [
  `include${criterion}Ids`,
  `exclude${criterion}Ids`,
])

type Match = 'ANY' | 'ALL'

/** A filter as clients send it: ids are global ids or integers. */
export type AudienceFilterInput = { match?: Match | null | undefined } & {
  readonly [Name in ListName]?: readonly (string | number)[] | null | undefined
}

/** A filter as it is stored: integer ids, even if no such row exists; an empty list is absent. */
export type AudienceFilter = { readonly match: Match } & { readonly [Name in ListName]?: readonly number[] }

/** The filter that matches all contacts. */
export const everyone: AudienceFilter = { match: 'ANY' }

/**
 * Merges a filter into the stored one: a list in `input` replaces the stored list, an empty list removes it, and an absent
 * list stays. Throws VALIDATION_ERROR for an id of another type.
 */
export function mergeFilter(stored: AudienceFilter, input: AudienceFilterInput | null | undefined): AudienceFilter {
  const lists = Object.fromEntries(
    listNames.flatMap((name) => {
      const ids = input?.[name]
      const list = ids == null ? stored[name] : toIntegers(name, ids)
      return list && list.length > 0 ? [[name, list]] : []
    }),
  )
  return { ...lists, match: input?.match ?? stored.match }
}

/** Whether a filter has no list, and therefore matches all contacts. */
export function isEmpty(filter: AudienceFilter): boolean {
  return listNames.every((name) => filter[name] === undefined)
}

/** The ids of a list that a row can have. The others match no contact, but a list of them is not an absent list. */
export function validIds(ids: readonly number[]): number[] {
  return ids.filter((id) => id >= 1 && id <= largestId)
}

/** The criterion of a list. */
export function criterionOf(name: ListName): Criterion {
  return name.slice('include'.length, -'Ids'.length) as Criterion
}

function toIntegers(name: ListName, ids: readonly (string | number)[]): number[] {
  check(z.object({ [name]: z.array(z.unknown()).max(maxIds, `must have ${maxIds} ids at most`) }), { [name]: ids })
  const type = criteria[criterionOf(name)]
  return ids.map((id) => (/^-?\d+$/.test(String(id)) ? Number(id) : idOf(type, id, name)))
}
