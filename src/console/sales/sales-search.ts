/** Statuses that the list of orders can be restricted to. */
export const orderStatuses = [
  { value: 'WAITING', label: 'Waiting' },
  { value: 'COMPLETED', label: 'Completed' },
  { value: 'REFUNDED', label: 'Refunded' },
  { value: 'CANCELLED', label: 'Cancelled' },
] as const

/** What the address of the sales screen contains. */
export interface SalesSearch {
  readonly q?: string
  readonly status?: (typeof orderStatuses)[number]['value']
  readonly after?: string
}

/** Reads the address of the sales screen. Ignores what is not valid. */
export function readSalesSearch({ q, status, after }: Record<string, unknown>): SalesSearch {
  const known = orderStatuses.find(({ value }) => value === status)
  return {
    ...((typeof q === 'string' || typeof q === 'number') && q !== '' && { q: String(q) }),
    ...(known && { status: known.value }),
    ...(typeof after === 'string' && { after }),
  }
}
