import { describe, expect } from 'vitest'
import { accounts } from '../../src/account/index.ts'
import { until } from '../runtime/process.ts'
import { check } from './check.ts'
import { gateways, newWorld, useServers } from './support.ts'

const servers = useServers()

describe.each(gateways)('account, %s', (gateway) => {
  check('ACC-API/success', 'returns the e-mail address of the account for a key with any scope', async () => {
    const world = await newWorld(servers, gateway)
    const expected = { success: true, data: { email: 'ada@example.com' } }
    expect((await world.call('GET', '/v1/api')).body).toEqual(expected)
    const key = await world.keyWith(['forms:read'])
    expect((await world.call('GET', '/v1/api', { key })).body).toEqual(expected)
  })

  check('ACC-API/UNAUTHORIZED', 'for a trial account', async () => {
    const world = await newWorld(servers, gateway)
    await accounts.update(servers.system, { id: world.accountId, plan: 'FREE_TRIAL' })
    await until(async () => (await world.call('GET', '/v1/api')).status === 401)
  })

  check('ACC-GET/success', 'returns limits and quotas, with null for no limit', async () => {
    const world = await newWorld(servers, gateway, { limits: { contacts: 10 } })
    await world.contact()
    await world.contact()
    const unlimited = { limit: null, used: 0, remaining: null }
    const quota = {
      monthly_recipients: { ...unlimited, resets_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:00:00\.000000Z$/) },
      contacts: { limit: 10, used: 2, remaining: 8 },
      campaigns: unlimited,
      funnels: unlimited,
    }
    expect((await world.call('GET', '/v1/account')).body).toEqual({
      success: true,
      data: {
        name: 'Ada',
        email: 'ada@example.com',
        plan: 'unlimited',
        on_trial: false,
        limits: { contacts: 10, campaigns: null, emails: null, funnels: null, monthly_recipients: null },
        quota,
      },
    })
    expect((await world.call('GET', '/v1/sending-quota')).body).toEqual({ success: true, data: quota })
  })
})
