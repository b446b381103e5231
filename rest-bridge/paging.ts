import * as z from 'zod'
import { queryInteger } from './input.ts'

const largestInt = 2_147_483_647

/** The two parameters of every paginated list. */
export const paging = { page: queryInteger(1, largestInt, 1), per_page: queryInteger(1, 100, 50) }

export interface Paging {
  page: number
  per_page: number
}

/** The page as the graph takes it. A page far past any end asks for the last offset there can be, and finds nothing. */
export function pageArguments({ page, per_page }: Paging) {
  return { first: per_page, offset: Math.min((page - 1) * per_page, largestInt) }
}

/** Where a page stands in its list. A list without rows has one page, and it is empty. */
export function metaOf({ page, per_page }: Paging, total: number) {
  return { current_page: page, last_page: Math.max(1, Math.ceil(total / per_page)), per_page, total }
}

/** `meta` of a paginated list. */
export const meta = z.object({
  current_page: z.int(),
  last_page: z.int(),
  per_page: z.int(),
  total: z.int(),
})
