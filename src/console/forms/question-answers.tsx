import { t } from '@lingui/core/macro'
import { Group, Input, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { QuestionEditFragment, QuestionUpdateMutationVariables } from '../generated/forms.documents.ts'
import { AddButton } from '../shared/actions/new-menu.tsx'
import { unsavedAt } from '../shared/forms/editable.tsx'
import { Moves } from '../shared/forms/ordered-list.tsx'
import { useDraft } from '../shared/forms/use-draft.ts'
import { changedElsewhere, notSaved, useReason, useWantedSave } from '../shared/forms/use-saved.ts'
import { kindOf } from './question-kinds.ts'

interface Row {
  readonly answer: string
  readonly points: string
}

interface AnswersProps {
  readonly question: QuestionEditFragment
  readonly onSave: (
    change: Pick<QuestionUpdateMutationVariables['input'], 'options' | 'points'>,
  ) => Promise<string | undefined>
}

/** The possible answers of a question with their points: options that can be changed, or the fixed answers of the type. */
export function Answers({ question, onSave }: AnswersProps) {
  const { hasOptions = false, answers } = kindOf(question.type)
  const pointsOf = (answer: string) => question.points.find((each) => each.answer === answer)?.points ?? ''
  const stored = (question.options ?? answers ?? []).map((answer) => ({ answer, points: pointsOf(answer) }))
  const { text, change, forget, send, isChanged, isOutdated } = useDraft(
    `${question.id}:answers:${question.type}`,
    JSON.stringify(stored),
  )
  const [error, follow] = useReason()
  // Answers of an earlier visit, which were not saved then, are not saved by showing them.
  const [isTyped, setTyped] = useState(false)
  const rows = JSON.parse(text) as readonly Row[]
  const saveRows = async (next: readonly Row[], isForced = false) => {
    isWanted.current = isOutdated && !isForced
    // What is not saved now is reported as such.
    if (isWanted.current) return setTyped(false)
    if (JSON.stringify(next) === JSON.stringify(stored)) return forget()
    if (next.some((each) => !/^\s*(-?\d+([.,]\d+)?)?\s*$/.test(each.points))) return follow(t`Points must be numbers.`)
    const points = next
      .filter((each) => each.points.trim() !== '')
      .map((each) => ({ answer: each.answer, points: each.points.trim().replace(',', '.') }))
    const save = () => onSave({ points, ...(hasOptions && { options: next.map(({ answer }) => answer) }) })
    await follow(send(JSON.stringify(next), save))
  }
  const isWanted = useWantedSave(isOutdated, () => void saveRows(rows))
  const edit = (next: readonly Row[]) => {
    isWanted.current = false
    setTyped(true)
    change(JSON.stringify(next))
  }
  const discard = () => {
    forget()
    void follow(undefined)
  }
  const editAndSave = (next: readonly Row[]) => {
    edit(next)
    void saveRows(next)
  }
  if (!hasOptions && !answers) return null
  const freeName = () => {
    for (let number = rows.length + 1; ; number++) {
      const name = t`Answer ${number}`
      if (!rows.some(({ answer }) => answer === name)) return name
    }
  }
  return (
    <Input.Wrapper
      label={t`Answers and points`}
      size="xs"
      error={unsavedAt(isOutdated ? changedElsewhere() : (error ?? (isChanged && !isTyped ? notSaved() : undefined)), {
        isUnsaved: isChanged,
        isOutdated,
        onRetry: () => void saveRows(rows, true),
        onDiscard: discard,
      })}
      errorProps={{ component: 'div' }}
      labelElement="div"
    >
      <Stack gap={6} mt={4}>
        {rows.map((row, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the text of an answer changes while it is typed
          <Group key={index} gap={4} wrap="nowrap">
            {hasOptions ? (
              <TextInput
                size="xs"
                flex={1}
                aria-label={t`Answer ${index + 1}`}
                value={row.answer}
                onChange={({ currentTarget }) => edit(rows.with(index, { ...row, answer: currentTarget.value }))}
                onBlur={() => void saveRows(rows)}
                onKeyDown={({ key }) => key === 'Enter' && void saveRows(rows)}
              />
            ) : (
              <Text size="xs" flex={1}>
                {row.answer}
              </Text>
            )}
            <TextInput
              size="xs"
              w={70}
              inputMode="decimal"
              placeholder="0"
              aria-label={t`Points of ${row.answer}`}
              value={row.points}
              onChange={({ currentTarget }) => edit(rows.with(index, { ...row, points: currentTarget.value }))}
              onBlur={() => void saveRows(rows)}
              onKeyDown={({ key }) => key === 'Enter' && void saveRows(rows)}
            />
            {hasOptions && (
              <Moves
                name={row.answer}
                index={index}
                count={rows.length}
                isOneKept
                onMove={(offset) => editAndSave(rows.toSpliced(index, 1).toSpliced(index + offset, 0, row))}
                onRemove={() => editAndSave(rows.toSpliced(index, 1))}
              />
            )}
          </Group>
        ))}
        {hasOptions && (
          <Group>
            <AddButton
              variant="subtle"
              onClick={() => editAndSave([...rows, { answer: freeName(), points: '' }])}
            >{t`Add answer`}</AddButton>
          </Group>
        )}
      </Stack>
    </Input.Wrapper>
  )
}
