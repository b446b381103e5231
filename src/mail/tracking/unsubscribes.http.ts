import type { Context } from 'koa'
import pLimit from 'p-limit'
import { newCtx, type System } from '../../db/context.ts'
import { masked } from '../../kernel/outgoing-message.ts'
import { escapeHtml } from '../../kernel/web/html.ts'
import { type HttpRequest, httpRoute, privateHeaders } from '../../kernel/web/http-route.ts'
import { readUnsubscribeToken } from '../messages/message-tokens.ts'
import { findMessageContact, unsubscribe } from './unsubscribes.ts'

/**
 * Runs work on few connections at a time, apart from those of opens and clicks: nothing of it is dropped, so that it may have to
 * wait.
 */
const limited = pLimit(3)

/** Length of the longest IPv6 address without a zone. */
const maxIpLength = 45

/** Body of the one-click request of e-mail clients (RFC 8058), URL-encoded or multipart. */
const oneClick = /List-Unsubscribe["\s]{0,10}=?\s{0,10}One-Click/i

const notFound = {
  title: 'Unsubscribe',
  message: 'This link has expired. The address was deleted and gets no more e-mail.',
}

/**
 * GET shows a page with a button and changes nothing, because scanners follow links. POST, from the page or an e-mail client,
 * unsubscribes. The token is the only credential; it can be used any number of times.
 */
export const unsubscribeRoutes = [
  httpRoute('/u/:token', {
    area: { sandbox: 'allow-forms' },
    summary: 'Unsubscribe page. `POST` unsubscribes (RFC 8058).',
    methods: ['GET', 'POST'],
    headers: {
      ...privateHeaders,
      'Content-Security-Policy':
        "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'",
    },
    limiter: 'none',
    maxBodyBytes: 64 * 1024,
    notFound,
    handle,
    sendProblem: (http, { status, message }) => page(http, status, message),
  }),
]

async function handle(
  { http, params, readBody }: HttpRequest<{ readonly token: string }>,
  { system }: { readonly system: System },
): Promise<void> {
  const ref = readUnsubscribeToken(system.signer.secret, params.token)
  if (!ref) return page(http, 404, 'This page does not exist.')
  const { recipientId } = ref
  if (recipientId === 0n) return page(http, 200, 'This link belongs to a test message and has no effect.')
  // Read before the first statement: a client that closes its connection after it has sent all unsubscribes as well.
  const sent = http.method === 'POST' ? (await readBody()).toString('latin1') : undefined
  const ctx = newCtx(system, { ...ref, actor: { kind: 'VISITOR' } })
  const contact = await limited(() => findMessageContact(ctx, recipientId))
  if (!contact) return page(http, 404, notFound.message)
  const mail = `all e-mail from ${contact.accountName}`
  if (sent === undefined) return page(http, 200, `Unsubscribe ${masked(contact.email)} from ${mail}?`, button)
  const isOneClick = oneClick.test(sent) && !sent.includes('page=')
  const text = isOneClick ? '' : `Unsubscribe from ${mail}?`
  const source = isOneClick ? 'list-unsubscribe' : 'unsubscribe-page'
  const ip = http.ip.slice(0, maxIpLength)
  // Stored before the answer. Who repeats it costs one read.
  if (!contact.isUnsubscribed) await limited(() => unsubscribe(ctx, { recipientId, source, text, ip }))
  page(http, 200, `${masked(contact.email)} is unsubscribed from ${mail}.`)
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
