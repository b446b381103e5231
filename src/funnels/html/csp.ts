import { createHash } from 'node:crypto'

/** Returns the hash source expression of an inline style or script. */
export function sourceHash(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}

/** Sources that a page uses. */
export interface Needs {
  /** Hash source of the style block. */
  readonly style: string
  /** Hash source of the script. Undefined if the page has no script. */
  readonly script: string | undefined
  /** Origins of embedded video players. */
  readonly players: Iterable<string>
  /** Links to open after a form submission. */
  readonly targets: readonly string[]
}

/**
 * Returns the Content-Security-Policy of a page. It allows the style and script of the page, images and videos of any site,
 * and the embedded players. Forms post to this origin. Browsers also check the targets of redirects after a submission, so
 * `form-action` includes their origins.
 */
export function policy({ style, script, players, targets }: Needs): string {
  const frames = [...players]
  return [
    "default-src 'none'",
    'img-src http: https:',
    'media-src http: https:',
    `style-src ${style}`,
    `script-src ${script ?? "'none'"}`,
    frames.length > 0 && `frame-src ${frames.join(' ')}`,
    `form-action ${["'self'", ...originsOf(targets)].join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'self'",
  ]
    .filter(Boolean)
    .join('; ')
}

/** Returns the different origins of links to other hosts. */
export function originsOf(targets: readonly string[]): string[] {
  const isAbsolute = (target: string) => /^https?:/i.test(target) && URL.canParse(target)
  return [...new Set(targets.filter(isAbsolute).map((target) => new URL(target).origin))]
}
