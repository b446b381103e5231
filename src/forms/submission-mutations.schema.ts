import { ContactRef } from '../contacts/contact.schema.ts'
import { AttributionInput } from '../graphql/attribution.ts'
import { builder } from '../graphql/builder.ts'
import { asOfNow, mutation } from '../graphql/mutation.ts'
import { submissionList, submissions } from './index.ts'
import { SubmissionType } from './submission.schema.ts'

const AnswerInput = builder.inputType('AnswerInput', {
  description: 'The answer to a question: one value, or several. Without either, the answer is taken away.',
  fields: (t) => ({
    questionId: t.id({ required: true, description: 'The question, by global id or integer.' }),
    value: t.string({
      description: 'The answer as text, in the form that the type of the question wants; an empty one is none.',
    }),
    values: t.stringList({ description: 'The same as a list: several for a multiple choice.' }),
  }),
})

mutation('submissionSave', {
  needs: 'forms:write',
  alsoNeeds: ({ contact }) => [contact ? 'contacts:write' : null],
  description:
    'Keeps what a visitor has answered so far: starts a submission of a published form, goes on with one, completes it, or all at once. Answers are laid over those that are there. Once completed it stays as it is: the same answers again change nothing, and other ones are refused.\n\nAn answer that fills the e-mail address links the submission to the contact that has it, made where there is none and the quota allows; other answers fill the fields of that contact.',
  input: (t) => ({
    formId: t.id({ required: true, description: 'The form, by global id or integer.' }),
    id: t.id({ description: 'The submission to go on with, by global id or integer.' }),
    clientSubmissionId: t.string({
      description:
        'A name that the visitor’s page made up, 128 characters at most: the first save with it starts a submission, the others go on with that.',
    }),
    answers: t.field({ type: [AnswerInput], description: 'What is answered now: 500 at most, each question once.' }),
    contact: t.field({
      type: ContactRef,
      description:
        'Whom the submission is from, if that is known. Needs the scope `contacts:write`, because answers fill its fields.',
    }),
    attribution: t.field({
      type: [AttributionInput],
      description: 'Where the visitor came from last, each key once: takes the place of what was known before.',
    }),
    complete: t.boolean({ description: 'Whether the visitor has come to the end; false where absent.' }),
  }),
  run: submissions.save,
  payload: (t) => ({
    submission: t.field({
      type: SubmissionType,
      description: 'The submission after this.',
      resolve: asOfNow(submissionList.byId, (result) => result.submission),
    }),
  }),
})
