import type { Ctx } from '../db/context.ts'
import { type Announced, following } from '../events/index.ts'
import type { Source } from '../kernel/feed.ts'
import { idOf } from '../kernel/ids.ts'
import { mustBeAllowed } from '../kernel/scopes.ts'
import { byId, notFound } from './form-list.ts'

const submissionEventTypes: readonly (keyof Announced)[] = [
  'form_submission.started',
  'form_submission.updated',
  'form_submission.completed',
]

/**
 * Subscribes to the submission events of one form, or of all forms.
 *
 * **Throws** FORBIDDEN, NOT_FOUND if the form does not exist, and the errors of `following.follow`.
 */
export async function followSubmissions(
  ctx: Ctx,
  { formId, ...from }: { formId?: string | number | null | undefined; after?: string | null | undefined },
): Promise<Source> {
  mustBeAllowed(ctx, 'forms:read')
  if (formId == null) return following.follow(ctx, from, submissionEventTypes, () => true)
  const id = idOf('Form', formId, 'formId')
  if (!(await ctx.load(byId, id))) throw notFound()
  return following.follow(ctx, from, submissionEventTypes, ({ data }) => (data as { formId: number }).formId === id)
}
