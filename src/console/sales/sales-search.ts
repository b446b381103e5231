import { t } from '@lingui/core/macro'
import { type PageSearch, readPage, readWords } from '../shared/tables/use-page.ts'

/** Statuses that the list of orders can be restricted to. */
export const orderStatuses = () =>
  [
    { value: 'WAITING', label: t`Waiting` },
    { value: 'COMPLETED', label: t`Completed` },
    { value: 'REFUNDED', label: t`Refunded` },
    { value: 'CANCELLED', label: t`Cancelled` },
  ] as const

/** What the address of the sales screen contains. */
export interface SalesSearch extends PageSearch {
  readonly q?: string
  readonly status?: ReturnType<typeof orderStatuses>[number]['value']
}

/** Reads the address of the sales screen. Ignores what is not valid. */
export function readSalesSearch(search: Record<string, unknown>): SalesSearch {
  const known = orderStatuses().find(({ value }) => value === search['status'])
  return { ...readWords(search), ...(known && { status: known.value }), ...readPage(search) }
}
