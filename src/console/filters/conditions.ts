import type { MessageDescriptor } from '@lingui/core'
import { msg, t } from '@lingui/core/macro'
import type { ContactsQueryVariables } from '../generated/contacts.documents.ts'
import { contactTexts } from '../generated/text-fields.documents.ts'
import type { PickKind } from '../pickers/picks.ts'

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
  | 'between'
  | 'on'
  | 'from'
  | 'until'
  | 'equals'
  | 'differs'
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

export const operatorLabels: Readonly<Record<Operator, MessageDescriptor>> = {
  contains: msg`contains`,
  eq: msg`is`,
  ne: msg`is not`,
  startsWith: msg`starts with`,
  endsWith: msg`ends with`,
  isSet: msg`is set`,
  isNotSet: msg`is not set`,
  is: msg`is`,
  oneOf: msg`is`,
  any: msg`has any of`,
  all: msg`has all of`,
  none: msg`has none of`,
  period: msg`is in`,
  withinDays: msg`within days`,
  notWithinDays: msg`not within days`,
  beforeDays: msg`days ago or more`,
  between: msg`is between`,
  on: msg`is on`,
  from: msg`is on or after`,
  until: msg`is on or before`,
  equals: msg`is`,
  differs: msg`is not`,
  gt: msg`is more than`,
  gte: msg`is at least`,
  lt: msg`is less than`,
  lte: msg`is at most`,
}

const text = ['contains', 'eq', 'ne', 'startsWith', 'endsWith', 'isSet', 'isNotSet'] as const
const amounts = ['gte', 'gt', 'lt', 'lte', 'equals', 'differs'] as const
const numbers = [...amounts, 'isSet', 'isNotSet'] as const
const days = ['on', 'from', 'until', 'between'] as const
const times = ['period', 'withinDays', 'notWithinDays', 'beforeDays', ...days] as const
const dates = [...days, 'period', 'isSet', 'isNotSet'] as const

/** The operators of numbers and of days as the filter spells them. */
const spellings: Partial<Record<Operator, string>> = {
  ...{ equals: 'eq', differs: 'ne', on: 'eq', from: 'gte', until: 'lte', between: 'range' },
}
const yesOrNo = () => [
  { value: 'true', label: t`yes` },
  { value: 'false', label: t`no` },
]
const periods = () => [
  { value: 'TODAY', label: t`today` },
  { value: 'YESTERDAY', label: t`yesterday` },
  { value: 'LAST_7_DAYS', label: t`the last 7 days` },
  { value: 'LAST_30_DAYS', label: t`the last 30 days` },
  { value: 'THIS_MONTH', label: t`this month` },
  { value: 'LAST_MONTH', label: t`last month` },
]

const subscriptionStatuses = () => [
  { value: 'ACTIVE', label: t`active` },
  { value: 'INACTIVE', label: t`inactive` },
  { value: 'ERROR', label: t`payment failed` },
]
const suppressionReasons = () => [
  { value: 'BOUNCE', label: t`bounce` },
  { value: 'COMPLAINT', label: t`complaint` },
  { value: 'MANUAL', label: t`added by hand` },
]

const failureCauses = () => [
  { value: 'ADDRESS_UNKNOWN', label: t`unknown address` },
  { value: 'DOMAIN_UNKNOWN', label: t`unknown domain` },
  { value: 'MAILBOX_DISABLED', label: t`disabled mailbox` },
  { value: 'MAILBOX_FULL', label: t`full mailbox` },
  { value: 'NETWORK', label: t`no connection` },
  { value: 'UNKNOWN', label: t`unknown cause` },
]

interface CustomField {
  readonly databaseId: number
  readonly name: string
  readonly type: string
}

/** Whether the value of an operator is a number of days. */
export const isOfDays = (op: Operator) => op === 'withinDays' || op === 'notWithinDays' || op === 'beforeDays'

/** Whether the value of an operator is one day. */
export const isOfDay = (op: Operator) => op === 'on' || op === 'from' || op === 'until'

/** Whether the value of an operator is a number. */
export const isOfNumber = (op: Operator) => (amounts as readonly Operator[]).includes(op)

const related = ['any', 'none'] as const

/** The operators of a custom field by its type, and the choices of one that is true or false. */
const customOperators = (): Readonly<Record<string, Pick<FilterField, 'operators' | 'choices'>>> => ({
  NUMBER: { operators: numbers },
  DATE: { operators: dates, choices: periods() },
  BOOLEAN: { operators: ['is', 'isSet', 'isNotSet'], choices: yesOrNo() },
})

