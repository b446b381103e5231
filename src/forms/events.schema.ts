import type { Ctx } from '../db/context.ts'
import { afterDescription } from '../events/feed/event.schema.ts'
import { eventObject, resourceFields } from '../events/feed/event-object.schema.ts'
import { builder } from '../graphql/schema/builder.ts'
import { idText } from '../graphql/schema/descriptions.ts'
import { FormType } from './form/form.schema.ts'
import { BucketEnum } from './form/question.schema.ts'
import { SubmissionStatusEnum, SubmissionType } from './submissions/submission.schema.ts'
import { followSubmissions } from './submissions/submission-feed.ts'

const FormSubmissionEvent = eventObject('FormSubmissionEvent', 'An event of a form submission.', (t) => ({
  ...resourceFields(t, 'submission', SubmissionType),
  ...resourceFields(t, 'form', FormType),
}))

eventObject('FormChangeEvent', 'A form was created, updated or deleted.', (t) => resourceFields(t, 'form', FormType))

builder.subscriptionFields((t) => ({
  formSubmissionChanged: t.field({
    type: FormSubmissionEvent,
    description:
      'Delivers an event when a submission is started, updated or completed. `submission` is its state at the time of delivery, not at the time of the event.',
    args: {
      formId: t.arg.id({ description: `${idText('the form')} Defaults to all forms.` }),
      statuses: t.arg({
        type: [SubmissionStatusEnum],
        description: 'Selects events after which the submission has one of these statuses. Defaults to all.',
      }),
      buckets: t.arg({
        type: [BucketEnum],
        description: 'Selects events after which the submission is in one of these buckets. Defaults to all.',
      }),
      after: t.arg.string({ description: afterDescription }),
    },
    subscribe: (_root, args, ctx: Ctx) => followSubmissions(ctx, args),
    resolve: (event) => event as never,
  }),
}))
