import type { Context, Middleware } from 'koa'
import { newCtx, type System } from '../db/context.ts'
import { isSameOriginPost, setVerifiedVisitorCookie } from '../forms/index.ts'
import { plainAddress } from '../kernel/address.ts'
import { Refusal } from '../kernel/errors.ts'
import { html } from '../kernel/html.ts'
import { masked } from '../kernel/letter.ts'
import type { Signer } from '../kernel/signer.ts'
import { askedOf, confirm } from './confirm.ts'
import { readToken } from './confirm-token.ts'
import { say, sayBroken, sayMissing } from './plain-page.http.ts'

type Door = System & { readonly signer: Signer }

/**
 * `/c/<token>`, the link by which an opt-in is confirmed: GET shows a page with a button and changes nothing, for scanners
 * follow links; POST confirms, as often as one likes, and from then on the browser is known as the contact's.
 */
export function confirming(system: Door): Middleware {
  return async (http, next) => {
    const token = /^\/c\/([^/]+)$/.exec(http.path)?.[1]
    if (token === undefined) return next()
    if (!['GET', 'HEAD', 'POST'].includes(http.method)) {
      http.set('Allow', 'GET, HEAD, POST')
      http.status = 405
      return
    }
    try {
      await serve(http, system, token)
    } catch (error) {
      if (error instanceof Refusal) return sayMissing(http)
      system.log.error({ err: error }, 'an opt-in could not be confirmed')
      sayBroken(http)
    }
  }
}

async function serve(http: Context, system: Door, token: string): Promise<void> {
  const mark = readToken(system.signer, token, system.clock.now())
  if (!mark) return sayMissing(http)
  const { accountId, submissionId } = mark
  const ctx = newCtx(system, { accountId })
  const asked = await askedOf(ctx, submissionId)
  if (!asked) return sayMissing(http)
  const from = `e-mail from ${asked.accountName}`
  if (asked.isConfirmed && http.method !== 'POST') return say(http, 200, done(from))
  if (mark.isExpired && !asked.isConfirmed) {
    const sentence = 'The link was good for seven days. Please sign up once more, and you get a new one.'
    return say(http, 410, { title: 'This link is too old', sentence })
  }
  const words = `Yes, I want to get ${from}.`
  if (http.method !== 'POST') {
    const more = html`<form method="post"><button>${words}</button></form>`
    const sentence = `Somebody has entered the address ${masked(asked.email)}. Was it you?`
    return say(http, 200, { title: 'Please confirm', sentence, more })
  }
  await confirm(ctx, { submissionId, words, ip: plainAddress(http.ip) })
  // Another site must not make a browser that of someone else.
  if (isSameOriginPost(http)) await setVerifiedVisitorCookie(http, system, { accountId, contactId: asked.contactId })
  say(http, 200, done(from))
}

const done = (from: string) => ({ title: 'Thank you', sentence: `It is confirmed: you get ${from}.` })
