import { t } from '@lingui/core/macro'
import { useEffect, useMemo, useRef, useState } from 'react'
import { changedMeanwhile, inOrder } from '../graph/use-save.ts'
import { notify } from '../shared/actions/notify.tsx'
import { findDraft, forgetDraft, keepDraft } from '../shared/forms/drafts.ts'
import { type DocumentModel, faultsOf } from './model/kinds.ts'
import { useHistory } from './model/use-history.ts'

const saveAfterMs = 800

interface DocumentOptions {
  readonly draftKey: string
  readonly model: DocumentModel
  readonly stored: unknown
  /** Saves a document. Returns why it was refused: a line for each reason. */
  readonly onSave: (document: object) => Promise<string | undefined>
}

/** Whether what is shown is what is stored. */
export type SavingState = 'saved' | 'saving' | 'unsaved' | 'refused' | 'outdated'

/**
 * A document that is saved while it is edited. What is not saved yet is kept in this browser under `draftKey`, also when the
 * connection is lost. What another person or tab stored meanwhile is shown at once if nothing was changed here, and is never
 * overwritten without being asked: then the state is `outdated` until `overwrite` or `discard`.
 */
export function useDocument({ draftKey, model, stored, onSave }: DocumentOptions) {
  const storedText = JSON.stringify(stored ?? null)
  const [found] = useState(() => findDraft(draftKey))
  const { tree, change, undo, redo, reset, canUndo, canRedo } = useHistory(() =>
    model.read(found ? JSON.parse(found.text) : stored),
  )
  // What is shown is based on this.
  const base = useRef(found?.base ?? storedText)
  const isBehind = base.current !== storedText
  // What an earlier visit did not save is not saved by showing it.
  const [state, setState] = useState<SavingState>(!found ? 'saved' : isBehind ? 'outdated' : 'refused')
  const [reason, setReason] = useState<string>()
  const kept = useRef(tree)
  const latest = useRef({ tree, storedText, onSave })
  latest.current = { tree, storedText, onSave }
  const isSaving = useRef(false)
  // What this editor saved last, in the form in which it is compared with what is stored.
  const saved = useRef('')
  const isOutdated = useRef(state === 'outdated')
  // Whether this tab has changes that are not stored, and whether they were made since it shows the document.
  const isUnsaved = useRef(found !== undefined)
  const isTouched = useRef(false)

  const forget = () => {
    isUnsaved.current = false
    forgetDraft(draftKey, found)
  }
  const store = async (isForced = false): Promise<void> => {
    if (isSaving.current || (isOutdated.current && !isForced)) return
    const { tree: sent, storedText: known, onSave: save } = latest.current
    if (known !== base.current && !isForced) {
      isOutdated.current = true
      setState('outdated')
      return
    }
    isSaving.current = true
    isOutdated.current = false
    setState('saving')
    const document = model.write(sent)
    saved.current = inOrder(document)
    const refusal = await save(document)
    isSaving.current = false
    setReason(refusal)
    if (refusal !== undefined) {
      isOutdated.current = refusal === changedMeanwhile()
      setState(isOutdated.current ? 'outdated' : 'refused')
      return
    }
    base.current = latest.current.storedText
    if (latest.current.tree === sent) {
      forget()
      setState('saved')
    } else await store()
  }
  const storeLatest = useRef(store)
  storeLatest.current = store

  useEffect(() => {
    if (tree === kept.current) return
    kept.current = tree
    isTouched.current = true
    isUnsaved.current = true
    keepDraft(draftKey, { text: JSON.stringify(model.write(tree)), base: base.current })
    setState((before) => (before === 'outdated' ? before : 'unsaved'))
    const timer = setTimeout(() => void storeLatest.current(), saveAfterMs)
    return () => clearTimeout(timer)
  }, [tree, draftKey, model])

  // Another step of the screen takes the place of the editor before it has saved.
  useEffect(
    () => () => {
      if (isTouched.current && isUnsaved.current) void storeLatest.current()
    },
    [],
  )

  useEffect(() => {
    const onLine = () => {
      if (isTouched.current && isUnsaved.current) void storeLatest.current()
    }
    addEventListener('online', onLine)
    return () => removeEventListener('online', onLine)
  }, [])

  const show = (document: unknown) => {
    const next = model.read(document)
    kept.current = next
    reset(next)
  }
  const discard = () => {
    forget()
    isOutdated.current = false
    base.current = storedText
    setReason(undefined)
    setState('saved')
    show(stored)
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: only what is stored matters
  useEffect(() => {
    if (storedText === base.current) return
    // The answer to a save, also to one of this editor before it was left and opened again.
    if (inOrder(stored) === inOrder(model.write(latest.current.tree))) {
      base.current = storedText
      if (!isSaving.current) setState('saved')
    } else if (isSaving.current || inOrder(stored) === saved.current) base.current = storedText
    else if (!isUnsaved.current) {
      base.current = storedText
      show(stored)
      notify(t`It was changed by another person or in another tab. Here is the current content.`)
    } else {
      isOutdated.current = true
      setState('outdated')
    }
  }, [storedText])

  const faults = useMemo(() => faultsOf(tree, model, reason?.split('\n') ?? []), [tree, model, reason])
  return {
    ...{ tree, change, state, reason, faults, discard },
    undo: canUndo ? undo : undefined,
    redo: canRedo ? redo : undefined,
    /** Saves again, also over what another person stored. */
    overwrite: () => void store(true),
  }
}

export type EditedDocument = ReturnType<typeof useDocument>
