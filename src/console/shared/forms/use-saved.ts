import { t } from '@lingui/core/macro'
import { useEffect, useRef, useState } from 'react'
import { useDraft } from './use-draft.ts'

/** Saves a value. Returns the reason if it was refused. */
export type Save<Value> = (value: Value) => Promise<string | undefined>

/**
 * Follows saves: returns why the newest one was refused, and a function that waits for a save. An earlier save that ends
 * later does not hide the reason of the newest.
 */
export function useReason() {
  const [reason, setReason] = useState<string>()
  const newest = useRef(0)
  const follow = async (save: Promise<string | undefined> | string | undefined) => {
    newest.current += 1
    const own = newest.current
    const found = await save
    if (own === newest.current) setReason(found)
    return found
  }
  return [reason, follow] as const
}

/**
 * Saves what was to be saved as soon as nothing of others is in its way any more. What seems to be theirs can be an older state
 * of this tab's own: an event that was read before a save can arrive after its response. Returns whether a save is wanted, to be
 * set.
 */
export function useWantedSave(isOutdated: boolean, save: () => void) {
  const isWanted = useRef(false)
  useEffect(() => {
    if (isOutdated || !isWanted.current) return
    isWanted.current = false
    save()
  })
  return isWanted
}

/** Shown at a value that was typed in this browser and is not stored on the server. */
export const notSaved = () => t`Not saved.`

/** Shown at a value that was typed here while another one was stored. */
export const changedElsewhere = () => t`Another one was saved meanwhile, by another person or in another tab.`

/**
 * A text that is saved when its field is left. A value that was refused stays in the field, with the reason. Unsaved text is
 * kept in the browser under `draftKey`, and is reported as unsaved wherever it is shown without being edited: also after the
 * screen was loaded again. A text whose stored value was changed by another person or tab is saved only by `overwrite`.
 */
export function useSavedText(draftKey: string, value: string, onSave: Save<string>) {
  const { text, change, forget, send, isChanged, isOutdated } = useDraft(draftKey, value)
  const [reason, follow] = useReason()
  const [isEdited, setEdited] = useState(false)
  const [isSaving, setSaving] = useState(false)
  const store = async () => {
    isWanted.current = false
    setEdited(false)
    setSaving(true)
    await follow(send(text, () => onSave(text)))
    setSaving(false)
  }
  const reset = () => {
    setEdited(false)
    forget()
    void follow(undefined)
  }
  const save = async () => {
    if (!isChanged) return reset()
    if (isOutdated) {
      isWanted.current = true
      return setEdited(false)
    }
    await store()
  }
  const isWanted = useWantedSave(isOutdated, () => void save())
  const edit = (next: string) => {
    isWanted.current = false
    setEdited(true)
    change(next)
  }
  const isUnsaved = isChanged && !isEdited && !isSaving
  const theirs = isOutdated && isUnsaved ? value : undefined
  const error = theirs === undefined ? (reason ?? (isUnsaved ? notSaved() : undefined)) : changedTo(theirs)
  return { text, change: edit, error, isUnsaved, isOutdated: theirs !== undefined, save, overwrite: store, reset }
}

function changedTo(value: string): string {
  return value === '' ? t`It was emptied meanwhile.` : t`It was changed to “${value}” meanwhile.`
}

/** A value that is saved at once. The cache shows it before the server answers, and the former one if it was refused. */
export function useSavedChoice<Value>(onSave: Save<Value>) {
  const [error, follow] = useReason()
  const save = (value: Value) => follow(onSave(value))
  return { error, save }
}