/** Returns the fields of contacts, with the account's own. */
export function filterFields(customFields: readonly CustomField[]): FilterField[] {
  return [
    ...contactTexts.map(({ name, label }) => ({ name, label, operators: text })),
    { name: 'timeZone', label: t`Time zone`, operators: text },
    { name: 'locale', label: t`Language`, operators: text },
    { name: 'tags', label: t`Tags`, operators: ['any', 'all', 'none'], kind: 'tags' },
    { name: 'segments', label: t`Segments`, operators: related, kind: 'segments' },
    { name: 'topics', label: t`Gets topics`, operators: related, kind: 'topics' },
    { name: 'topicsLeft', label: t`Left topics`, operators: related, kind: 'topics' },
    { name: 'sequences', label: t`Sequences`, operators: related, kind: 'sequences' },
    { name: 'nextStages', label: t`Waits for stages`, operators: related, kind: 'stages' },
    { name: 'stagesSent', label: t`Received stages`, operators: related, kind: 'stages' },
    { name: 'stagesOpened', label: t`Opened stages`, operators: related, kind: 'stages' },
    { name: 'stagesClicked', label: t`Clicked in stages`, operators: related, kind: 'stages' },
    { name: 'forms', label: t`Answered forms`, operators: related, kind: 'forms' },
    { name: 'outcomes', label: t`Reached outcomes`, operators: related, kind: 'outcomes' },
    { name: 'campaignsSent', label: t`Received campaigns`, operators: related, kind: 'campaigns' },
    { name: 'campaignsOpened', label: t`Opened campaigns`, operators: related, kind: 'campaigns' },
    { name: 'campaignsClicked', label: t`Clicked in campaigns`, operators: related, kind: 'campaigns' },
    { name: 'campaignsNotOpened', label: t`Did not open campaigns`, operators: related, kind: 'campaigns' },
    { name: 'campaignsNotClicked', label: t`Did not click in campaigns`, operators: related, kind: 'campaigns' },
    { name: 'funnelsVisited', label: t`Visited funnels`, operators: related, kind: 'funnels' },
    { name: 'stepsVisited', label: t`Visited steps`, operators: related, kind: 'steps' },
    { name: 'emailMarketing', label: t`Accepts e-mail`, operators: ['is'], choices: yesOrNo() },
    { name: 'gdpr', label: t`Accepts data processing`, operators: ['is'], choices: yesOrNo() },
    { name: 'hasOrders', label: t`Has ordered`, operators: ['is'], choices: yesOrNo() },
    { name: 'purchases.orders', label: t`Number of orders`, operators: amounts },
    { name: 'purchases.lifetimeValue', label: t`Amount spent`, operators: amounts },
    { name: 'purchases.firstOrderAt', label: t`First order`, operators: times, choices: periods() },
    { name: 'purchases.lastOrderAt', label: t`Last order`, operators: times, choices: periods() },
    { name: 'products', label: t`Bought product`, operators: ['contains', 'eq', 'ne'] },
    { name: 'subscriptionStatus', label: t`Subscription`, operators: ['oneOf'], choices: subscriptionStatuses() },
    { name: 'suppressed', label: t`Address suppressed`, operators: ['is'], choices: yesOrNo() },
    { name: 'suppressionReason', label: t`Suppressed for`, operators: ['oneOf'], choices: suppressionReasons() },
    { name: 'suppressionCause', label: t`Suppressed because of`, operators: ['oneOf'], choices: failureCauses() },
    { name: 'lastActiveAt', label: t`Last active`, operators: [...times, 'isSet', 'isNotSet'], choices: periods() },
    { name: 'createdAt', label: t`Added`, operators: times, choices: periods() },
    { name: 'updatedAt', label: t`Changed`, operators: times, choices: periods() },
    ...customFields.map(({ databaseId, name, type }) => ({
      name: `custom:${databaseId}`,
      label: name,
      ...(customOperators()[type] ?? { operators: text }),
    })),
  ]
}

/** The first and the last day that a range can have. */
export const [firstDay, lastDay] = ['0001-01-01', '9999-12-31']

/** Returns the test of a point in time by its day, which is a day of the account: the server knows when it begins. */
function rangeOf(op: Operator, day: string) {
  return { range: { from: op === 'until' ? firstDay : day, to: op === 'from' ? lastDay : day } }
}

/** Returns the filter of contacts that match the words and all conditions. Null matches all contacts. */
export function toFilter(search: string | undefined, conditions: readonly Condition[]): ContactFilter | null {
  const parts = conditions.filter(isComplete).map(toPart)
  if (search) parts.unshift({ search })
  if (parts.length === 0) return null
  return parts.length === 1 ? (parts[0] as ContactFilter) : { and: parts }
}

/**
 * Whether a condition has the value that it needs. What is stored waits for it: without it, a filter would match contacts that it
 * excludes.
 */
export function isComplete({ op, value }: Condition): boolean {
  if (isOfDays(op)) return /^[1-9]\d{0,4}$/.test(String(value))
  if (op === 'between') return value.length === 2 && value[0] !== '' && value[1] !== ''
  return op === 'isSet' || op === 'isNotSet' || value.length > 0
}

function toPart({ field, op, value }: Condition): ContactFilter {
  const one = typeof value === 'string' ? value : ''
  if (op === 'oneOf') return { [field]: [one] } as ContactFilter
  if (op === 'notWithinDays') return { not: toPart({ field, op: 'withinDays', value }) }
  const [kind, id] = field.split(':')
  const [name = field, part] = field.split('.')
  const isExistence = op === 'isSet' || op === 'isNotSet'
  const test =
    op === 'is'
      ? one === 'true'
      : isExistence
        ? { exists: op === 'isSet' }
        : kind !== 'custom' && isOfDay(op)
          ? rangeOf(op, one)
          : { [spellings[op] ?? op]: operandOf(op, value) }
  if (kind !== 'custom') return { [name]: part ? { [part]: test } : test } as ContactFilter
  const customField = isExistence ? test : { [typeOf(op)]: test }
  return { customFields: [{ id: Number(id), ...(customField as object) }] } as ContactFilter
}

/** Returns the type of the custom fields that have an operator: the part of the condition on one. */
function typeOf(op: Operator): 'flag' | 'number' | 'date' | 'text' {
  if (op === 'is') return 'flag'
  if (isOfNumber(op)) return 'number'
  return op === 'period' || op === 'between' || isOfDay(op) ? 'date' : 'text'
}

function operandOf(op: Operator, value: Condition['value']) {
  if (op === 'between') return { from: value[0], to: value[1] }
  if (typeof value !== 'string') return value.map(Number)
  return isOfDays(op) ? Number(value) : value
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
