import { serverAudits } from 'graphql-http'
import { beforeAll, describe, expect, it } from 'vitest'
import { newWorld, type World } from '../support/world.ts'

// The unchanged audit of the GraphQL over HTTP working group: what a server MUST, SHOULD and MAY do.

let world: World

const audits = serverAudits({
  url: () => `${world.server.url}/graphql`,
  fetchFn: (url: string, init: RequestInit = {}) =>
    fetch(url, { ...init, headers: { ...init.headers, authorization: `Bearer ${world.mainKey}` } }),
})

describe('GraphQL over HTTP', () => {
  beforeAll(async () => {
    world = await newWorld()
  })

  it.each(audits.map(({ id, name, fn }) => ({ id, name, fn })))('$id $name', async ({ fn }) => {
    const result = await fn()
    expect(result.status, JSON.stringify(result)).toBe('ok')
  })
})
