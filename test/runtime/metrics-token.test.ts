import { describe, expect, it } from 'vitest'
import { newServer } from '../support/server.ts'

describe('METRICS_TOKEN', () => {
  it('is required by /metrics only', async () => {
    const token = 'only-prometheus-knows-this'
    const { url } = await newServer({ METRICS_TOKEN: token })
    const ask = async (authorization?: string) => {
      const response = await fetch(`${url}/metrics`, { headers: authorization ? { authorization } : {} })
      return [response.status, (await response.text()).includes('process_cpu')]
    }
    expect(await ask(`Bearer ${token}`)).toEqual([200, true])
    expect(await ask(`bearer ${token}`)).toEqual([200, true])
    for (const wrong of [
      undefined,
      'Bearer',
      `Bearer ${token}x`,
      `Bearer ${token.slice(1)}`,
      token,
      `Basic ${token}`,
    ]) {
      expect(await ask(wrong), wrong).toEqual([401, false])
    }
    expect((await fetch(`${url}/livez`)).status).toBe(200)
  })

  it('leaves /metrics open if it is not set', async () => {
    const { url } = await newServer()
    expect((await fetch(`${url}/metrics`)).status).toBe(200)
  })
})
