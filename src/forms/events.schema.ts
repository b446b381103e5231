import type { Ctx } from '../db/context.ts'
import { afterDescription } from '../events/log/event.schema.ts'
import { FormSubmissionEvent } from '../events/log/event-kinds.schema.ts'
import { builder } from '../graphql/builder.ts'
import { FormType } from './form.schema.ts'
import { followSubmissions } from './index.ts'
import { SubmissionType } from './submission.schema.ts'

builder.objectFields(FormSubmissionEvent, (t) => ({
  submission: t.node(({ data }) => data.submissionId, {
    type: SubmissionType,
    description: 'Current state of the submission; null if it was deleted.',
  }),
  form: t.node(({ data }) => data.formId, {
    type: FormType,
    description: 'Form of the submission; null if it was deleted.',
  }),
}))

builder.subscriptionFields((t) => ({
  formSubmissionChanged: t.field({
    type: FormSubmissionEvent,
    description:
      'Delivers an event when a submission is started, updated or completed. `submission` is its state at the time of delivery, not at the time of the event.',
    args: {
      formId: t.arg.id({ description: 'Selects events of this form, by global ID or integer. Defaults to all forms.' }),
      after: t.arg.string({ description: afterDescription }),
    },
    subscribe: (_root, args, ctx: Ctx) => followSubmissions(ctx, args),
    resolve: (event) => event as never,
  }),
}))
