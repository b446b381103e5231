import { createHash } from 'node:crypto'
import type { LivePage } from './page-store.ts'

/** What each page showed last to somebody unknown: most of them see the same, and comparing is quicker than hashing. */
const lately = new WeakMap<LivePage, { html: string; tag: string }>()

/** The tag of what a page shows: another one whenever that differs. */
export function pageEtag(page: LivePage, html: string): string {
  const last = lately.get(page)
  if (last?.html === html) return last.tag
  const tag = createHash('sha256').update(html).digest('base64url').slice(0, 27)
  lately.set(page, { html, tag })
  return tag
}
