import { type PageSearch, readPage, readWords } from '../shared/tables/use-page.ts'

/** What the address of the media library contains. */
interface MediaSearch extends PageSearch {
  readonly q?: string
}

/** Reads the address of the media library. */
export function readMediaSearch(search: Record<string, unknown>): MediaSearch {
  return { ...readWords(search), ...readPage(search) }
}
