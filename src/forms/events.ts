import { declareEvents } from '../events/index.ts'

export const formEvents = declareEvents(
  { kind: 'FormSubmissionEvent', needs: 'forms:read', sample: { submissionId: 1, formId: 1 } },
  {
    'form_submission.started': 'A form submission was started.',
    'form_submission.updated': 'Answers of a form submission were added or changed.',
    'form_submission.completed': 'A form submission was completed.',
  },
)

type FormEvents = typeof formEvents

declare module '../events/index.ts' {
  interface DeclaredEvents extends FormEvents {}
}
