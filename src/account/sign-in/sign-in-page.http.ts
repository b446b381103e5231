import type { Context } from 'koa'
import type { System } from '../../db/context.ts'
import { plainAddress } from '../../kernel/values/address.ts'
import type { HttpProblem } from '../../kernel/web/http-route.ts'
import { sendMessage } from '../../kernel/web/message-page-response.ts'
import { readSessionCookie, sessionCookie } from '../../kernel/web/session-cookie.ts'
import * as sessions from './sessions.ts'

/** What all pages that sign users in have in common. */
export const signInPage = {
  area: 'console',
  limiter: 'visitors',
  sendProblem: (http: Context, { status, title, message }: HttpProblem) =>
    send(http, status, { title, sentence: message }),
} as const

/** Sends a page. With the referrer policy of other pages, `no-referrer`, browsers would send a POST without its origin. */
export function send(http: Context, status: number, content: Parameters<typeof sendMessage>[2]): void {
  sendMessage(http, status, content)
  http.set('Referrer-Policy', 'same-origin')
}

/** Returns what a session stores about the browser of a request. */
export function browserOf(http: Context): { address: string; userAgent: string } {
  return { address: plainAddress(http.ip), userAgent: http.get('user-agent') }
}

/** Sets the cookie of a new session, ends the session that the browser had before, and redirects to the console. */
export async function sendSession(http: Context, system: System, token: string): Promise<void> {
  const earlier = readSessionCookie(http.get('cookie'), system.consoleUrl())
  if (earlier !== undefined) await sessions.endByToken(system, earlier)
  http.append('Set-Cookie', sessionCookie(token, system.consoleUrl()))
  http.set('Cache-Control', 'no-store')
  http.status = 303
  http.redirect('/console')
}
