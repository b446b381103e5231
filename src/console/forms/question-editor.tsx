import { t } from '@lingui/core/macro'
import { Group, SimpleGrid, Stack } from '@mantine/core'
import { type FormQuery, type QuestionEditFragment, QuestionUpdateDocument } from '../generated/forms.documents.ts'
import { useSave } from '../graph/use-save.ts'
import { words } from '../shared/format.ts'
import { EditableArea, EditableSelect, EditableSwitch } from '../shared/forms/editable.tsx'
import { Answers } from './question-answers.tsx'
import { kindOf, questionKinds } from './question-kinds.ts'
import { firstAnswers } from './starters.ts'

interface EditorProps {
  readonly question: QuestionEditFragment
  readonly customFields: NonNullable<FormQuery['customFields']>
}

/** The settings of a question: text, type, answers with points, and the field of the contact that it fills. */
export function QuestionEditor({ question, customFields }: EditorProps) {
  const { id, label, type, required, contactField, customField } = question
  const { fills = [], description } = kindOf(type)
  const [save] = useSave(QuestionUpdateDocument, { id }, question)
  const fillsNow = contactField ?? (customField ? customField.id : '')
  const saveTarget = (value: string) => {
    const field = fills.find((each) => each === value) ?? null
    return save({ contactField: field, customFieldId: field || value === '' ? null : value })
  }
  return (
    <Stack gap="sm">
      <EditableArea
        label={type === 'STATEMENT' ? t`Text` : t`Question`}
        minRows={1}
        draftKey={`${id}:label`}
        value={label}
        onSave={(value) => save({ label: value })}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <EditableSelect
          label={t`Type`}
          value={type}
          {...(description !== undefined && { description })}
          data={questionKinds().map((each) => ({ value: each.type, label: each.label }))}
          onSave={(value) => saveType(value as QuestionEditFragment['type'])}
        />
        {type !== 'STATEMENT' && (
          <EditableSelect
            label={t`Save the answer to`}
            value={fillsNow}
            data={[
              { value: '', label: t`The submission only` },
              ...(fills.length > 0
                ? [{ group: t`Contact`, items: fills.map((value) => ({ value, label: words(value) })) }]
                : []),
              ...(customFields.length > 0
                ? [
                    {
                      group: t`Custom fields`,
                      items: customFields.map((each) => ({ value: each.id, label: each.name })),
                    },
                  ]
                : []),
            ]}
            onSave={saveTarget}
          />
        )}
      </SimpleGrid>
      <Answers key={type} question={question} onSave={save} />
      {type !== 'STATEMENT' && type !== 'TERMS' && (
        <Group>
          <EditableSwitch label={t`Required`} checked={required} onSave={(value) => save({ required: value })} />
        </Group>
      )}
    </Stack>
  )

  function saveType(value: QuestionEditFragment['type']) {
    const needsOptions = kindOf(value).hasOptions && !question.options
    return save({
      type: value,
      ...(value === 'TERMS' && { required: true }),
      ...(needsOptions && { options: firstAnswers() }),
      // Nobody has to consent because the terms before had to be accepted.
      ...(type === 'TERMS' && value === 'CONSENT' && { required: false }),
      ...(value === 'STATEMENT' && { required: false, customFieldId: null }),
    })
  }
}
