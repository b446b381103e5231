import type { ContactsQueryVariables } from '../generated/contacts.documents.ts'
import { contactTexts } from '../generated/text-fields.documents.ts'
import type { PickKind } from '../pickers/picker.tsx'

export type ContactFilter = NonNullable<ContactsQueryVariables['filter']>

/** How a field is compared, and with what kind of value. */
export type Operator =
  | 'contains'
  | 'eq'
  | 'ne'
  | 'startsWith'
  | 'endsWith'
  | 'isSet'
  | 'isNotSet'
  | 'is'
  | 'oneOf'
  | 'any'
  | 'all'
  | 'none'
  | 'period'
  | 'withinDays'
  | 'notWithinDays'
  | 'beforeDays'
  | 'gt'
  | 'gte'
  | 'lt'
  | 'lte'

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
  /** The values of the operators `is`, `oneOf` and `period`. */
  readonly choices?: readonly { readonly value: string; readonly label: string }[]
  /** What the values are. The server searches them. */
  readonly kind?: PickKind
}

export const operatorLabels: Readonly<Record<Operator, string>> = {
  contains: 'contains',
  eq: 'is',
  ne: 'is not',
  startsWith: 'starts with',
  endsWith: 'ends with',
  isSet: 'is set',
  isNotSet: 'is not set',
  is: 'is',
  oneOf: 'is',
  any: 'has any of',
  all: 'has all of',
  none: 'has none of',
  period: 'is in',
  withinDays: 'within days',
  notWithinDays: 'not within days',
  beforeDays: 'days ago or more',
  gt: 'is more than',
  gte: 'is at least',
  lt: 'is less than',
  lte: 'is at most',
}

const text = ['contains', 'eq', 'ne', 'startsWith', 'endsWith', 'isSet', 'isNotSet'] as const
const amounts = ['gte', 'gt', 'lt', 'lte'] as const
const numbers = [...amounts, 'isSet', 'isNotSet'] as const
const times = ['period', 'withinDays', 'notWithinDays', 'beforeDays'] as const
const yesOrNo = [
  { value: 'true', label: 'yes' },
  { value: 'false', label: 'no' },
]
const periods = [
  { value: 'TODAY', label: 'today' },
  { value: 'YESTERDAY', label: 'yesterday' },
  { value: 'LAST_7_DAYS', label: 'the last 7 days' },
  { value: 'LAST_30_DAYS', label: 'the last 30 days' },
  { value: 'THIS_MONTH', label: 'this month' },
  { value: 'LAST_MONTH', label: 'last month' },
]

const subscriptionStatuses = [
  { value: 'ACTIVE', label: 'active' },
  { value: 'INACTIVE', label: 'inactive' },
  { value: 'ERROR', label: 'payment failed' },
]
const suppressionReasons = [
  { value: 'BOUNCE', label: 'bounce' },
  { value: 'COMPLAINT', label: 'complaint' },
  { value: 'MANUAL', label: 'added by hand' },
]

interface CustomField {
  readonly databaseId: number
  readonly name: string
  readonly type: string
}

/** Whether the value of an operator is a number of days. */
export const isOfDays = (op: Operator) => op === 'withinDays' || op === 'notWithinDays' || op === 'beforeDays'

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
    { name: 'funnelsVisited', label: 'Visited funnels', operators: related, kind: 'funnels' },
    { name: 'emailMarketing', label: 'Accepts e-mail', operators: ['is'], choices: yesOrNo },
    { name: 'hasOrders', label: 'Has ordered', operators: ['is'], choices: yesOrNo },
    { name: 'purchases.orders', label: 'Number of orders', operators: amounts },
    { name: 'purchases.lifetimeValue', label: 'Amount spent', operators: amounts },
    { name: 'purchases.firstOrderAt', label: 'First order', operators: times, choices: periods },
    { name: 'purchases.lastOrderAt', label: 'Last order', operators: times, choices: periods },
    { name: 'products', label: 'Bought product', operators: ['contains', 'eq', 'ne'] },
    { name: 'subscriptionStatus', label: 'Subscription', operators: ['oneOf'], choices: subscriptionStatuses },
    { name: 'suppressed', label: 'Address suppressed', operators: ['is'], choices: yesOrNo },
    { name: 'suppressionReason', label: 'Suppressed for', operators: ['oneOf'], choices: suppressionReasons },
    { name: 'lastActiveAt', label: 'Last active', operators: [...times, 'isSet', 'isNotSet'], choices: periods },
    { name: 'createdAt', label: 'Added', operators: times, choices: periods },
    { name: 'updatedAt', label: 'Changed', operators: times, choices: periods },
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
  if (isOfDays(op)) return /^[1-9]\d{0,4}$/.test(String(value))
  return op === 'isSet' || op === 'isNotSet' || value.length > 0
}

