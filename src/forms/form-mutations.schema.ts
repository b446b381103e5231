import { builder, type Schema } from '../graphql/builder.ts'
import { asOfNow, type InputBuilder, mutation } from '../graphql/mutation.ts'
import { FormType, FormTypeEnum } from './form.schema.ts'
import {
  type Form,
  formList,
  forms,
  type Outcome,
  outcomeList,
  outcomes,
  type Question,
  questionList,
  questions,
} from './index.ts'
import { BucketEnum, ContactFieldEnum, OutcomeType, QuestionObject, QuestionTypeEnum } from './question.schema.ts'

const AnswerPointsInput = builder.inputType('AnswerPointsInput', {
  description: 'What an answer is worth.',
  fields: (t) => ({
    answer: t.string({
      required: true,
      description:
        'One of the possible answers: an option, `yes` or `no`, `true` or `false`, or a number of the scale.',
    }),
    points: t.field({
      type: 'Decimal',
      required: true,
      description: 'What it adds to the score: from -10,000 to 10,000, with two decimals at most.',
    }),
  }),
})

const contents = (t: InputBuilder) => ({
  required: t.boolean({ description: 'Whether a submission needs it to be complete; false where never set.' }),
  options: t.stringList({
    description:
      'What there is to choose from, in order: all different, 200 at most, each with 255 characters at most.',
  }),
  points: t.field({
    type: [AnswerPointsInput],
    description: 'What its answers are worth: all of them anew. An empty list takes them away.',
  }),
  contactField: t.field({
    type: ContactFieldEnum,
    description:
      'The field of the contact that an answer fills; null for none. A new e-mail question fills the address.',
  }),
  customFieldId: t.id({
    description: "The contact's custom field that an answer fills, by global id or integer; null for none.",
  }),
})
const label = 'Its words: 1,000 characters at most.'
const newQuestion = (t: InputBuilder) => ({
  label: t.string({ required: true, description: label }),
  type: t.field({ type: QuestionTypeEnum, required: true, description: 'How it is answered.' }),
  ...contents(t),
})

const key =
  'Its name for machines, unique in the form: letters and digits with single `-` or `_` between them, 64 at most.'
const newOutcome = (t: InputBuilder) => ({
  key: t.string({ required: true, description: key }),
  title: t.string({ required: true, description: 'Its title for people: 255 characters at most.' }),
  text: t.string({ description: 'What is said below the title: 10,000 characters at most.' }),
  bucket: t.field({ type: BucketEnum, required: true, description: 'The submissions it is for.' }),
})

const NewQuestion = builder.inputType('NewQuestion', { description: 'A question of a new form.', fields: newQuestion })
const NewOutcome = builder.inputType('NewOutcome', { description: 'An outcome of a new form.', fields: newOutcome })

const whichForm = (t: InputBuilder) => t.id({ required: true, description: 'The form, by global id or integer.' })
const whichQuestion = (t: InputBuilder) =>
  t.id({ required: true, description: 'The question, by global id or integer.' })
const whichOutcome = (t: InputBuilder) => t.id({ required: true, description: 'The outcome, by global id or integer.' })
const thresholds = (t: InputBuilder) => ({
  warmFrom: t.field({
    type: 'Decimal',
    description: 'The score from which on a submission is warm; 1 where never set.',
  }),
  hotFrom: t.field({
    type: 'Decimal',
    description: 'The score from which on it is hot: not below `warmFrom`; 10 where never set.',
  }),
})
const formOf = (t: PothosSchemaTypes.ObjectFieldBuilder<Schema, { form: Form }>, description: string) =>
  t.field({
    type: FormType,
    description,
    resolve: asOfNow(formList.byId, (result: { form: Form }) => result.form),
  })
const form = (t: PothosSchemaTypes.ObjectFieldBuilder<Schema, { form: Form }>) => ({
  form: formOf(t, 'The form after this.'),
})
const question = (t: PothosSchemaTypes.ObjectFieldBuilder<Schema, { question: Question }>) => ({
  question: t.field({
    type: QuestionObject,
    description: 'The question after this.',
    resolve: asOfNow(questionList.byId, (result: { question: Question }) => result.question),
  }),
})
const outcome = (t: PothosSchemaTypes.ObjectFieldBuilder<Schema, { outcome: Outcome }>) => ({
  outcome: t.field({
    type: OutcomeType,
    description: 'The outcome after this.',
    resolve: asOfNow(outcomeList.byId, (result: { outcome: Outcome }) => result.outcome),
  }),
})

