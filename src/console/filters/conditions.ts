import type { ContactsQueryVariables } from '../generated/contacts.documents.ts'
import { contactTexts } from '../generated/text-fields.documents.ts'
import type { PickKind } from '../pickers/picker.tsx'

export type ContactFilter = NonNullable<ContactsQueryVariables['filter']>

/** How a field is compared, and with what kind of value. */
export type Operator =
  | 'contains'
  | 'eq'
  | 'startsWith'
  | 'isSet'
  | 'isNotSet'
  | 'is'
  | 'any'
  | 'all'
  | 'none'
  | 'period'
  | 'gte'
  | 'lt'

/** A condition of the filter builder, as it is in the address of the screen. */
export interface Condition {
  readonly field: string
  readonly op: Operator
  readonly value: string | readonly string[]
}

/** A field that can be filtered by. */
export interface FilterField {
  readonly name: string
  readonly label: string
  readonly operators: readonly Operator[]
  readonly choices?: readonly { readonly value: string; readonly label: string }[]
  /** What the values are. The server searches them. */
  readonly kind?: PickKind
}

export const operatorLabels: Readonly<Record<Operator, string>> = {
  contains: 'contains',
  eq: 'is',
  startsWith: 'starts with',
  isSet: 'is set',
  isNotSet: 'is not set',
  is: 'is',
  any: 'has any of',
  all: 'has all of',
  none: 'has none of',
  period: 'is in',
  gte: 'is at least',
  lt: 'is less than',
}

const text = ['contains', 'eq', 'startsWith', 'isSet', 'isNotSet'] as const
const numbers = ['gte', 'lt', 'isSet', 'isNotSet'] as const
const yesOrNo = [
  { value: 'true', label: 'yes' },
  { value: 'false', label: 'no' },
]
const periods = [
  { value: 'TODAY', label: 'today' },
  { value: 'YESTERDAY', label: 'yesterday' },
  { value: 'LAST_7_DAYS', label: 'the last 7 days' },
  { value: 'LAST_30_DAYS', label: 'the last 30 days' },
]

interface CustomField {
  readonly databaseId: number
  readonly name: string
  readonly type: string
}

const related = ['any', 'none'] as const

/** Returns the fields of contacts, with the account's own. */
export function filterFields(customFields: readonly CustomField[]): FilterField[] {
  return [
    ...contactTexts.map(({ name, label }) => ({ name, label, operators: text })),
    { name: 'tags', label: 'Tags', operators: ['any', 'all', 'none'], kind: 'tags' },
    { name: 'segments', label: 'Segments', operators: related, kind: 'segments' },
    { name: 'sequences', label: 'Sequences', operators: related, kind: 'sequences' },
    { name: 'forms', label: 'Answered forms', operators: related, kind: 'forms' },
    { name: 'campaignsSent', label: 'Received campaigns', operators: related, kind: 'campaigns' },
    { name: 'campaignsOpened', label: 'Opened campaigns', operators: related, kind: 'campaigns' },
    { name: 'campaignsClicked', label: 'Clicked in campaigns', operators: related, kind: 'campaigns' },
    { name: 'emailMarketing', label: 'Accepts e-mail', operators: ['is'], choices: yesOrNo },
    { name: 'hasOrders', label: 'Has ordered', operators: ['is'], choices: yesOrNo },
    { name: 'createdAt', label: 'Added', operators: ['period'], choices: periods },
    { name: 'updatedAt', label: 'Changed', operators: ['period'], choices: periods },
    ...customFields
      .filter(({ type }) => type !== 'BOOLEAN' && type !== 'DATE')
      .map(({ databaseId, name, type }) => ({
        name: `custom:${databaseId}`,
        label: name,
        operators: type === 'NUMBER' ? numbers : text,
      })),
  ]
}

/** Returns the filter of contacts that match the words and all conditions. Null matches all contacts. */
export function toFilter(search: string | undefined, conditions: readonly Condition[]): ContactFilter | null {
  const parts = conditions.filter(isComplete).map(toPart)
  if (search) parts.unshift({ search })
  if (parts.length === 0) return null
  return parts.length === 1 ? (parts[0] as ContactFilter) : { and: parts }
}

/** Whether a condition has the value that it needs. Others are ignored while they are edited. */
function isComplete({ op, value }: Condition): boolean {
  return op === 'isSet' || op === 'isNotSet' || value.length > 0
}

function toPart({ field, op, value }: Condition): ContactFilter {
  const one = typeof value === 'string' ? value : ''
  if (op === 'is') return { [field]: one === 'true' }
  if (op === 'period') return { [field]: { period: one } } as ContactFilter
  const isExistence = op === 'isSet' || op === 'isNotSet'
  const test = isExistence
    ? { exists: op === 'isSet' }
    : { [op]: typeof value === 'string' ? value : value.map(Number) }
  const [kind, id] = field.split(':')
  if (kind !== 'custom') return { [field]: test }
  const customField = isExistence ? test : op === 'gte' || op === 'lt' ? { number: test } : { text: test }
  return { customFields: [{ id: Number(id), ...customField }] } as ContactFilter
}

/**
 * Returns the conditions of a stored filter. Undefined if the filter builder cannot show the filter, for example because it
 * combines conditions with `or`.
 */
export function fromFilter(filter: unknown): readonly Condition[] | undefined {
  const conditions = Object.entries(Object(filter) as object).map(([field, test]) => readPart(field, test))
  return conditions.every((each) => each !== undefined) ? conditions.flat() : undefined
}

function readPart(field: string, test: unknown): readonly Condition[] | undefined {
  if (field === 'and') {
    const parts = (test as readonly unknown[]).map(fromFilter)
    return parts.every((each) => each !== undefined) ? parts.flat() : undefined
  }
  if (field === 'not') {
    const [only, ...others] = fromFilter(test) ?? []
    return only?.op === 'any' && others.length === 0 ? [{ ...only, op: 'none' }] : undefined
  }
  if (field === 'or' || field === 'search') return undefined
  if (typeof test === 'boolean') return [{ field, op: 'is', value: String(test) }]
  if (field === 'customFields') {
    const parts = (test as readonly { id: unknown }[]).map(({ id, ...rest }) => {
      const { text, number, ...others } = rest as { text?: object; number?: object }
      return readTests(`custom:${id}`, { ...text, ...number, ...others })
    })
    return parts.every((each) => each !== undefined) ? parts.flat() : undefined
  }
  return readTests(field, Object(test) as object)
}

function readTests(field: string, tests: object): readonly Condition[] | undefined {
  const conditions = Object.entries(tests).map(([name, value]): Condition | undefined => {
    if (name === 'exists') return { field, op: value ? 'isSet' : 'isNotSet', value: '' }
    if (!(name in operatorLabels)) return undefined
    return { field, op: name as Operator, value: Array.isArray(value) ? value.map(String) : String(value) }
  })
  return conditions.every((each) => each !== undefined) ? conditions : undefined
}

/** Reads conditions from the address of the screen. Ignores what is none. */
export function readConditions(value: unknown): Condition[] {
  if (!Array.isArray(value)) return []
  return value.flatMap((each) => {
    const { field, op, value: given } = Object(each) as Record<string, unknown>
    const isValue = typeof given === 'string' || (Array.isArray(given) && given.every((id) => typeof id === 'string'))
    if (typeof field !== 'string' || typeof op !== 'string' || !(op in operatorLabels) || !isValue) return []
    return [{ field, op: op as Operator, value: given as Condition['value'] }]
  })
}
