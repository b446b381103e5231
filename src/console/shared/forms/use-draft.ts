import { useCallback, useState } from 'react'

/** Returns whether a text of the key is kept in this browser that was not saved. */
export const hasDraft = (key: string): boolean => localStorage.getItem(`draft:${key}`) !== null

/** Keeps a draft in this browser, if it has room for it: one that is not kept is still saved on the server. */
export function keepDraft(name: string, text: string): void {
  try {
    localStorage.setItem(name, text)
  } catch {
    localStorage.removeItem(name)
  }
}

/**
 * Keeps what is typed in this browser until it was saved, so that it survives a lost connection, an expired session and a
 * closed tab. Returns the text to show, a setter, a function that forgets the draft, and whether the text differs from what
 * is stored on the server. `forget` with a text that was saved keeps what was typed since then.
 */
export function useDraft(key: string, stored: string) {
  const name = `draft:${key}`
  const [draft, setDraft] = useState<string | null>(() => localStorage.getItem(name))
  const change = useCallback(
    (text: string) => {
      setDraft(text)
      keepDraft(name, text)
    },
    [name],
  )
  const forget = useCallback(
    (saved?: string) => {
      if (saved !== undefined && localStorage.getItem(name) !== saved) return
      setDraft(null)
      localStorage.removeItem(name)
    },
    [name],
  )
  return { text: draft ?? stored, change, forget, isChanged: draft !== null && draft !== stored }
}
