import * as z from 'zod'
import { queryInteger } from './input.ts'

const maxInt = 2_147_483_647

/** The query parameters of every paginated list. */
export const paging = { page: queryInteger(1, maxInt, 1), per_page: queryInteger(1, 100, 50) }

export interface Paging {
  page: number
  per_page: number
}

/** Returns the GraphQL arguments of a page. The offset is capped at the largest Int, so a page far past the end is empty. */
export function pageArguments({ page, per_page }: Paging) {
  return { first: per_page, offset: Math.min((page - 1) * per_page, maxInt) }
}

/** Returns `meta` of a page. A list without rows has one page, which is empty. */
export function toMeta({ page, per_page }: Paging, total: number) {
  return { current_page: page, last_page: Math.max(1, Math.ceil(total / per_page)), per_page, total }
}

/** Schema of `meta` of a paginated list. */
export const meta = z.object({
  current_page: z.int(),
  last_page: z.int(),
  per_page: z.int(),
  total: z.int(),
})
