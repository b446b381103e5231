import { type Condition, readConditions } from '../filters/conditions.ts'
import type { ContactsQueryVariables } from '../generated/contacts.documents.ts'

type OrderBy = NonNullable<ContactsQueryVariables['orderBy']>

/** What the address of the list of contacts contains. */
export interface ContactsSearch {
  readonly q?: string
  readonly where?: readonly Condition[]
  readonly sort?: OrderBy['field']
  readonly direction?: OrderBy['direction']
  readonly after?: string
}

/** Orders of the list, with their labels. */
export const orders = [
  { value: 'CREATED_AT DESC', label: 'Newest first' },
  { value: 'CREATED_AT ASC', label: 'Oldest first' },
  { value: 'UPDATED_AT DESC', label: 'Last changed first' },
  { value: 'EMAIL ASC', label: 'E-mail' },
  { value: 'LAST_NAME ASC', label: 'Last name' },
  { value: 'FIRST_NAME ASC', label: 'First name' },
] as const

/** Reads the address of the list. Ignores what is not valid. */
export function readContactsSearch(search: Record<string, unknown>): ContactsSearch {
  const { q, after, sort, direction } = search
  const where = readConditions(search['where'])
  const order = orders.find(({ value }) => value === `${sort} ${direction}`)
  return {
    ...((typeof q === 'string' || typeof q === 'number') && q !== '' && { q: String(q) }),
    ...(where.length > 0 && { where }),
    ...(order && { sort: sort as OrderBy['field'], direction: direction as OrderBy['direction'] }),
    ...(typeof after === 'string' && { after }),
  }
}
