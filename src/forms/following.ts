import type { Ctx } from '../db/context.ts'
import { type Announced, following } from '../events/index.ts'
import { refuse } from '../kernel/errors.ts'
import type { Source } from '../kernel/feed.ts'
import { idOf } from '../kernel/ids.ts'
import { mustBeAllowed } from '../kernel/scopes.ts'
import { byId } from './form-list.ts'

/** All that happens to a submission. */
const changes: readonly (keyof Announced)[] = [
  'form_submission.started',
  'form_submission.updated',
  'form_submission.completed',
]

/**
 * Follows the submissions of one form, or of all of them. Fails with FORBIDDEN, with NOT_FOUND, and as `following.follow`
 * does.
 */
export async function follow(
  ctx: Ctx,
  { formId, ...from }: { formId?: string | number | null | undefined; after?: string | null | undefined },
): Promise<Source> {
  mustBeAllowed(ctx, 'forms:read')
  if (formId == null) return following.follow(ctx, from, changes, () => true)
  const id = idOf('Form', formId, 'formId')
  if (!(await ctx.load(byId, id))) throw refuse('NOT_FOUND', 'There is no such form.')
  return following.follow(ctx, from, changes, ({ data }) => (data as { formId: number }).formId === id)
}
