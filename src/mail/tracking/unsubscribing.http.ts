import type { Context, Middleware } from 'koa'
import getRawBody from 'raw-body'
import { newCtx, type System } from '../../db/context.ts'
import { Refusal } from '../../kernel/errors.ts'
import { escapeHtml } from '../../kernel/merge-fields.ts'
import { masked } from '../../kernel/outgoing-message.ts'
import { readUnsubscribeToken } from './tokens.ts'
import { holderOf, unsubscribe } from './unsubscribing.ts'

/** Far more than a mail program or the page sends. */
const longestBody = 64 * 1024

/** An address of IPv6 with its zone left out. */
const longestIp = 45

/** What a mail program posts when its reader presses its own button (RFC 8058): as a form, or as a part of one. */
const oneClick = /List-Unsubscribe["\s]{0,10}=?\s{0,10}One-Click/i

/**
 * `/u/<token>`: GET shows a page with a button and changes nothing, for scanners follow links; POST unsubscribes, whether
 * the page sends it or a mail program. No cookie, no session: the token is all it takes, as often as one likes.
 */
export function unsubscribing(system: System & { readonly secret: string }): Middleware {
  return async (http, next) => {
    const token = /^\/u\/([^/]+)$/.exec(http.path)?.[1]
    if (token === undefined) return next()
    if (!['GET', 'HEAD', 'POST'].includes(http.method)) {
      http.set('Allow', 'GET, HEAD, POST')
      http.status = 405
      return
    }
    http.set({
      'Content-Security-Policy':
        "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'",
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
      'X-Robots-Tag': 'noindex',
      'Cache-Control': 'no-store',
    })
    try {
      await serve(http, system, token)
    } catch (error) {
      const isTooLong = (error as { status?: unknown }).status === 413
      if (!isTooLong && !(error instanceof Refusal)) system.log.error({ err: error }, 'an unsubscription failed')
      if (isTooLong) page(http, 413, 'This is too long.')
      else if (error instanceof Refusal) page(http, 404, gone)
      else page(http, 503, 'This did not work. Please try again in a moment.')
    }
  }
}

const gone = 'This link leads nowhere any more. Whoever it was for gets no more e-mail by it.'

async function serve(http: Context, system: System & { readonly secret: string }, token: string): Promise<void> {
  const mark = readUnsubscribeToken(system.secret, token)
  if (!mark) return page(http, 404, 'There is no such page.')
  const { recipientId } = mark
  if (recipientId === 0n) return page(http, 200, 'This is the link of a test message: it unsubscribes nobody.')
  const ctx = newCtx(system, mark)
  const holder = await holderOf(ctx, recipientId)
  if (!holder) return page(http, 404, gone)
  const from = `e-mail from ${holder.accountName}`
  if (http.method !== 'POST') {
    return page(http, 200, `Do you want ${masked(holder.email)} to get no more ${from}?`, button)
  }
  const body = await getRawBody(http.req, { limit: longestBody, encoding: 'latin1' })
  const isProgram = oneClick.test(body) && !body.includes('page=')
  const words = isProgram ? '' : `Do you want to get no more ${from}?`
  const source = isProgram ? 'list-unsubscribe' : 'unsubscribe-page'
  await unsubscribe(ctx, { recipientId, source, text: words, ip: http.ip.slice(0, longestIp) })
  page(http, 200, `${masked(holder.email)} gets no more ${from}.`)
}

const button = '<form method="post"><button name="page" value="yes">Unsubscribe</button></form>'

function page(http: Context, status: number, sentence: string, more = ''): void {
  http.status = status
  http.type = 'text/html; charset=utf-8'
  http.body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Unsubscribe</title>
<style>
body { font: 1.1rem/1.5 system-ui, sans-serif; max-width: 34rem; margin: 15vh auto; padding: 0 1rem; color: #222 }
button { font: inherit; padding: .5rem 1.5rem; border: 0; border-radius: .4rem; background: #222; color: #fff; cursor: pointer }
</style>
</head>
<body>
<p>${escapeHtml(sentence)}</p>
${more}
</body>
</html>
`
}
