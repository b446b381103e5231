import type { Bucket, SubmissionStatus } from '../../prisma/generated/client/client.ts'
import { declareEvents } from '../events/index.ts'

const needs = 'forms:read'
const of = { type: 'Form', field: 'formId' } as const

/** `status` and `bucket` are those after the change, by which subscriptions select events. */
const sample = { submissionId: 1, formId: 1, status: 'COMPLETED' as SubmissionStatus, bucket: 'HOT' as Bucket }

export const formEvents = {
  ...declareEvents(
    { kind: 'FormSubmissionEvent', needs, sample },
    {
      'form_submission.started': 'A form submission was started.',
      'form_submission.updated': 'Answers of a form submission were added or changed.',
      'form_submission.completed': 'A form submission was completed.',
    },
    {
      'form_submission.started': { figure: 'SUBMISSIONS_STARTED', of },
      'form_submission.completed': { figure: 'SUBMISSIONS_COMPLETED', of },
    },
  ),
  ...declareEvents(
    { kind: 'FormChangeEvent', needs, sample: { formId: 1 }, isEdit: true },
    {
      'form.created': 'A form was created.',
      'form.updated': 'A form, its questions or its outcomes were updated, or it was published or archived.',
      'form.deleted': 'A form without submissions was deleted with its funnel step.',
    },
  ),
}

type FormEvents = typeof formEvents

declare module '../events/index.ts' {
  interface DeclaredEvents extends FormEvents {}
}
