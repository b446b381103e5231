import type { Bucket, SubmissionStatus } from '../../../prisma/generated/client/client.ts'
import type { Ctx } from '../../db/context.ts'
import { type Announcements, type EventData, following } from '../../events/index.ts'
import type { Source, StampedEvent } from '../../kernel/feed.ts'
import { mustBeAllowed } from '../../kernel/scopes.ts'
import { idOf } from '../../kernel/values/ids.ts'
import { byId, notFound } from '../form/form-list.ts'

const submissionEventTypes: readonly (keyof Announcements)[] = [
  'form_submission.started',
  'form_submission.updated',
  'form_submission.completed',
]

interface SubmissionFeedArgs {
  formId?: string | number | null | undefined
  statuses?: readonly SubmissionStatus[] | null | undefined
  buckets?: readonly Bucket[] | null | undefined
  after?: string | null | undefined
}

/**
 * Subscribes to the submission events of one form, or of all forms, after which the submission has one of the statuses and one
 * of the buckets.
 *
 * **Throws** FORBIDDEN, NOT_FOUND if the form does not exist, and the errors of `following.follow`.
 */
export async function followSubmissions(
  ctx: Ctx,
  { formId, statuses, buckets, ...from }: SubmissionFeedArgs,
): Promise<Source> {
  mustBeAllowed(ctx, 'forms:read')
  const isWanted = ({ data }: StampedEvent) => {
    const { status, bucket } = data as EventData['form_submission.updated']
    return (statuses?.includes(status) ?? true) && (buckets?.includes(bucket) ?? true)
  }
  const selection = { types: submissionEventTypes, isWanted }
  if (formId == null) return following.follow(ctx, from, selection)
  const id = idOf('Form', formId, 'formId')
  if (!(await ctx.load(byId, id))) throw notFound('formId')
  return following.follow(ctx, from, { ...selection, subjects: { formId: [id] } })
}
