import {
  type Condition,
  filterFields,
  firstDay,
  isComplete,
  lastDay,
  type Operator,
  operatorLabels,
} from './conditions.ts'

/**
 * Returns the conditions of a stored filter. Undefined if the filter builder cannot show the filter, for example because it
 * combines conditions with `or`, or would lose a condition, such as an empty list that matches nothing.
 */
export function fromFilter(filter: unknown): readonly Condition[] | undefined {
  const conditions = readFilter(filter)
  return conditions?.every((each) => isComplete(each) && isOffered(each)) ? conditions : undefined
}

/** Whether the builder offers the comparison of a field. Those of a custom field depend on its type, which is not known here. */
function isOffered({ field, op }: Condition): boolean {
  return (
    field.startsWith('custom:') || filterFields([]).some((each) => each.name === field && each.operators.includes(op))
  )
}

function readFilter(filter: unknown): readonly Condition[] | undefined {
  const conditions = Object.entries(Object(filter) as object).map(([field, test]) => readPart(field, test))
  return conditions.every((each) => each !== undefined) ? conditions.flat() : undefined
}

const negations: Partial<Record<Operator, Operator>> = { any: 'none', withinDays: 'notWithinDays' }

function readPart(field: string, test: unknown): readonly Condition[] | undefined {
  if (test == null) return []
  if (field === 'and') {
    const parts = (test as readonly unknown[]).map(readFilter)
    return parts.every((each) => each !== undefined) ? parts.flat() : undefined
  }
  if (field === 'not') {
    const [only, ...others] = readFilter(test) ?? []
    const op = only && negations[only.op]
    return op && others.length === 0 ? [{ ...only, op }] : undefined
  }
  if (field === 'or' || field === 'search') return undefined
  if (typeof test === 'boolean') return [{ field, op: 'is', value: String(test) }]
  if (field === 'purchases') {
    const parts = Object.entries(Object(test) as object).map(([part, tests]) =>
      readTests(`purchases.${part}`, tests, part.endsWith('At') ? 'text' : 'number'),
    )
    return parts.every((each) => each !== undefined) ? parts.flat() : undefined
  }
  if (field === 'customFields') {
    const parts = (test as readonly { id: unknown }[]).flatMap(({ id, ...tests }) =>
      Object.entries(tests).map(([type, value]) => readCustom(`custom:${integerOf(id)}`, type, value)),
    )
    return parts.every((each) => each !== undefined) ? parts.flat() : undefined
  }
  if (Array.isArray(test)) return test.length === 1 ? [{ field, op: 'oneOf', value: String(test[0]) }] : undefined
  return readTests(field, test, 'text')
}

function readCustom(field: string, type: string, value: unknown): readonly Condition[] | undefined {
  if (value == null) return []
  if (type === 'exists') return readTests(field, { exists: value }, 'text')
  if (type === 'flag') return [{ field, op: 'is', value: String(value) }]
  return type === 'text' || type === 'number' || type === 'date' ? readTests(field, value, type) : undefined
}

/** The operators of numbers and of days by their spelling in the filter. Those of other fields have the same name. */
const readings: Readonly<Record<'text' | 'number' | 'date', Partial<Record<string, Operator>>>> = {
  text: {},
  number: { eq: 'equals', ne: 'differs' },
  date: { eq: 'on', gte: 'from', lte: 'until' },
}

function readTests(field: string, tests: unknown, type: keyof typeof readings): readonly Condition[] | undefined {
  if (typeof tests !== 'object' || tests === null) return undefined
  // A range alone means the period BETWEEN, which cannot be without one.
  const isRange = 'range' in tests && tests.range != null
  const given = Object.entries(tests).filter(([name, value]) => value != null && !(isRange && name === 'period'))
  const conditions = given.map(([name, value]): Condition | undefined => {
    if (name === 'exists') return { field, op: value ? 'isSet' : 'isNotSet', value: '' }
    if (name === 'range') return readRange(field, value, type)
    const op = readings[type][name] ?? name
    if (!(op in operatorLabels)) return undefined
    return { field, op: op as Operator, value: Array.isArray(value) ? value.map(integerOf) : String(value) }
  })
  return conditions.every((each) => each !== undefined) ? conditions : undefined
}

/** A point in time has a day by a range: of that day alone, or with no other end. */
function readRange(field: string, { from, to }: { from: string; to: string }, type: keyof typeof readings): Condition {
  if (type === 'text') {
    if (from === to) return { field, op: 'on', value: from }
    if (to === lastDay) return { field, op: 'from', value: from }
    if (from === firstDay) return { field, op: 'until', value: to }
  }
  return { field, op: 'between', value: [from, to] }
}

/**
 * Returns the integer of an id as text. Filters of other clients also have global ids, which are an encoded type and integer. The
 * builder compares objects by their integers.
 */
function integerOf(id: unknown): string {
  const text = String(id)
  const given = /^\d+$/.exec(text) ?? /:(\d+)$/.exec(decoded(text))
  return given ? String(BigInt(given[1] ?? given[0])) : text
}

function decoded(text: string): string {
  try {
    return atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  } catch {
    return ''
  }
}
