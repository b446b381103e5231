import type { Ctx } from '../../db/context.ts'
import { compileFilter, problem } from '../../db/filters/filter.ts'
import { checkFilter } from '../../db/filters/filter-check.ts'
import { join, type Sql, sql } from '../../db/sql.ts'
import { mustBeAllowed } from '../../kernel/scopes.ts'
import { ports } from '../ports.ts'
import { type ContactFilter, contactFilter } from './contact-filter.ts'

/** Maximum number of values in one statement. PostgreSQL allows 65,535. */
const maxValues = 30_000

/**
 * Reads a filter that is part of a document, and returns it as it is stored: times are text in JSON. `path` is its path in
 * messages.
 *
 * **Throws** VALIDATION_ERROR if it is no valid `ContactFilterInput`, and FORBIDDEN for a condition whose scope the key lacks.
 */
export async function readFilter(ctx: Ctx, value: unknown, path: string): Promise<ContactFilter> {
  mustBeAllowed(ctx, 'contacts:read')
  const given = ports.parseFilter(value)
  if ('fault' in given) throw problem(path, given.fault)
  await checkFilter(ctx, contactFilter, given.value, path)
  await compileFilter(ctx, contactFilter, given.value, path)
  return JSON.parse(JSON.stringify(given.value))
}

/**
 * Returns the keys of the filters that contacts match, by the id of the contact. Contacts that do not exist are absent. One
 * statement evaluates all filters for all contacts, unless they have very many values. **Throws** VALIDATION_ERROR for a filter
 * that became invalid or takes too long.
 */
export async function matchedFilters(
  ctx: Ctx,
  filters: readonly { readonly key: number; readonly filter: ContactFilter }[],
  contactIds: readonly number[],
): Promise<Map<number, number[]>> {
  const tests = await Promise.all(
    filters.map(async ({ key, filter }) => {
      const { test } = await compileFilter(ctx, contactFilter, filter, 'filter')
      return sql`CASE WHEN ${typeof test === 'boolean' ? sql`${test}::boolean` : test} THEN ${key}::int END`
    }),
  )
  const found = new Map<number, number[]>()
  for (const part of inParts(tests)) {
    const rows = await ctx.sql.limited(part.length, true)<{ id: number; keys: number[] }>`
      SELECT c.id, array_remove(ARRAY[${join(part)}], NULL) AS keys
      ${contactFilter.from(ctx)} AND c.id = ANY(${contactIds}::int[])`
    for (const { id, keys } of rows) found.set(id, [...(found.get(id) ?? []), ...keys])
  }
  return found
}

/** Divides expressions so that no part has too many values for a statement. */
function inParts(expressions: readonly Sql[]): Sql[][] {
  const parts: Sql[][] = []
  let values = 0
  for (const expression of expressions) {
    values += expression.values.length
    const last = parts.at(-1)
    if (last && values <= maxValues) last.push(expression)
    else {
      parts.push([expression])
      values = expression.values.length
    }
  }
  return parts
}
