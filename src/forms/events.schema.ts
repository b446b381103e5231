import type { Ctx } from '../db/context.ts'
import { afterDescription } from '../events/log/event.schema.ts'
import { FormSubmissionEvent } from '../events/log/event-kinds.schema.ts'
import { builder } from '../graphql/builder.ts'
import { needing } from '../graphql/mutation.ts'
import { FormType } from './form.schema.ts'
import { formList, formSubmissions, submissionList } from './index.ts'
import { SubmissionType } from './submission.schema.ts'

builder.objectFields(FormSubmissionEvent, (t) => ({
  submission: t.field({
    type: SubmissionType,
    nullable: true,
    description: 'The submission as it is now; null where it is gone.',
    resolve: ({ data }, _args, ctx) => ctx.load(submissionList.byId, data.submissionId),
  }),
  form: t.field({
    type: FormType,
    nullable: true,
    description: 'The form; null where it is gone.',
    resolve: ({ data }, _args, ctx) => ctx.load(formList.byId, data.formId),
  }),
}))

builder.subscriptionFields((t) => ({
  formSubmissionChanged: t.field({
    type: FormSubmissionEvent,
    description: needing(
      'forms:read',
      'Follows submissions as they are started, go on and are completed. Each answer shows the submission as it is when it is delivered.',
    ),
    args: {
      formId: t.arg.id({ description: 'Of this form, by global id or integer; of all forms when absent.' }),
      after: t.arg.string({ description: afterDescription }),
    },
    subscribe: (_root, args, ctx: Ctx) => formSubmissions.follow(ctx, args),
    resolve: (event) => event as never,
  }),
}))
