import { builder } from '../../graphql/schema/builder.ts'
import { idText, requiredId } from '../../graphql/schema/descriptions.ts'
import { deletedNode, type InputBuilder, mutation, type Payload } from '../../graphql/schema/mutation.ts'
import * as duplication from './duplication.ts'
import { FormType, FormTypeEnum } from './form.schema.ts'
import type { Form } from './form-list.ts'
import * as formList from './form-list.ts'
import * as forms from './forms.ts'
import type { Outcome } from './outcome-list.ts'
import * as outcomes from './outcomes.ts'
import { BucketEnum, ContactFieldEnum, OutcomeType, QuestionObject, QuestionTypeEnum } from './question.schema.ts'
import type { Question } from './question-list.ts'
import * as questions from './questions.ts'

const AnswerPointsInput = builder.inputType('AnswerPointsInput', {
  description: 'Input of the points that one answer adds to the score.',
  fields: (t) => ({
    answer: t.string({
      required: true,
      description:
        'Answer that earns the points: an option, `yes` or `no`, `true` or `false`, or a number of the scale.',
    }),
    points: t.field({
      type: 'Decimal',
      required: true,
      description: 'Points added to the score. From -10,000 to 10,000, with at most two decimals.',
    }),
  }),
})

const questionContentFields = (t: InputBuilder) => ({
  required: t.boolean({ description: 'Whether a submission needs an answer to be completed. Defaults to false.' }),
  options: t.stringList({
    description:
      'Options to choose from, in display order. Required for choice types and not allowed for others. Maximum 200 different options of at most 255 characters.',
  }),
  points: t.field({
    type: [AnswerPointsInput],
    description: 'Points of the answers. Replaces all points of the question. An empty list removes them.',
  }),
  contactField: t.field({
    type: ContactFieldEnum,
    description:
      'Contact field that the answer is written to; null for none. Defaults to `EMAIL` for new questions of the type `EMAIL`.',
  }),
  customFieldId: t.id({
    description: `${idText('the custom field that the answer is written to')} Null for none.`,
  }),
})
const labelDescription = 'Text of the question. Maximum 1,000 characters.'
const newQuestionFields = (t: InputBuilder) => ({
  label: t.string({ required: true, description: labelDescription }),
  type: t.field({ type: QuestionTypeEnum, required: true, description: 'Type of the answer.' }),
  ...questionContentFields(t),
})

const keyDescription =
  'Identifier of the outcome, unique in the form. Letters and digits, with single `-` or `_` between them. Maximum 64 characters.'
const newOutcomeFields = (t: InputBuilder) => ({
  key: t.string({ required: true, description: keyDescription }),
  title: t.string({ required: true, description: 'Title that the visitor sees. Maximum 255 characters.' }),
  text: t.string({ description: 'Text below the title. Empty by default. Maximum 10,000 characters.' }),
  bucket: t.field({
    type: BucketEnum,
    required: true,
    description: 'Bucket of the submissions that end with this outcome.',
  }),
})

const NewQuestion = builder.inputType('NewQuestionInput', {
  description: 'Input of a question of a new form.',
  fields: newQuestionFields,
})
const NewOutcome = builder.inputType('NewOutcomeInput', {
  description: 'Input of an outcome of a new form.',
  fields: newOutcomeFields,
})

const formId = (t: InputBuilder) => t.id(requiredId('the form'))
const questionId = (t: InputBuilder) => t.id(requiredId('the question'))
const outcomeId = (t: InputBuilder) => t.id(requiredId('the outcome'))
const thresholdFields = (t: InputBuilder) => ({
  warmFrom: t.field({
    type: 'Decimal',
    description: 'Lowest score of a warm submission. Defaults to 1.',
  }),
  hotFrom: t.field({
    type: 'Decimal',
    description: 'Lowest score of a hot submission. Must not be below `warmFrom`. Defaults to 10.',
  }),
})
const formField = (t: Payload<{ form: Form }>) =>
  t.expose('form', { type: FormType, description: 'The form after the mutation.' })
const formPayload = (t: Payload<{ form: Form }>) => ({
  form: formField(t),
})
const questionPayload = (t: Payload<{ question: Question }>) => ({
  question: t.expose('question', { type: QuestionObject, description: 'The question after the mutation.' }),
})
const outcomePayload = (t: Payload<{ outcome: Outcome }>) => ({
  outcome: t.expose('outcome', { type: OutcomeType, description: 'The outcome after the mutation.' }),
})

const languageOfForm =
  'Language tag (BCP 47) of its questions, for example `fr`. Empty, as by default, if the page follows the browser of the visitor.'

mutation('formCreate', {
  needs: 'forms:write',
  description: 'Creates a draft form with its questions and outcomes.',
  input: (t) => ({
    name: t.string({
      required: true,
      description: 'Internal name of the form. Maximum 255 characters.',
    }),
    type: t.field({ type: FormTypeEnum, description: 'Purpose of the form. Defaults to `QUIZ`.' }),
    language: t.string({ description: languageOfForm }),
    ...thresholdFields(t),
    questions: t.field({ type: [NewQuestion], description: 'Questions in display order. Maximum 500.' }),
    outcomes: t.field({ type: [NewOutcome], description: 'Outcomes in order of precedence. Maximum 100.' }),
  }),
  run: forms.create,
  payload: formPayload,
})

