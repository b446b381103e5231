/** What was typed and is not saved, with the stored value that it is based on: null for the one that is stored now. */
export interface Draft {
  readonly text: string
  readonly base: string | null
}

/** A draft as it is kept in this browser, and the tab that wrote it. */
interface KeptDraft extends Draft {
  readonly tab: string
}

const tabName = 'tab'

/** The name of this tab. It is kept while the tab loads another page, and is not in a copy of the tab. */
const tab = sessionStorage.getItem(tabName) ?? Math.random().toString(36).slice(2)
sessionStorage.removeItem(tabName)
addEventListener('pagehide', () => sessionStorage.setItem(tabName, tab))
addEventListener('pageshow', () => sessionStorage.removeItem(tabName))

/** The drafts of this tab. Another tab that has taken one over may have removed its copy. */
const held = new Map<string, Draft>()
addEventListener('pagehide', () => {
  for (const [key, draft] of held) store(key, draft)
})

const nameOf = (key: string, of = tab) => `draft:${of}:${key}`
const anyName = /^draft:([a-z0-9]+):(.*)$/s

/**
 * Finds a draft in this browser that an earlier visit did not save: that of this tab, or else one of another tab, which may
 * be closed.
 */
export function findDraft(key: string): KeptDraft | undefined {
  const tabs = Object.keys(localStorage).flatMap((name) => {
    const [, of, found] = anyName.exec(name) ?? []
    return of !== undefined && found === key ? [of] : []
  })
  const [from] = tabs.includes(tab) ? [tab] : tabs
  const kept = from === undefined ? null : localStorage.getItem(nameOf(key, from))
  return from === undefined || kept === null ? undefined : { ...(JSON.parse(kept) as Draft), tab: from }
}

/** Returns whether a text of the key is kept in this browser that was not saved. */
export const hasDraft = (key: string): boolean => findDraft(key) !== undefined

/**
 * Keeps a draft of this tab, if the browser has room for it: one that is not kept is still saved on the server. Those of other
 * tabs stay, so that two tabs lose nothing of each other.
 */
export function keepDraft(key: string, draft: Draft): void {
  held.set(key, draft)
  store(key, draft)
}

function store(key: string, { text, base }: Draft): void {
  try {
    localStorage.setItem(nameOf(key), JSON.stringify({ text, base }))
  } catch {
    localStorage.removeItem(nameOf(key))
  }
}

/** Forgets the draft of this tab, and the one of another tab that was taken over from it, unless that has gone on since. */
export function forgetDraft(key: string, takenOver?: KeptDraft): void {
  held.delete(key)
  localStorage.removeItem(nameOf(key))
  if (!takenOver) return
  const { tab: from, ...draft } = takenOver
  const name = nameOf(key, from)
  if (localStorage.getItem(name) === JSON.stringify({ text: draft.text, base: draft.base }))
    localStorage.removeItem(name)
}
