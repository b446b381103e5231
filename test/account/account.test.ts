import { DateTime } from 'luxon'
import { describe, expect, it } from 'vitest'
import { newWorld } from '../support/world.ts'

const fields = 'name email timezone currency subdomain senderName senderEmail plan onTrial'
const Account = `{ account { ${fields} } }`
const Update = `mutation ($input: AccountUpdateInput!) { accountUpdate(input: $input) { account { ${fields} } } }`

describe('accountUpdate', () => {
  it('changes only the fields that are sent', async () => {
    const world = await newWorld()
    const before = (await world.run(Account)).account
    const input = {
      name: 'Atelier',
      email: 'new@example.com',
      timezone: 'America/New_York',
      currency: 'USD',
      subdomain: 'atelier-1',
      senderName: 'Ada',
      senderEmail: 'ada@atelier.example',
    }
    for (const [field, value] of Object.entries(input)) {
      const { account } = (await world.run(Update, { input: { [field]: value } })).accountUpdate
      expect(account).toEqual({ ...before, [field]: value })
      Object.assign(before, { [field]: value })
    }
    expect((await world.run(Account)).account).toEqual({ ...input, plan: 'UNLIMITED', onTrial: false })
  })

  it('clears nullable fields with null, and ignores null in other fields', async () => {
    const world = await newWorld({ timezone: 'Asia/Tokyo', subdomain: 'has-one' })
    const before = (await world.run(Account)).account
    const all = Object.fromEntries(
      ['name', 'email', 'timezone', 'currency', 'subdomain', 'senderName', 'senderEmail'].map((field) => [field, null]),
    )
    const { account } = (await world.run(Update, { input: all })).accountUpdate
    expect(account).toEqual({ ...before, timezone: null, subdomain: null })
  })

  it.each([
    ['name', ''],
    ['name', 'x'.repeat(256)],
    ['email', 'nobody'],
    ['email', ''],
    ['timezone', 'Mars/Olympus'],
    ['timezone', ''],
    ['timezone', 'local'],
    ['timezone', 'system'],
    ['timezone', 'default'],
    ['timezone', '+02:00'],
    // Known to the runtime only.
    ['timezone', 'AET'],
    ['timezone', 'SystemV/PST8'],
    // Other zones in PostgreSQL, where these are abbreviations.
    ['timezone', 'IST'],
    ['timezone', 'CET'],
    // Known to PostgreSQL only.
    ['timezone', 'Factory'],
    ['timezone', 'posix/Europe/Paris'],
    ['currency', 'ABC'],
    ['subdomain', 'www'],
    ['subdomain', 'api'],
    ['subdomain', 'admin'],
    ['subdomain', 'mail'],
    ['subdomain', 'graphql'],
    ['subdomain', 'WWW'],
    ['subdomain', 'xn--mnchen-3ya'],
    ['subdomain', 'Upper'],
    ['subdomain', '-edge'],
    ['subdomain', 'edge-'],
    ['subdomain', 'two.parts'],
    ['subdomain', 'x'.repeat(64)],
    ['subdomain', ''],
    ['senderName', 'x'.repeat(256)],
    ['senderName', 'nul\0'],
    ['senderEmail', 'nobody'],
  ])('returns VALIDATION_ERROR for %s: %j', async (field, value) => {
    const world = await newWorld()
    const before = (await world.run(Account)).account
    const fault = await world.fault(Update, { input: { [field]: value } })
    expect(fault.extensions).toEqual({
      code: 'VALIDATION_ERROR',
      details: { [`input.${field}`]: [expect.any(String)] },
      fields: [{ path: expect.stringContaining(field), code: expect.any(String), message: expect.any(String) }],
    })
    expect((await world.run(Account)).account).toEqual(before)
  })

  it('returns BAD_REQUEST for an invalid currency code', async () => {
    const world = await newWorld()
    expect((await world.fault(Update, { input: { currency: 'euro' } })).extensions.code).toBe('BAD_REQUEST')
  })

  it('accepts the reserved subdomain that the account already has', async () => {
    const world = await newWorld()
    await world.rows("UPDATE account SET subdomain = 'mail' WHERE id = $1", [world.accountId])
    const { account } = (await world.run(Update, { input: { subdomain: 'mail', name: 'Renamed' } })).accountUpdate
    expect(account).toMatchObject({ subdomain: 'mail', name: 'Renamed' })
    expect((await world.fault(Update, { input: { subdomain: 'www' } })).extensions.code).toBe('VALIDATION_ERROR')
  })

  it('returns VALIDATION_ERROR for the subdomain of another account', async () => {
    const world = await newWorld({ subdomain: 'the-first' })
    const other = await world.other()
    const fault = await other.fault(Update, { input: { subdomain: 'the-first' } })
    expect(fault.extensions).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { 'input.subdomain': ['is used by another account'] },
    })
  })

  it('cannot change the plan or the limits', async () => {
    const world = await newWorld()
    expect((await world.fault(Update, { input: { plan: 'PRO' } })).extensions.code).toBe('BAD_REQUEST')
  })
})

