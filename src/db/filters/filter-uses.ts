import type { Ctx } from '../context.ts'
import type { Fields, FilterDefinition } from './filter.ts'

/** A condition of a filter: the name of the field, its value, and the path in errors. */
interface FilterUse {
  readonly name: string
  readonly value: unknown
  readonly path: string
}

/** Returns the conditions of a checked filter with this path, and those of the stored filters that it names. */
export async function usesOf(
  ctx: Ctx,
  { fields }: Pick<FilterDefinition<Fields>, 'fields'>,
  filter: object,
  path: string,
): Promise<FilterUse[]> {
  // A client does not see the conditions of a stored filter, so their path is that of the value which names it.
  const visit = async (node: object, at: string, isStored: boolean): Promise<FilterUse[]> => {
    const inside = (place: string, name: string | number) => (isStored ? place : `${place}.${name}`)
    const found = Object.entries(node).map(async ([name, value]): Promise<FilterUse[]> => {
      if (value == null) return []
      const place = inside(at, name)
      if (name === 'not') return visit(value, place, isStored)
      if (name === 'and' || name === 'or') {
        const parts = value as readonly object[]
        return (await Promise.all(parts.map((part, index) => visit(part, inside(place, index), isStored)))).flat()
      }
      const field = fields[name]
      const use = { name, value, path: place }
      if (!field || !('expand' in field)) return [use]
      const stored = await field.expand(value, { ctx, path: place, isNegated: false, exclusions: [] })
      return [use, ...(await visit(stored, place, true))]
    })
    return (await Promise.all(found)).flat()
  }
  return visit(filter, path, false)
}

/** Whether the value of a condition depends on the time at which it is evaluated. */
export function isRelativeToNow(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || value instanceof Date) return false
  return Object.entries(value).some(
    ([name, part]) => (['withinDays', 'beforeDays', 'period'].includes(name) && part != null) || isRelativeToNow(part),
  )
}