mutation('formUpdate', {
  needs: 'forms:write',
  description:
    'Updates the fields of a form that the input contains. Changed thresholds apply to submissions that are saved afterwards.',
  input: (t) => ({
    id: formId(t),
    name: t.string({ description: 'Internal name of the form. Maximum 255 characters.' }),
    language: t.string({ description: languageOfForm }),
    ...thresholdFields(t),
  }),
  run: forms.update,
  lock: (tx, { id }) => formList.lock(tx, id),
  payload: formPayload,
})

mutation('formPublish', {
  needs: 'forms:write',
  description:
    'Publishes a draft, so that it accepts submissions. The form must have a question that takes an answer. Returns INVALID_STATE if the form is no draft; `formRestore` restores an archived form.',
  input: (t) => ({ id: formId(t) }),
  run: forms.publish,
  payload: formPayload,
})

mutation('formArchive', {
  needs: 'forms:write',
  description:
    'Archives a published form. It keeps its submissions and accepts no new ones. Returns INVALID_STATE if the form is not published.',
  input: (t) => ({ id: formId(t) }),
  run: forms.archive,
  payload: formPayload,
})

mutation('formRestore', {
  needs: 'forms:write',
  description:
    'Restores an archived form: it is published and accepts submissions again. Idempotent. The form must have a question that takes an answer.',
  input: (t) => ({ id: formId(t) }),
  run: forms.restore,
  payload: formPayload,
})

mutation('formDuplicate', {
  needs: 'forms:write',
  description:
    'Creates a draft with the questions, the outcomes, the thresholds and the confirmation e-mail of a form in any status. Submissions and removed questions are not copied. The copy of the form of a step belongs to no step.',
  input: (t) => ({
    id: t.id(requiredId('the form to copy')),
    name: t.string({ description: 'Name of the copy. Maximum 255 characters. Defaults to `Copy of` and the name.' }),
  }),
  run: duplication.duplicate,
  payload: formPayload,
})

mutation('formQuestionCreate', {
  needs: 'forms:write',
  description: 'Adds a question to a form.',
  input: (t) => ({
    formId: formId(t),
    ...newQuestionFields(t),
    position: t.int({ description: 'Position in the form, starting at 1. Defaults to the last position.' }),
  }),
  run: questions.create,
  payload: questionPayload,
})

mutation('formQuestionUpdate', {
  needs: 'forms:write',
  description:
    'Updates the fields of a question that the input contains. After the form was first published, existing answers keep the label and the type of the version that they answered.',
  input: (t) => ({
    id: questionId(t),
    label: t.string({ description: labelDescription }),
    type: t.field({
      type: QuestionTypeEnum,
      description: 'Type of the answer. Options and points that do not fit the new type are removed.',
    }),
    ...questionContentFields(t),
  }),
  run: questions.update,
  lock: questions.lockOne,
  payload: questionPayload,
})

mutation('formQuestionMove', {
  needs: 'forms:write',
  description: 'Moves a question to another position of its form. The questions in between shift by one.',
  input: (t) => ({
    id: questionId(t),
    position: t.int({ required: true, description: 'New position in the form, starting at 1.' }),
  }),
  run: questions.move,
  payload: questionPayload,
})

mutation('formQuestionDelete', {
  needs: 'forms:write',
  description:
    'Removes a question from its form. After the form was first published, submissions keep their answers to the question, and the answers still return it.',
  input: (t) => ({ id: questionId(t) }),
  run: questions.remove,
  payload: (t) => ({
    ...deletedNode(t, QuestionObject),
    form: formField(t as never),
  }),
})

mutation('formOutcomeCreate', {
  needs: 'forms:write',
  description: 'Adds an outcome to the end of the outcomes of a form.',
  input: (t) => ({ formId: formId(t), ...newOutcomeFields(t) }),
  run: outcomes.create,
  payload: outcomePayload,
})

mutation('formOutcomeUpdate', {
  needs: 'forms:write',
  description:
    'Updates the fields of an outcome that the input contains. Submissions that ended with the outcome keep its former key and title.',
  input: (t) => ({
    id: outcomeId(t),
    key: t.string({ description: keyDescription }),
    title: t.string({ description: 'Title that the visitor sees. Maximum 255 characters.' }),
    text: t.string({ description: 'Text below the title. An empty text removes it. Maximum 10,000 characters.' }),
    bucket: t.field({ type: BucketEnum, description: 'Bucket of the submissions that end with this outcome.' }),
  }),
  run: outcomes.update,
  lock: outcomes.lockOne,
  payload: outcomePayload,
})

mutation('formOutcomeMove', {
  needs: 'forms:write',
  description: 'Moves an outcome to another position of its form. The outcomes in between shift by one.',
  input: (t) => ({
    id: outcomeId(t),
    position: t.int({ required: true, description: 'New position in the form, starting at 1.' }),
  }),
  run: outcomes.move,
  payload: outcomePayload,
})

mutation('formOutcomeDelete', {
  needs: 'forms:write',
  description: 'Deletes an outcome. Submissions that ended with the outcome keep its key and title.',
  input: (t) => ({ id: outcomeId(t) }),
  run: outcomes.remove,
  payload: (t) => ({
    ...deletedNode(t, OutcomeType),
    form: formField(t as never),
  }),
})
