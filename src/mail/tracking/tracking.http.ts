import type { Context, Middleware } from 'koa'
import { newCtx, type System } from '../../db/context.ts'
import { Refusal } from '../../kernel/errors.ts'
import { pageOf } from '../content/letters.ts'
import { readClickToken, readOpenToken, readViewToken } from './tokens.ts'
import { isByMachine, recordClick, recordOpen, targetOf } from './tracking.ts'

/** A picture of one pixel that shows nothing: 43 bytes. */
const pixel = Buffer.from('R0lGODlhAQABAIAAAP///wAAACH5BAEAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64')

/**
 * `/t/o/<token>`, the picture in a message, `/t/c/<token>`, a link in it, and `/t/v/<token>`, the message as a page. HEAD counts for nothing. A token that we did
 * not make is 404; one of a message that is gone still leads where it led.
 */
export function tracking(system: System & { readonly secret: string }, reader: Reader): Middleware {
  return async (ctx, next) => {
    const [, kind, token] = /^\/t\/([ocv])\/([^/]+)$/.exec(ctx.path) ?? []
    if (kind === undefined || token === undefined) return next()
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') {
      ctx.set('Allow', 'GET, HEAD')
      ctx.status = 405
      return
    }
    ctx.set({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer', 'X-Robots-Tag': 'noindex' })
    ctx.status = 404
    await shows[kind as keyof typeof shows](ctx, system, token, reader)
  }
}

/** What a click says of the browser that made it. */
export interface Reader {
  /** Whether a host shows pages of ours at an address other than this one, so that only it can set their cookies. */
  isOurs(host: string): boolean
  /** Lets the browser be known as the contact whose message it has open: its address is proven by that. */
  keep(http: Context, proven: { accountId: number; contactId: number }): Promise<void>
}

async function open(http: Context, system: System & { readonly secret: string }, token: string): Promise<void> {
  const mark = readOpenToken(system.secret, token)
  if (!mark) return
  const ctx = newCtx(system, mark)
  await counted(http, system, () => recordOpen(ctx, { ...sightingOf(http), recipientId: mark.recipientId }))
  http.status = 200
  http.type = 'image/gif'
  http.body = pixel
}

/**
 * Follows a link. Where it leads to pages of ours on another host, the same link is followed there once more: the cookie
 * that the click is worth belongs to that host.
 */
async function click(
  http: Context,
  system: System & { readonly secret: string },
  token: string,
  reader: Reader,
): Promise<void> {
  const mark = readClickToken(system.secret, token)
  const ctx = mark && newCtx(system, mark)
  const target = ctx && (await targetOf(ctx, mark))
  if (!target) return
  const { recipientId, accountId } = mark
  const { address, url, contactId } = target
  // Once only: behind a proxy, the host that we see may be none of those that browsers see.
  const isElsewhere = !http.search && address.hostname !== http.hostname && reader.isOurs(address.hostname)
  const sighting = sightingOf(http)
  if (!isElsewhere) {
    await counted(http, system, async () => {
      await recordClick(ctx, { ...sighting, recipientId, url })
      if (contactId !== null && !isByMachine(sighting)) await reader.keep(http, { accountId, contactId })
    })
  }
  http.status = 302
  http.set('Location', isElsewhere ? `${address.origin}${http.path}?there` : address.href)
  http.body = null
  http.status = 302
}

/** What it holds was written by a client: no script runs in it, and nothing in it acts in the name of this address. */
async function view(http: Context, system: System & { readonly secret: string }, token: string): Promise<void> {
  const mark = readViewToken(system.secret, token)
  if (!mark) return
  const { recipientId } = mark
  const html =
    recipientId === 0n ? 'This is the link of a test message.' : await pageOf(newCtx(system, mark), recipientId)
  if (html === undefined) return
  http.set({
    'Content-Security-Policy': 'sandbox allow-popups allow-popups-to-escape-sandbox',
    'X-Content-Type-Options': 'nosniff',
  })
  http.status = 200
  http.type = 'text/html; charset=utf-8'
  http.body = html
}

const shows = { o: open, c: click, v: view } as const

/** Whoever follows a link is led there, and sees the picture, even where it could not be counted. */
async function counted(http: Context, { log }: System, record: () => Promise<void>): Promise<void> {
  if (http.method === 'HEAD') return
  try {
    await record()
  } catch (error) {
    if (!(error instanceof Refusal)) log.error({ err: error }, 'an open or a click could not be counted')
  }
}

function sightingOf(http: Context): { userAgent: string; isPrefetch: boolean } {
  const purposes = ['purpose', 'sec-purpose', 'x-purpose', 'x-moz'].map((name) => http.get(name)).join(' ')
  return { userAgent: http.get('user-agent'), isPrefetch: /prefetch|prerender|preview/i.test(purposes) }
}
