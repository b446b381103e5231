import { useCallback, useRef, useState } from 'react'
import { type Draft, findDraft, forgetDraft, keepDraft } from './drafts.ts'

/**
 * Keeps what is typed in this tab until it was saved, and a copy of it in the browser, so that it survives a lost connection, an
 * expired session and a closed tab. Another tab has its own draft: it is like another person.
 *
 * Returns the text to show, a setter, whether the text differs from what is stored on the server, and whether what is stored
 * was changed since the draft was begun, by other than a save of this draft (`isSending`). `forget` with a text that was saved
 * keeps what was typed since then.
 */
export function useDraft(key: string, stored: string) {
  const [found] = useState(() => findDraft(key))
  const [draft, setDraft] = useState<Draft | undefined>(found)
  const latest = useRef({ draft, stored })
  latest.current.stored = stored
  const sent = useRef<string>(undefined)
  const set = useCallback((next: Draft | undefined) => {
    latest.current.draft = next
    setDraft(next)
  }, [])
  const change = useCallback(
    (text: string) => {
      const next = { text, base: latest.current.draft?.base ?? latest.current.stored }
      set(next)
      keepDraft(key, next)
    },
    [key, set],
  )
  const forget = useCallback(
    (saved?: string) => {
      const { draft: present } = latest.current
      if (saved !== undefined && present && present.text !== saved) {
        // What was typed since then is based on what was saved, in the form in which the server stores it.
        const next = { text: present.text, base: null }
        set(next)
        return keepDraft(key, next)
      }
      set(undefined)
      forgetDraft(key, found)
    },
    [key, found, set],
  )
  const isSending = useCallback((text: string) => {
    sent.current = text
  }, [])
  const isChanged = draft !== undefined && draft.text !== stored
  const isOutdated = isChanged && draft.base !== null && stored !== draft.base && stored !== sent.current
  return { text: draft?.text ?? stored, change, forget, isSending, isChanged, isOutdated }
}
