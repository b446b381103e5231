import type { Context } from 'koa'
import type { Html } from '../kernel/html.ts'
import { messagePage, messagePageCsp } from './message-page.ts'

/** Sends a page with a title and one sentence. */
export function sendMessage(
  http: Context,
  status: number,
  page: { title: string; sentence: string; more?: Html },
): void {
  http.set({
    'Content-Security-Policy': messagePageCsp,
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'X-Robots-Tag': 'noindex',
    'Cache-Control': 'no-store',
  })
  http.status = status
  http.type = 'text/html; charset=utf-8'
  http.body = messagePage(page)
}

/** Sends 404. The response is the same for pages that do not exist and for unpublished pages. */
export function sendNotFound(http: Context): void {
  sendMessage(http, 404, { title: 'Page not found', sentence: 'The address may be wrong, or the page was removed.' })
}

/** Sends 429 with `Retry-After`. */
export function sendTooManyRequests(http: Context, seconds: number): void {
  http.set('Retry-After', String(seconds))
  sendMessage(http, 429, {
    title: 'Too many requests',
    sentence: `Please try again in ${seconds === 1 ? 'a second' : `${seconds} seconds`}.`,
  })
}

/** Sends 503 after an unexpected error. */
export function sendServerError(http: Context): void {
  sendMessage(http, 503, { title: 'Something went wrong', sentence: 'Please try again in a moment.' })
}
