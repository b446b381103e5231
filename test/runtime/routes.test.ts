import { describe, expect, it } from 'vitest'
import { apiRoutes } from '../../src/server/routes.ts'
import { newServer } from '../support/server.ts'

const server = await newServer()

const own = apiRoutes.filter(({ methods }) => methods !== undefined)
const addressOf = (path: string) => path.replaceAll(/:(funnel|form)\b/g, '1').replaceAll(/:\w+\??/g, 'x')

describe('the route table', () => {
  it.each(own.map((route) => [route.path, route] as const))('%s refuses the method PATCH', async (path, route) => {
    const response = await fetch(server.url + addressOf(path), { method: 'PATCH', body: 'x' })
    expect(response.status).toBe(route.otherMethods ?? 405)
    const allowed = (route.methods ?? []).join(', ').replace('GET', 'GET, HEAD')
    expect(response.headers.get('allow')).toBe(response.status === 405 ? allowed : null)
  })

  it.each(own.filter(({ headers }) => headers !== undefined).map((route) => [route.path, route] as const))(
    '%s has its headers in every response',
    async (path, route) => {
      const method = route.methods?.includes('GET') ? 'GET' : 'POST'
      const { headers } = await fetch(server.url + addressOf(path), { method, redirect: 'manual' })
      for (const [name, value] of Object.entries(route.headers ?? {})) expect(headers.get(name)).toContain(value)
    },
  )

  it('returns 404 for an unknown path, whatever the method', async () => {
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS']) {
      expect((await fetch(`${server.url}/no/such/path`, { method })).status).toBe(404)
    }
    expect(server.errors).toEqual([])
  })

  it('measures requests under the path of their route', async () => {
    await fetch(`${server.url}/t/o/x`)
    const text = await (await fetch(`${server.url}/metrics`)).text()
    expect(text).toContain('campanile_request_seconds_count{transport="http",route="/t/o/:token",status="404"}')
    expect(text).not.toContain('route="/livez"')
  })
})
