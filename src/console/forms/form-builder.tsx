import { t } from '@lingui/core/macro'
import { Stack } from '@mantine/core'
import { useState } from 'react'
import { ConfirmationSummary } from '../confirmations/confirmation-summary.tsx'
import {
  type FormQuery,
  FormUpdateDocument,
  QuestionCreateDocument,
  QuestionDeleteDocument,
  QuestionMoveDocument,
} from '../generated/forms.documents.ts'
import { useSave } from '../graph/use-save.ts'
import { useAction } from '../graph/use-screen.ts'
import { AddButton, ChoiceMenu } from '../shared/actions/new-menu.tsx'
import { report } from '../shared/actions/report.ts'
import { Editable } from '../shared/forms/editable.tsx'
import { OrderedList } from '../shared/forms/ordered-list.tsx'
import { RouterAnchor } from '../shared/layout/links.tsx'
import { Permitted } from '../shared/layout/permission.tsx'
import { Columns, Empty, Section } from '../shared/layout/screen.tsx'
import { FormPreview, type PreviewTarget } from './form-preview.tsx'
import { Outcomes } from './outcomes.tsx'
import { QuestionEditor } from './question-editor.tsx'
import { kindOf, type QuestionType, questionKinds } from './question-kinds.ts'
import { firstAnswers } from './starters.ts'

type Form = NonNullable<FormQuery['form']>

interface BuilderProps {
  readonly form: Form
  readonly customFields: NonNullable<FormQuery['customFields']>
}

/** Edits the questions and results of a form beside a preview of the page that visitors see. */
export function FormBuilder({ form, customFields }: BuilderProps) {
  const [target, setTarget] = useState<PreviewTarget>({})
  return (
    <Columns first={7}>
      <Permitted scope="FORMS_WRITE">
        <Stack gap="md">
          <Naming form={form} />
          <Questions form={form} customFields={customFields} target={target} onTarget={setTarget} />
          <Outcomes form={form} target={target} onTarget={setTarget} />
          <Confirmations form={form} />
        </Stack>
      </Permitted>
      <FormPreview form={form} target={target} />
    </Columns>
  )
}

function Naming({ form }: { form: Form }) {
  const { id, name, language } = form
  const [save] = useSave(FormUpdateDocument, { id }, form)
  return (
    <Section title={t`Form`}>
      <Editable
        label={t`Name`}
        description={t`The page of the form shows it as the heading.`}
        draftKey={`${id}:name`}
        value={name}
        onSave={(name) => save({ name })}
      />
      <Editable
        label={t`Language`}
        description={t`A tag such as en or pt-BR. Buttons and errors of the page are in it. If it is empty, they follow the browser.`}
        draftKey={`${id}:language`}
        value={language}
        onSave={(language) => save({ language })}
      />
    </Section>
  )
}

function Confirmations({ form: { id, confirmations, confirmationEmail } }: { form: Form }) {
  return (
    <ConfirmationSummary counts={confirmations}>
      <RouterAnchor to="/forms/$id/confirmation" params={{ id }} size="sm">
        {confirmationEmail ? t`Edit the confirmation e-mail` : t`Write a confirmation e-mail of your own`}
      </RouterAnchor>
    </ConfirmationSummary>
  )
}

interface QuestionsProps extends BuilderProps {
  readonly target: PreviewTarget
  readonly onTarget: (target: PreviewTarget) => void
}

function Questions({ form, customFields, target, onTarget }: QuestionsProps) {
  const [move] = useAction(QuestionMoveDocument)
  const [remove] = useAction(QuestionDeleteDocument)
  return (
    <Section
      title={t`Questions`}
      aside={<AddQuestion formId={form.id} onAdded={(questionId) => onTarget({ questionId })} />}
    >
      {form.questions.length === 0 && <Empty>{t`The form has no questions yet.`}</Empty>}
      <OrderedList
        label={t`Questions`}
        consequence={t`Visitors no longer see the question. Answers that were given stay in the submissions.`}
        items={form.questions}
        openId={target.questionId}
        onOpen={(questionId) => onTarget(questionId === undefined ? {} : { questionId })}
        nameOf={({ label }) => label}
        summary={({ type, required }) => (required ? t`${kindOf(type).label}, required` : kindOf(type).label)}
        content={(question) => <QuestionEditor key={question.id} question={question} customFields={customFields} />}
        onMove={async ({ id }, position) => {
          report(await move({ input: { id, position } }))
        }}
        onRemove={async ({ id }) => {
          if (target.questionId === id) onTarget({})
          report(await remove({ input: { id } }))
        }}
      />
    </Section>
  )
}

function AddQuestion({ formId, onAdded }: { formId: string; onAdded: (id: string) => void }) {
  const [create, isCreating] = useAction(QuestionCreateDocument)
  const add = async (type: QuestionType) => {
    const { label, hasOptions } = kindOf(type)
    const options = hasOptions ? firstAnswers() : null
    const result = await create({
      input: { formId, type, label: t`New question: ${label}`, options },
    })
    const id = result.data?.formQuestionCreate?.question?.id
    if (report(result) && id) onAdded(id)
  }
  return (
    <ChoiceMenu
      button={<AddButton loading={isCreating}>{t`Add question`}</AddButton>}
      choices={questionKinds()}
      onChoose={({ type }) => void add(type)}
    />
  )
}
