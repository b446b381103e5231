import type { Context } from 'koa'
import { type Texts, textsIn } from '../texts/texts.ts'
import { type HttpProblem, privateHeaders, sendJsonProblem } from './http-route.ts'
import { type MessagePage, messagePage, messagePageCsp } from './message-page.ts'

/** Sends a page with a title and one sentence. */
export function sendMessage(http: Context, status: number, page: MessagePage): void {
  http.set({ ...privateHeaders, 'Content-Security-Policy': messagePageCsp(page) })
  http.status = status
  http.type = 'text/html; charset=utf-8'
  http.body = messagePage(page)
}

/** Sends an error as a page in a language of the browser, or as JSON to a client that sent JSON. */
export function sendProblem(http: Context, problem: HttpProblem): void {
  if (http.is('json')) sendJsonProblem(http, problem)
  else sendMessage(http, problem.status, problemPage(textsIn(http.get('accept-language')), problem))
}

/** Returns the page of an error. */
export function problemPage(texts: Texts, { status, page }: HttpProblem): ReturnType<Texts['page']> {
  if (page) return texts.page(page.name, page.values)
  if (status === 404) return texts.page('notFound')
  if (status === 413) return texts.page('tooLarge')
  return texts.page(status < 500 ? 'invalid' : 'failed')
}
