import { useNavigate, useSearch } from '@tanstack/react-router'

/** What the address of a list contains besides its filters: the cursor after which its page begins. */
export interface PageSearch {
  readonly after?: string
}

/** Reads the cursor from the address of a list. */
export function readPage({ after }: Record<string, unknown>): PageSearch {
  return typeof after === 'string' ? { after } : {}
}

/** Reads words from the address of a list. */
export function readWords({ q }: Record<string, unknown>): { readonly q?: string } {
  return (typeof q === 'string' || typeof q === 'number') && q !== '' ? { q: String(q) } : {}
}

/** The page of a list that the address names, and a function that shows another one. The first page has no cursor. */
export function usePage() {
  const { after } = useSearch({ strict: false })
  const navigate = useNavigate()
  const show = (next?: string) =>
    void navigate({
      to: '.',
      search: ({ after: _, ...rest }: PageSearch) => ({ ...rest, ...(next && { after: next }) }),
    })
  return { after: after ?? null, show }
}
