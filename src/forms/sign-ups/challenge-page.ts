import { readFileSync } from 'node:fs'
import type { Texts } from '../../kernel/texts/texts.ts'
import { html } from '../../kernel/web/html.ts'
import { messagePage, messagePageCsp } from '../../kernel/web/message-page.ts'
import { proofName } from './challenge.ts'
import type { SignUp, SignUpRefusal } from './sign-up.ts'

const script = readFileSync(new URL('challenge.browser.js', import.meta.url), 'utf8').replace(/\n\s+/g, '\n')

/** A post that is sent again with the solution of a challenge. */
interface ChallengedPost {
  /** URL of the post, relative to it. */
  readonly action: string
  readonly fields: Iterable<readonly [string, readonly unknown[]]>
  /** Origins to which the response to the post can redirect. */
  readonly origins: readonly string[]
}

/**
 * Renders the page that sends a post again: its script solves the challenge first. Without a script, the visitor sends it with a
 * button if a confirmation by e-mail can replace the solution. Returns the page with its Content-Security-Policy.
 */
export function renderChallengePage(
  { language, text }: Texts,
  { challenge, retryAfterSeconds }: SignUpRefusal,
  { action, fields, origins }: ChallengedPost,
  { canConfirm }: Pick<SignUp, 'canConfirm'>,
): { page: string; csp: string } {
  const inputs = [...fields].flatMap(([name, values]) =>
    name === proofName
      ? []
      : values.map((value) => html`<input type="hidden" name="${name}" value="${String(value)}">`),
  )
  const rest = canConfirm
    ? html`<p>${text('challenge.confirm')}</p><button>${text('challenge.send')}</button>`
    : html`<p>${text('challenge.script', { minutes: Math.ceil(retryAfterSeconds / 60) })}</p>`
  const more = html`<form method="post" action="${action}">${inputs}
<input type="hidden" name="${proofName}" value="${JSON.stringify({ challenge })}" data-challenge>
<div data-rest>${rest}</div></form>`
  return {
    page: messagePage({ language, title: text('challenge.title'), sentence: text('challenge.text'), more, script }),
    csp: messagePageCsp({ script, origins, isFramed: true }),
  }
}
