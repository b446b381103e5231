import { useState } from 'react'
import { useDraft } from './use-draft.ts'

/** Saves a value. Returns the reason if it was refused. */
export type Save<Value> = (value: Value) => Promise<string | undefined>

/**
 * A text that is saved when its field is left. A value that was refused stays in the field, with the reason. Unsaved text is
 * kept in the browser under `draftKey`.
 */
export function useSavedText(draftKey: string, value: string, onSave: Save<string>) {
  const { text, change, forget, isChanged } = useDraft(draftKey, value)
  const [error, setError] = useState<string>()
  const save = async () => {
    if (!isChanged) return forget()
    const reason = await onSave(text)
    setError(reason)
    if (reason === undefined) forget(text)
  }
  const reset = () => {
    forget()
    setError(undefined)
  }
  return { text, change, error, save, reset }
}

/** A value that is saved at once. The cache shows it before the server answers, and the former one if it was refused. */
export function useSavedChoice<Value>(onSave: Save<Value>) {
  const [error, setError] = useState<string>()
  const save = async (value: Value) => setError(await onSave(value))
  return { error, save }
}