describe('account', () => {
  it('returns the limits and the usage of each quota, with null for no limit', async () => {
    const world = await newWorld({ limits: { contacts: 3, campaigns: 0, emails: 100 } })
    await world.contact()
    await world.contact()
    const slot = 'limit used remaining'
    const { account } = await world.run(`{ account {
      limits { contacts campaigns emails funnels monthlyRecipients }
      quota { contacts { ${slot} } campaigns { ${slot} } funnels { ${slot} } monthlyRecipients { ${slot} } } } }`)
    expect(account).toEqual({
      limits: { contacts: 3, campaigns: 0, emails: 100, funnels: null, monthlyRecipients: null },
      quota: {
        contacts: { limit: 3, used: 2, remaining: 1 },
        campaigns: { limit: 0, used: 0, remaining: 0 },
        funnels: { limit: null, used: 0, remaining: null },
        monthlyRecipients: { limit: null, used: 0, remaining: null },
      },
    })
  })

  it.each(['Pacific/Kiritimati', 'America/New_York', undefined])(
    'resets the monthly quotas at the start of the month in the time zone: %s',
    async (zone) => {
      const world = await newWorld(zone ? { timezone: zone } : {})
      const before = DateTime.now()
      const { account } = await world.run('{ account { quota { monthlyRecipients { resetsAt } } } }')
      const next = (now: DateTime) =>
        now
          .setZone(zone ?? 'Europe/Paris')
          .startOf('month')
          .plus({ months: 1 })
          .toJSDate()
          .toISOString()
      expect([next(before), next(DateTime.now())]).toContain(account.quota.monthlyRecipients.resetsAt)
    },
  )

  it('counts only the current month in the monthly quotas', async () => {
    const world = await newWorld({ limits: { monthlyRecipients: 10 } })
    const month = DateTime.now().setZone('Europe/Paris').toFormat('yyyy-MM')
    await world.rows(
      "INSERT INTO quota_usage VALUES ($1, 'monthly_recipients', '2020-01', 9), ($1, 'monthly_recipients', $2, 4)",
      [world.accountId, month],
    )
    const { account } = await world.run('{ account { quota { monthlyRecipients { used remaining } } } }')
    expect(account.quota.monthlyRecipients).toEqual({ used: 4, remaining: 6 })
  })
})

describe('viewer', () => {
  it('returns the account for any key', async () => {
    const world = await newWorld()
    const key = await world.key({ scopes: ['funnels:read'] })
    expect(await world.run('{ viewer { email accountName keyName scopes } }', {}, { key })).toEqual({
      viewer: { email: 'ada@example.com', accountName: 'Ada & Co', keyName: '', scopes: ['FUNNELS_READ'] },
    })
  })
})
