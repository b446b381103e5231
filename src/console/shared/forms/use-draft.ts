import { useCallback, useRef, useState } from 'react'
import { type Draft, findDraft, forgetDraft, keepDraft } from './drafts.ts'

/**
 * Keeps what is typed in this tab until it was saved, and a copy of it in the browser, so that it survives a lost connection, an
 * expired session and a closed tab. Another tab has its own draft: it is like another person.
 *
 * Returns the text to show, a setter, whether the text differs from what is stored on the server, and whether what is stored
 * was changed since the draft was begun, by other than a save of this draft. `send` saves a text, and then forgets it, but not
 * what was typed since then; it returns the reason of a refusal.
 */
export function useDraft(key: string, stored: string) {
  const [found] = useState(() => findDraft(key))
  const [draft, setDraft] = useState<Draft | undefined>(found)
  const latest = useRef({ draft, stored })
  latest.current.stored = stored
  const sent = useRef<string>(undefined)
  const underWay = useRef(0)
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
  const send = async (text: string, save: () => Promise<string | undefined>) => {
    sent.current = text
    underWay.current += 1
    try {
      const reason = await save()
      if (reason === undefined) forget(text)
      return reason
    } finally {
      underWay.current -= 1
    }
  }
  const isChanged = draft !== undefined && draft.text !== stored
  // While a save is under way, the cache may show a part of what it will store. The server decides whether others were faster.
  const isOfOthers = isChanged && draft.base !== null && stored !== draft.base && stored !== sent.current
  const isOutdated = isOfOthers && underWay.current === 0
  return { text: draft?.text ?? stored, change, forget: () => forget(), send, isChanged, isOutdated }
}
