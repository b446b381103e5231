import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { HttpProblem, httpRoute } from '../../src/kernel/web/http-route.ts'
import { newConcurrencyLimiter } from '../../src/kernel/work/request-slots.ts'
import { newRequestListener } from '../../src/server/http/koa.ts'
import { atEnd } from '../support/ends.ts'

it('a visitor who is refused is one debug line in the log, without a stack', async () => {
  const entries: Record<string, unknown>[] = []
  const log = pino({ level: 'debug' }, { write: (line: string) => entries.push(JSON.parse(line)) })
  const none = newConcurrencyLimiter({ running: 0, runningPerHolder: 0, present: 0, presentPerHolder: 0 })
  atEnd(async () => none.close())
  const page = {
    area: 'server',
    summary: '',
    sendProblem: (http: { status: number }, { status }: HttpProblem) => {
      http.status = status
    },
  } as const
  const routes = [
    httpRoute('/full', { ...page, limiter: 'visitors', handle: () => undefined }),
    httpRoute('/often', {
      ...page,
      limiter: 'none',
      handle: () => {
        throw new HttpProblem(429, 'Too many requests', 'Too many answers were sent.')
      },
    }),
    httpRoute('/broken', {
      ...page,
      limiter: 'none',
      handle: () => {
        throw new Error('broken')
      },
    }),
  ]
  const listener = newRequestListener(
    { routes, services: undefined as never, limiters: { api: none, visitors: none, files: none, downloads: none } },
    { trustProxy: 0, metrics: { request: () => undefined } as never, log },
  )
  const server = createServer(listener).listen(0)
  atEnd(async () => void server.close())
  const { port } = server.address() as AddressInfo
  const statuses: number[] = []
  for (const path of ['/full', '/often', '/broken'])
    statuses.push((await fetch(`http://127.0.0.1:${port}${path}`)).status)
  expect(statuses).toEqual([503, 429, 503])
  const debug = 20
  expect(entries).toEqual([
    expect.objectContaining({ level: debug, route: '/full', status: 503, msg: 'a request was refused' }),
    expect.objectContaining({ level: debug, route: '/often', status: 429, msg: 'a request was refused' }),
    expect.objectContaining({ route: '/broken', msg: 'a request could not be served' }),
  ])
  expect(JSON.stringify(entries.slice(0, 2))).not.toContain('stack')
})
