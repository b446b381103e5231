import { createHash } from 'node:crypto'
import type { LivePage } from './page-store.ts'

/** The last HTML of each page: most visitors get the same, and a comparison is faster than a hash. */
const lastByPage = new WeakMap<LivePage, { html: string; tag: string }>()

/** Returns the ETag of the HTML of a page. */
export function pageEtag(page: LivePage, html: string): string {
  const last = lastByPage.get(page)
  if (last?.html === html) return last.tag
  const tag = createHash('sha256').update(html).digest('base64url').slice(0, 27)
  lastByPage.set(page, { html, tag })
  return tag
}
