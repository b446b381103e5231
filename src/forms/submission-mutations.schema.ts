import { AttributionInput } from '../contacts/attribution.schema.ts'
import { ContactRef } from '../contacts/contact.schema.ts'
import { builder } from '../graphql/builder.ts'
import { mutation } from '../graphql/mutation.ts'
import { SubmissionType } from './submission.schema.ts'
import * as submissions from './submissions.ts'

const AnswerInput = builder.inputType('AnswerInput', {
  description: 'Input of the answer to a question: `value` or `values`. Without a value, the answer is removed.',
  fields: (t) => ({
    questionId: t.id({
      required: true,
      description: 'ID of the question, as a global ID or an integer. Must be a question of the form.',
    }),
    value: t.string({
      description: 'Value as text, in the format of the question type. An empty text removes the answer.',
    }),
    values: t.stringList({
      description: 'Values as a list. More than one only for `MULTIPLE_CHOICE`. Not allowed together with `value`.',
    }),
  }),
})

mutation('submissionSave', {
  needs: 'forms:write',
  alsoNeeds: ({ contact }) => [contact ? 'contacts:write' : null],
  description:
    'Saves the answers of a visitor to a published form. One call can start a submission, continue it and complete it. New answers replace earlier answers to the same questions. A completed submission no longer changes: a repeat of its answers has no effect, and other answers return VALIDATION_ERROR.\n\nAn answer to a question with the contact field `EMAIL` links the submission to the contact with this address. If there is no such contact, one is created unless the contact quota is exhausted. The other answers fill the fields of the contact.\n\n**Emits** `form_submission.started`, `form_submission.updated` and `form_submission.completed`.',
  input: (t) => ({
    formId: t.id({ required: true, description: 'ID of a published form, as a global ID or an integer.' }),
    id: t.id({
      description:
        'ID of the submission to continue, as a global ID or an integer. Not allowed together with `clientSubmissionId`.',
    }),
    clientSubmissionId: t.string({
      description:
        'Identifier that the client chooses, unique in the form. The first save with an identifier starts a submission, and later saves continue it. Maximum 128 characters.',
    }),
    answers: t.field({ type: [AnswerInput], description: 'Answers to save. Maximum 500, one for each question.' }),
    contact: t.field({
      type: ContactRef,
      description:
        'Contact to link the submission to. Takes precedence over an e-mail answer. Needs the scope `CONTACTS_WRITE`, because answers fill the fields of the contact.',
    }),
    attribution: t.field({
      type: [AttributionInput],
      description: 'Last-touch attribution, each key at most once. Replaces the stored attribution.',
    }),
    complete: t.boolean({
      description: 'Whether to complete the submission. All required questions must be answered. Defaults to false.',
    }),
  }),
  run: submissions.save,
  payload: (t) => ({
    submission: t.expose('submission', { type: SubmissionType, description: 'The submission after the mutation.' }),
  }),
})
