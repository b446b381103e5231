import { readFileSync } from 'node:fs'
import { buildSchema, coerceInputValue, type GraphQLInputObjectType, getNamedType, isInputObjectType } from 'graphql'
import { describe, expect, it } from 'vitest'
import type { Condition, Operator } from '../../src/console/filters/conditions.ts'
import { consoleModule } from './console-module.ts'

const { filterFields, toFilter } =
  await consoleModule<typeof import('../../src/console/filters/conditions.ts')>('filters/conditions.ts')
const { fromFilter } =
  await consoleModule<typeof import('../../src/console/filters/stored-filter.ts')>('filters/stored-filter.ts')

const schema = buildSchema(readFileSync('schema.graphql', 'utf8'))
const type = schema.getType('ContactFilterInput') as GraphQLInputObjectType
const fields = filterFields(
  ['TEXT', 'NUMBER', 'DATE', 'BOOLEAN'].map((type, index) => ({ databaseId: index + 1, name: type, type })),
)

function sampleOf(field: (typeof fields)[number], op: Operator): Condition['value'] {
  if (op === 'any' || op === 'all' || op === 'none') return ['7', '8']
  if (op === 'between') return ['2026-01-01', '2026-01-31']
  if (op === 'on' || op === 'from' || op === 'until') return '2026-01-01'
  if (op === 'isSet' || op === 'isNotSet') return ''
  if (op === 'is' || op === 'oneOf' || op === 'period') {
    const choices = op === 'period' && field.choices?.[0]?.value === 'true' ? [] : field.choices
    return choices?.[0]?.value ?? 'TODAY'
  }
  return '12'
}

const conditions = fields.flatMap((field) =>
  field.operators.map((op): Condition => ({ field: field.name, op, value: sampleOf(field, op) })),
)

describe('the filter builder', () => {
  it.each(conditions)('writes a valid filter for $field $op, and reads the same condition from it', (condition) => {
    const filter = toFilter(undefined, [condition])
    coerceInputValue(filter, type, (path, value, error) => {
      throw new Error(`${path.join('.')}: ${JSON.stringify(value)}: ${error.message}`)
    })
    expect(fromFilter(filter)).toEqual([condition])
  })

  it('has all fields of the filter of contacts', () => {
    const names = new Set(fields.map(({ name }) => name))
    const missing = Object.values(type.getFields()).flatMap(({ name, type: of }) => {
      const parts = getNamedType(of)
      const isGroup = name === 'purchases' && isInputObjectType(parts)
      return (isGroup ? Object.keys(parts.getFields()).map((part) => `${name}.${part}`) : [name]).filter(
        (each) => !names.has(each),
      )
    })
    // Words are in the search box, custom fields are fields of their own, and amounts are in the currency of the account.
    expect(missing).toEqual(['and', 'customFields', 'id', 'not', 'or', 'purchases.currency', 'search'])
  })

  it('does not write a condition without its value', () => {
    const unfinished = conditions.filter(({ op }) => op !== 'isSet' && op !== 'isNotSet')
    for (const { field, op, value } of unfinished) {
      const empty = op === 'between' ? ['2026-01-01', ''] : typeof value === 'string' ? '' : []
      expect(toFilter(undefined, [{ field, op, value: empty }]), `${field} ${op}`).toBeNull()
    }
  })
})
