import { readFileSync } from 'node:fs'

/** Default style of a page: one column on phones, more on wide screens, and system fonts, so that no font is fetched. */
export const pageCss = asset('page.css').replace(/\s*\n\s*/g, ' ')

/**
 * Script of all pages. It is constant, so that the Content-Security-Policy can allow it by its hash. It reads only `data-`
 * attributes, which the HTML of an author cannot have.
 */
export const pageScript = asset('page.browser.js')

function asset(file: string): string {
  return readFileSync(new URL(file, import.meta.url), 'utf8')
}
