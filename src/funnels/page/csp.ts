import { createHash } from 'node:crypto'

/** The name that a policy has for one inline text, and for no other. */
export function sourceHash(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}

/** What a page needs beside its own text. */
export interface Needs {
  /** The hash of its style block. */
  readonly style: string
  /** The hash of its script; undefined where it has none. */
  readonly script: string | undefined
  /** Origins of players. */
  readonly players: Iterable<string>
  /** Links that forms lead to afterwards. */
  readonly targets: readonly string[]
}

/**
 * A page's policy: nothing but its own style and script, pictures and films of the web, and the players it has. Its forms
 * post here; browsers ask the policy again of where the answer leads, so the other sites that forms lead to are in it.
 */
export function policy({ style, script, players, targets }: Needs): string {
  const frames = [...players]
  const origins = targets
    .filter((target) => /^https?:/i.test(target) && URL.canParse(target))
    .map((target) => new URL(target).origin)
  return [
    "default-src 'none'",
    'img-src http: https:',
    'media-src http: https:',
    `style-src ${style}`,
    `script-src ${script ?? "'none'"}`,
    frames.length > 0 && `frame-src ${frames.join(' ')}`,
    `form-action ${["'self'", ...new Set(origins)].join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'self'",
  ]
    .filter(Boolean)
    .join('; ')
}
