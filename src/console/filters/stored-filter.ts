import { type Condition, type Operator, operatorLabels } from './conditions.ts'

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
    const parts = Object.entries(Object(test) as object).map(([part, tests]) =>
      readTests(`purchases.${part}`, tests, part.endsWith('At') ? 'text' : 'number'),
    )
    return parts.every((each) => each !== undefined) ? parts.flat() : undefined
  }
  if (field === 'customFields') {
    const parts = (test as readonly { id: unknown }[]).flatMap(({ id, ...tests }) =>
      Object.entries(tests).map(([type, value]) => readCustom(`custom:${id}`, type, value)),
    )
    return parts.every((each) => each !== undefined) ? parts.flat() : undefined
  }
  if (Array.isArray(test)) return test.length === 1 ? [{ field, op: 'oneOf', value: String(test[0]) }] : undefined
  return readTests(field, test, 'text')
}

function readCustom(field: string, type: string, value: unknown): readonly Condition[] | undefined {
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
  const conditions = Object.entries(tests).map(([name, value]): Condition | undefined => {
    if (name === 'exists') return { field, op: value ? 'isSet' : 'isNotSet', value: '' }
    if (name === 'range') return { field, op: 'between', value: [String(value.from), String(value.to)] }
    const op = readings[type][name] ?? name
    if (!(op in operatorLabels)) return undefined
    return { field, op: op as Operator, value: Array.isArray(value) ? value.map(String) : String(value) }
  })
  return conditions.every((each) => each !== undefined) ? conditions : undefined
}
