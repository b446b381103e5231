import { t } from '@lingui/core/macro'
import { Textarea } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useState } from 'react'
import { unsavedAt } from '../shared/forms/editable.tsx'
import { useDraft } from '../shared/forms/use-draft.ts'
import { changedElsewhere, notSaved, type Save, useReason, useWantedSave } from '../shared/forms/use-saved.ts'
import { Muted } from '../shared/layout/screen.tsx'

const saveAfterMs = 800

interface PlainBodyProps {
  readonly label: string
  readonly description: string
  readonly draftKey: string
  readonly value: string
  readonly isCode: boolean
  readonly isSaving: boolean
  readonly onSave: Save<string>
}

/** The HTML or the plain text of a message. It is saved while it is typed. */
export function PlainBody({ label, description, draftKey, value, isCode, isSaving, onSave }: PlainBodyProps) {
  const [error, follow] = useReason()
  const { text, change, forget, send, isChanged, isOutdated } = useDraft(draftKey, value)
  const store = async (next: string, isForced = false) => {
    isWanted.current = isOutdated && !isForced
    if (isWanted.current) return
    await follow(send(next, () => onSave(next)))
  }
  const isWanted = useWantedSave(isOutdated, () => isChanged && void store(text))
  const save = useDebouncedCallback(store, { delay: saveAfterMs, flushOnUnmount: true })
  const discard = () => {
    forget()
    void follow(undefined)
  }
  // Text of an earlier visit, which was not saved then, is not saved by showing it.
  const [isTyped, setTyped] = useState(false)
  const isFound = isChanged && !isTyped
  return (
    <>
      <Muted role="status" ta="right" mb={4}>
        {isSaving ? t`Saving…` : isChanged ? t`Not saved` : t`Saved`}
      </Muted>
      <Textarea
        {...(isCode && { className: 'code', spellCheck: false })}
        aria-label={label}
        description={description}
        autosize
        minRows={12}
        maxRows={30}
        value={text}
        error={unsavedAt(isOutdated ? changedElsewhere() : (error ?? (isFound ? notSaved() : undefined)), {
          isUnsaved: isChanged,
          isOutdated,
          onRetry: () => void store(text, true),
          onDiscard: discard,
        })}
        errorProps={{ component: 'div' }}
        onChange={({ currentTarget }) => {
          setTyped(true)
          isWanted.current = false
          change(currentTarget.value)
          save(currentTarget.value)
        }}
      />
    </>
  )
}
