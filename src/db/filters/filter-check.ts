import { mustBeAllowed, type Scope } from '../../kernel/scopes.ts'
import type { Ctx } from '../context.ts'
import { type Sql, sql } from '../sql.ts'
import { compileFilter, type Fields, type Filter, type FilterDefinition, filterLimits, problem } from './filter.ts'

/**
 * Checks the limits of a filter, and the scopes of its fields and of the stored filters that it names. `path` is the path of
 * the filter in messages.
 *
 * **Throws** VALIDATION_ERROR, and FORBIDDEN for a field whose scope the key lacks.
 */
export async function checkFilter<Given extends Fields>(
  ctx: Ctx,
  { fields: ownFields }: FilterDefinition<Given>,
  filter: Filter<Given>,
  path: string,
): Promise<void> {
  let conditions = 0
  const stored: (() => Promise<Scope[]>)[] = []
  const excess = () => problem(path, `must have at most ${filterLimits.conditions} conditions`)
  const visit = (fields: Fields, node: object, at: string, depth: number) => {
    if (depth > filterLimits.depth) throw problem(path, `must have at most ${filterLimits.depth} levels`)
    for (const [name, value] of Object.entries<unknown>(node as Record<string, unknown>)) {
      if (value == null) continue
      if (name === 'not') visit(fields, value, `${at}.not`, depth + 1)
      else if (name === 'and' || name === 'or') {
        const parts = value as readonly object[]
        // Empty parts are no conditions, but take time and space as well.
        if (parts.length > filterLimits.conditions) throw excess()
        for (const [index, part] of parts.entries()) visit(fields, part, `${at}.${name}.${index}`, depth + 1)
      } else {
        const field = fields[name]
        if (!field) throw problem(`${at}.${name}`, 'is not a field of this filter')
        if (field.fields) {
          // A condition of its own, because an empty filter takes time as well.
          conditions += 1
          visit(field.fields, value, `${at}.${name}`, depth + 1)
        } else conditions += countConditions(value)
        if (conditions > filterLimits.conditions) throw excess()
        const place = { ctx, path: `${at}.${name}`, isNegated: false, exclusions: [] }
        if ('expand' in field) stored.push(async () => scopesOf(fields, await field.expand(value, place)))
      }
    }
  }
  visit(ownFields, filter, path, 1)
  const scopes = [scopesOf(ownFields, filter), ...(await Promise.all(stored.map((each) => each())))]
  for (const scope of scopes.flat()) mustBeAllowed(ctx, scope)
}

/** Returns the scopes that a key needs for the fields of a filter, without those of the stored filters that it names. */
export function scopesOf(fields: Fields, filter: object): Scope[] {
  return Object.entries(filter).flatMap(([name, value]): Scope[] => {
    if (value == null) return []
    if (name === 'not') return scopesOf(fields, value)
    if (name === 'and' || name === 'or') return value.flatMap((part: object) => scopesOf(fields, part))
    const field = fields[name]
    return [...(field?.needs ? [field.needs] : []), ...(field?.fields ? scopesOf(field.fields, value) : [])]
  })
}

/** Fields that say what a condition is about, which are no conditions. */
const noConditions = ['id', 'key', 'questionId', 'currency']

/** Counts the operators in the value of a field. Each id of `all` is a condition of its own. */
function countConditions(value: unknown): number {
  if (value == null) return 0
  if (Array.isArray(value)) return value.reduce((sum: number, each) => sum + countConditions(each), 0)
  if (typeof value !== 'object' || value instanceof Date) return 1
  return Object.entries(value).reduce((sum, [name, operand]) => {
    // A range belongs to its period. Alone, it is a period.
    if (name === 'range') return 'period' in value && value.period != null ? sum : sum + Number(operand != null)
    if (noConditions.includes(name)) return sum
    if (name === 'all' && Array.isArray(operand)) return sum + operand.length
    return sum + (Array.isArray(operand) ? 1 : countConditions(operand))
  }, 0)
}

/** Returns the conditions of a list for a filter that a client sent. Checks its limits and scopes first. */
export async function filterConditions<Given extends Fields>(
  ctx: Ctx,
  definition: FilterDefinition<Given>,
  filter: Filter<Given>,
  path = 'filter',
): Promise<Sql[]> {
  await checkFilter(ctx, definition, filter, path)
  const { condition } = await compileFilter(ctx, definition, filter, path)
  return condition === true ? [] : [condition === false ? sql`false` : condition]
}
