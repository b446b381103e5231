import { contactFilters } from '../../contacts/index.ts'
import type { Ctx } from '../../db/context.ts'
import { compileFilter } from '../../db/filters/filter.ts'
import { Refusal } from '../../kernel/errors.ts'
import type { BodyConditions } from '../emails/body-input.ts'

/** The condition of blocks of an e-mail, and where they are. */
export interface Condition {
  readonly filter: contactFilters.ContactFilter
  readonly paths: readonly string[]
}

/** A condition that has no meaning any more, and why. */
interface InvalidCondition extends Condition {
  readonly problemAt: (path: string) => string
}

/**
 * Divides conditions into those that can be evaluated, and those that have no meaning any more: they exclude something that was
 * deleted, or their filter became invalid.
 */
export async function divideConditions(
  ctx: Ctx,
  { filters, paths }: Pick<BodyConditions, 'filters' | 'paths'>,
): Promise<{ valid: Condition[]; invalid: InvalidCondition[] }> {
  const conditions = filters.map((filter, place): Condition => ({ filter, paths: paths[place] ?? [] }))
  const problems = await Promise.all(conditions.map(({ filter }) => problemOf(ctx, filter)))
  return {
    valid: conditions.filter((_condition, place) => problems[place] === undefined),
    invalid: conditions.flatMap((condition, place) => {
      const problemAt = problems[place]
      return problemAt ? [{ ...condition, problemAt }] : []
    }),
  }
}

async function problemOf(
  ctx: Ctx,
  filter: contactFilters.ContactFilter,
): Promise<InvalidCondition['problemAt'] | undefined> {
  try {
    const { exclusions } = await compileFilter(ctx, contactFilters.contactFilter, filter, 'showTo')
    const deleted = await contactFilters.findDeleted(ctx, exclusions)
    if (deleted.length === 0) return undefined
    const names = deleted.map(({ type, id }) => `the ${type} ${id}`).join(', ')
    return (path) => `has a condition at ${path} that excludes ${names}, which was deleted`
  } catch (error) {
    if (!(error instanceof Refusal) || error.fields.length === 0) throw error
    const [fault] = error.fields
    return (path) => `has a condition at ${path} that is not valid: ${fault?.message}`
  }
}
