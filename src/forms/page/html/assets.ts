import { readFileSync } from 'node:fs'

/**
 * Styles of questions, buttons and validation messages. Colours come from the page if it sets `--c-accent`, `--c-on-accent`,
 * `--c-text`, `--c-muted`, `--c-line`, `--c-surface`, `--c-fault` and `--c-radius`.
 */
export const controlCss = stylesheet('control.css')

/** Styles of the public page of a form, including `controlCss`. */
export const pageCss = `${stylesheet('page.css')}${controlCss}`

/** Keyboard shortcuts, and protection against a double submit. The page works without the script. */
export const pageScript = asset('page.browser.js').replace(/\n\s+/g, '\n')

/** Every page contains its styles inline, so line breaks and indentation are removed. */
function stylesheet(file: string): string {
  return asset(file).replace(/\s*\n\s*/g, ' ')
}

function asset(file: string): string {
  return readFileSync(new URL(file, import.meta.url), 'utf8')
}
