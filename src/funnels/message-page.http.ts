import type { Context } from 'koa'
import type { Html } from '../kernel/html.ts'
import { messagePage, messagePageCsp } from './message-page.ts'

/** Answers with a page of our own that says one thing. */
export function say(http: Context, status: number, page: { title: string; sentence: string; more?: Html }): void {
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

/** The same page for all that is not there, so that nobody learns what is and what is not shown. */
export function sendNotFound(http: Context): void {
  say(http, 404, { title: 'There is no such page', sentence: 'Maybe the address has a mistake, or the page is gone.' })
}

/** Tells a visitor to wait. */
export function sendTooManyRequests(http: Context, seconds: number): void {
  http.set('Retry-After', String(seconds))
  say(http, 429, {
    title: 'One moment, please',
    sentence: `Too much was sent from your address. Please try again in ${seconds === 1 ? 'a second' : `${seconds} seconds`}.`,
  })
}

/** Answers where something went wrong on our side. */
export function sendServerError(http: Context): void {
  say(http, 503, { title: 'This did not work', sentence: 'Please try again in a moment.' })
}
