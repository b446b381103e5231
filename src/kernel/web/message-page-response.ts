import type { Context } from 'koa'
import type { Html } from './html.ts'
import { type HttpProblem, privateHeaders, sendJsonProblem } from './http-route.ts'
import { messagePage, messagePageCsp } from './message-page.ts'

/** Sends a page with a title and one sentence. */
export function sendMessage(
  http: Context,
  status: number,
  page: { title: string; sentence: string; more?: Html },
): void {
  http.set({ ...privateHeaders, 'Content-Security-Policy': messagePageCsp })
  http.status = status
  http.type = 'text/html; charset=utf-8'
  http.body = messagePage(page)
}

/** The same for pages that do not exist and for unpublished pages. */
export const notFound = { title: 'Page not found', message: 'The address may be wrong, or the page was removed.' }

/** Sends an error as a page, or as JSON to a client that sent JSON. */
export function sendProblem(http: Context, problem: HttpProblem): void {
  if (http.is('json')) sendJsonProblem(http, problem)
  else sendMessage(http, problem.status, { title: problem.title, sentence: problem.message })
}