mutation('formCreate', {
  needs: 'forms:write',
  description: 'Makes a form, as a draft, with its first questions and outcomes.',
  input: (t) => ({
    name: t.string({
      required: true,
      description: 'What it is called among those who make it: 255 characters at most.',
    }),
    type: t.field({ type: FormTypeEnum, description: 'What it is for; QUIZ where absent.' }),
    ...thresholds(t),
    questions: t.field({ type: [NewQuestion], description: 'Its questions, in order: 500 at most.' }),
    outcomes: t.field({ type: [NewOutcome], description: 'Its outcomes, in order: 100 at most.' }),
  }),
  run: forms.create,
  payload: form,
})

mutation('formUpdate', {
  needs: 'forms:write',
  description: 'Changes a form: only what is sent. Other thresholds count for submissions that are saved from now on.',
  input: (t) => ({
    id: whichForm(t),
    name: t.string({ description: 'What it is called: 255 characters at most.' }),
    ...thresholds(t),
  }),
  run: forms.update,
  payload: form,
})

mutation('formPublish', {
  needs: 'forms:write',
  description:
    'Opens a form to submissions. It must have a question that takes an answer. One that is open already is NOT_FOUND.',
  input: (t) => ({ id: whichForm(t) }),
  run: forms.publish,
  payload: form,
})

mutation('formArchive', {
  needs: 'forms:write',
  description:
    'Closes a form: it keeps its submissions and takes none any more. One that is not published is NOT_FOUND.',
  input: (t) => ({ id: whichForm(t) }),
  run: forms.archive,
  payload: form,
})

mutation('questionCreate', {
  needs: 'forms:write',
  description: 'Adds a question to a form.',
  input: (t) => ({
    formId: whichForm(t),
    ...newQuestion(t),
    position: t.int({ description: 'Where it stands, counted from 1; behind all others where absent.' }),
  }),
  run: questions.create,
  payload: question,
})

mutation('questionUpdate', {
  needs: 'forms:write',
  description:
    'Changes a question: only what is sent. Once its form was published, answers that were given keep the words and the type that they answered.',
  input: (t) => ({
    id: whichQuestion(t),
    label: t.string({ description: label }),
    type: t.field({
      type: QuestionTypeEnum,
      description: 'How it is answered. Options and points that do not go with it go.',
    }),
    ...contents(t),
  }),
  run: questions.update,
  payload: question,
})

mutation('questionMove', {
  needs: 'forms:write',
  description: 'Moves a question within its form; the others make room.',
  input: (t) => ({
    id: whichQuestion(t),
    position: t.int({ required: true, description: 'Where it stands then, counted from 1.' }),
  }),
  run: questions.move,
  payload: question,
})

mutation('questionDelete', {
  needs: 'forms:write',
  description:
    'Takes a question out of its form. Once the form was published, the answers to it stay with their submissions.',
  input: (t) => ({ id: whichQuestion(t) }),
  run: questions.remove,
  payload: (t) => ({
    databaseId: t.exposeInt('databaseId', { description: 'The integer that the question had.' }),
    form: formOf(t as never, 'Its form after this.'),
  }),
})

mutation('outcomeCreate', {
  needs: 'forms:write',
  description: 'Adds an outcome to a form, behind those it has.',
  input: (t) => ({ formId: whichForm(t), ...newOutcome(t) }),
  run: outcomes.create,
  payload: outcome,
})

mutation('outcomeUpdate', {
  needs: 'forms:write',
  description: 'Changes an outcome: only what is sent. Submissions that ended with it keep the key and title it had.',
  input: (t) => ({
    id: whichOutcome(t),
    key: t.string({ description: key }),
    title: t.string({ description: 'Its title for people: 255 characters at most.' }),
    text: t.string({ description: 'What is said below the title; an empty text takes it away.' }),
    bucket: t.field({ type: BucketEnum, description: 'The submissions it is for.' }),
    position: t.int({ description: 'Where it stands, counted from 1; the others make room.' }),
  }),
  run: outcomes.update,
  payload: outcome,
})

mutation('outcomeDelete', {
  needs: 'forms:write',
  description: 'Deletes an outcome. Submissions that ended with it keep its key and title.',
  input: (t) => ({ id: whichOutcome(t) }),
  run: outcomes.remove,
  payload: (t) => ({
    databaseId: t.exposeInt('databaseId', { description: 'The integer that the outcome had.' }),
    form: formOf(t as never, 'Its form after this.'),
  }),
})