function toPart({ field, op, value }: Condition): ContactFilter {
  const one = typeof value === 'string' ? value : ''
  if (op === 'is') return { [field]: one === 'true' }
  if (op === 'oneOf') return { [field]: [one] } as ContactFilter
  if (op === 'notWithinDays') return { not: toPart({ field, op: 'withinDays', value }) }
  const isExistence = op === 'isSet' || op === 'isNotSet'
  const test = isExistence ? { exists: op === 'isSet' } : { [op]: operandOf(op, value) }
  const [kind, id] = field.split(':')
  const [name = field, part] = field.split('.')
  if (kind !== 'custom') return { [name]: part ? { [part]: test } : test }
  const isNumber = (amounts as readonly Operator[]).includes(op)
  const customField = isExistence ? test : isNumber ? { number: test } : { text: test }
  return { customFields: [{ id: Number(id), ...customField }] } as ContactFilter
}

function operandOf(op: Operator, value: Condition['value']) {
  if (typeof value !== 'string') return value.map(Number)
  return isOfDays(op) ? Number(value) : value
}

/**
 * Returns the conditions of a stored filter. Undefined if the filter builder cannot show the filter, for example because it
 * combines conditions with `or`.
 */
export function fromFilter(filter: unknown): readonly Condition[] | undefined {
  const conditions = Object.entries(Object(filter) as object).map(([field, test]) => readPart(field, test))
  return conditions.every((each) => each !== undefined) ? conditions.flat() : undefined
}

const negations: Partial<Record<Operator, Operator>> = { any: 'none', withinDays: 'notWithinDays' }

function readPart(field: string, test: unknown): readonly Condition[] | undefined {
  if (field === 'and') {
    const parts = (test as readonly unknown[]).map(fromFilter)
    return parts.every((each) => each !== undefined) ? parts.flat() : undefined
  }
  if (field === 'not') {
    const [only, ...others] = fromFilter(test) ?? []
    const op = only && negations[only.op]
    return op && others.length === 0 ? [{ ...only, op }] : undefined
  }
  if (field === 'or' || field === 'search') return undefined
  if (typeof test === 'boolean') return [{ field, op: 'is', value: String(test) }]
  if (field === 'purchases') {
    const parts = Object.entries(Object(test) as object).map(([part, tests]) => readTests(`purchases.${part}`, tests))
    return parts.every((each) => each !== undefined) ? parts.flat() : undefined
  }
  if (field === 'customFields') {
    const parts = (test as readonly { id: unknown }[]).map(({ id, ...rest }) => {
      const { text, number, ...others } = rest as { text?: object; number?: object }
      return readTests(`custom:${id}`, { ...text, ...number, ...others })
    })
    return parts.every((each) => each !== undefined) ? parts.flat() : undefined
  }
  if (Array.isArray(test)) return test.length === 1 ? [{ field, op: 'oneOf', value: String(test[0]) }] : undefined
  return readTests(field, test)
}

function readTests(field: string, tests: unknown): readonly Condition[] | undefined {
  if (typeof tests !== 'object' || tests === null) return undefined
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
