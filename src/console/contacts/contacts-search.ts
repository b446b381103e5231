import { t } from '@lingui/core/macro'
import { type Condition, readConditions } from '../filters/conditions.ts'
import type { ContactsQueryVariables } from '../generated/contacts.documents.ts'
import { contactTexts } from '../generated/text-fields.documents.ts'
import { type PageSearch, readPage, readWords } from '../shared/tables/use-page.ts'

type OrderBy = Exclude<NonNullable<ContactsQueryVariables['orderBy']>, readonly unknown[]>

/** What the address of the list of contacts contains. */
export interface ContactsSearch extends PageSearch {
  readonly q?: string
  readonly where?: readonly Condition[]
  readonly sort?: OrderBy['field']
  readonly direction?: OrderBy['direction']
}

/** Orders of the list, with their labels. */
export const orders = () =>
  [
    { value: 'CREATED_AT DESC', label: t`Newest first` },
    { value: 'CREATED_AT ASC', label: t`Oldest first` },
    { value: 'UPDATED_AT DESC', label: t`Last changed first` },
    ...contactTexts
      .filter(({ isSorted }) => isSorted)
      .map(({ field, label }) => ({ value: `${field} ASC` as const, label })),
  ] as const

/** Reads the address of the list. Ignores what is not valid. */
export function readContactsSearch(search: Record<string, unknown>): ContactsSearch {
  const { sort, direction } = search
  const where = readConditions(search['where'])
  const order = orders().find(({ value }) => value === `${sort} ${direction}`)
  return {
    ...readWords(search),
    ...(where.length > 0 && { where }),
    ...(order && { sort: sort as OrderBy['field'], direction: direction as OrderBy['direction'] }),
    ...readPage(search),
  }
}
