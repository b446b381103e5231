import { describe, expect, it } from 'vitest'
import { transitions } from '../../src/finance/recording/status-transitions.ts'
import { newWorld } from '../support/world.ts'
import { buyer, moving, SubscriptionRecord } from './documents.ts'

const select = 'subscription { id status trial paymentsLeft rebillDate endedAt }'
const verbs = {
  renew: 'subscriptionRenew',
  fail: 'subscriptionFail',
  end: 'subscriptionEnd',
  restart: 'subscriptionRestart',
}

describe('subscriptionRecord', () => {
  it('defaults to an active, unlimited subscription that is due after rateMonths', async () => {
    const world = await newWorld()
    const input = {
      idSubscription: 'S-1',
      name: 'Pro',
      amount: '9',
      customer: buyer,
      rateMonths: 3,
      createdAt: '2025-11-30T09:00:00Z',
    }
    const { subscription } = (await world.run(SubscriptionRecord, { input })).subscriptionRecord
    expect(subscription).toMatchObject({
      idSubscription: 'S-1',
      status: 'ACTIVE',
      name: 'Pro',
      amount: { amount: '9.00', currency: 'EUR' },
      paymentSource: '',
      rateMonths: 3,
      trial: false,
      paymentsLeft: null,
      // February has no 30th.
      rebillDate: '2026-02-28T09:00:00.000Z',
      endedAt: null,
      customer: buyer,
    })
    expect((await world.announced()).map(({ type }) => type)).toEqual(['subscription.created'])
  })

  it.each([
    [{ rateMonths: 0 }, 'rateMonths'],
    [{ rateMonths: 121 }, 'rateMonths'],
    [{ paymentsLeft: -1 }, 'paymentsLeft'],
    [{ paymentsLeft: 0 }, 'paymentsLeft'],
    [{ amount: '9.999' }, 'amount'],
    [{ name: ' ' }, 'name'],
    [{ idSubscription: 'taken' }, 'idSubscription'],
    [{ currency: 'ZZZ' }, 'currency'],
    [{ rebillDate: '9999-12-31T00:00:00Z' }, 'rebillDate'],
    [{ customer: { email: '' } }, 'customer.email'],
  ])('rejects %j', async (wrong, field) => {
    const world = await newWorld()
    await world.subscription({ idSubscription: 'taken' })
    const input = { idSubscription: 'S-1', name: 'Pro', amount: '9', customer: buyer, ...wrong }
    const { extensions } = await world.fault(SubscriptionRecord, { input })
    expect([extensions.code, Object.keys(extensions.details ?? {})]).toEqual(['VALIDATION_ERROR', [`input.${field}`]])
  })
})

describe('a subscription', () => {
  it('is renewed until no payments are left', async () => {
    const world = await newWorld()
    const { id } = await world.subscription({ trial: true, paymentsLeft: 2, rebillDate: '2026-03-28T09:00:00Z' })
    const renew = async () =>
      (await world.run(moving(verbs.renew, select), { input: { id } })).subscriptionRenew.subscription
    // The clocks of Paris go forward in between.
    expect(await renew()).toMatchObject({
      status: 'ACTIVE',
      trial: false,
      paymentsLeft: 1,
      rebillDate: '2026-04-28T08:00:00.000Z',
    })
    expect(await renew()).toMatchObject({ status: 'INACTIVE', paymentsLeft: 0, endedAt: expect.any(String) })
    expect((await world.fault(moving(verbs.renew, select), { input: { id } })).extensions.code).toBe('INVALID_STATE')
    expect((await world.announced()).map(({ type }) => type)).toEqual([
      'subscription.created',
      'subscription.renewed',
      'subscription.renewed',
      'subscription.ended',
    ])
    const restart = moving(verbs.restart, select)
    expect((await world.fault(restart, { input: { id } })).extensions.details).toHaveProperty(['input.paymentsLeft'])
    expect(
      (await world.run(restart, { input: { id, paymentsLeft: 3 } })).subscriptionRestart.subscription,
    ).toMatchObject({
      status: 'ACTIVE',
      paymentsLeft: 3,
      endedAt: null,
    })
  })

  it.each([
    [
      'the 31st of each month',
      { createdAt: '2026-01-31T10:00:00Z' },
      'UTC',
      ['02-28', '03-31', '04-30', '05-31', '06-30', '07-31'],
    ],
    ['the 30th of each month', { createdAt: '2025-12-30T10:00:00Z' }, 'UTC', ['01-30', '02-28', '03-30']],
    [
      'the 31st every three months',
      { createdAt: '2026-05-31T10:00:00Z', rateMonths: 3 },
      'UTC',
      ['08-31', '11-30', '02-28', '05-31'],
    ],
    [
      '29 February of each year',
      { createdAt: '2024-02-29T10:00:00Z', rateMonths: 12 },
      'UTC',
      ['2025-02-28', '2026-02-28', '2027-02-28', '2028-02-29', '2029-02-28'],
    ],
    [
      'the 31st of a given date',
      { createdAt: '2026-01-05T10:00:00Z', rebillDate: '2026-01-31T10:00:00Z' },
      'UTC',
      ['01-31', '02-28', '03-31'],
    ],
    [
      'the 31st of the creation',
      { createdAt: '2025-12-31T10:00:00Z', rebillDate: '2026-02-28T10:00:00Z' },
      'UTC',
      ['02-28', '03-31', '04-30'],
    ],
    [
      'the 14th of a given date',
      { createdAt: '2026-01-31T10:00:00Z', rebillDate: '2026-02-14T10:00:00Z' },
      'UTC',
      ['02-14', '03-14'],
    ],
    [
      'the 28th of a given date',
      { createdAt: '2026-01-28T10:00:00Z', rebillDate: '2026-02-28T10:00:00Z' },
      'UTC',
      ['02-28', '03-28'],
    ],
    // The day is the one in the account's zone: 31 January in New York, 1 February in Tokyo.
    [
      'the 31st in New York',
      { createdAt: '2026-02-01T03:00:00Z' },
      'America/New_York',
      ['03-01', '04-01', '05-01', '06-01', '07-01'],
    ],
    ['the 1st in Tokyo', { createdAt: '2026-01-31T15:30:00Z' }, 'Asia/Tokyo', ['02-28', '03-31', '04-30']],
  ])('is due on %s', async (_title, fields, timezone, expected) => {
    const world = await newWorld({ timezone })
    const first = await world.subscription(fields)
    const dates: string[] = [first.rebillDate]
    while (dates.length < expected.length) {
      const { id } = first
      dates.push(
        (await world.run(moving(verbs.renew, select), { input: { id } })).subscriptionRenew.subscription.rebillDate,
      )
    }
    const start = (expected[0] as string).length === 5 ? 5 : 0
    expect(dates.map((date) => date.slice(start, 10))).toEqual(expected)
  })

  it('keeps the time of day after a day on which the clocks skip it', async () => {
    const world = await newWorld({ timezone: 'Europe/Paris' })
    const { id, rebillDate } = await world.subscription({ createdAt: '2026-01-29T01:30:00Z' })
    const renew = async () =>
      (await world.run(moving(verbs.renew, select), { input: { id } })).subscriptionRenew.subscription.rebillDate
    // On 29 March, there is no 02:30 in Paris. In April, it is 00:30 UTC.
    const dates = ['2026-02-28T01:30:00.000Z', '2026-03-29T01:30:00.000Z', '2026-04-29T00:30:00.000Z']
    expect([rebillDate, await renew(), await renew()]).toEqual(dates)
  })

  it('returns to its day after a restart in a short month', async () => {
    const world = await newWorld({ timezone: 'UTC' })
    const { id } = await world.subscription({ createdAt: '2026-01-31T10:00:00Z' })
    await world.run(moving(verbs.end, select), { input: { id } })
    const restart = { id, rebillDate: '2026-04-30T12:00:00Z' }
    await world.run(moving(verbs.restart, select), { input: restart })
    const { subscription } = (await world.run(moving(verbs.renew, select), { input: { id } })).subscriptionRenew
    expect(subscription.rebillDate).toBe('2026-05-31T12:00:00.000Z')
  })

  it('counts concurrent payments correctly', async () => {
    const world = await newWorld()
    const { id } = await world.subscription({ paymentsLeft: 5 })
    const responses = await Promise.all(
      Array.from({ length: 9 }, () => world.ask(moving(verbs.renew, select), { input: { id } })),
    )
    expect(responses.filter(({ body }) => !body.errors)).toHaveLength(5)
    expect(await world.announced('subscription.ended')).toHaveLength(1)
  })

  it.each([
    ['fail', 'ERROR', 'payment_failed'],
    ['end', 'INACTIVE', 'ended'],
    ['restart', 'ACTIVE', undefined],
    ['renew', 'ACTIVE', 'renewed'],
  ] as const)('allows %s only from the statuses of the transition table', async (verb, to, event) => {
    const world = await newWorld()
    for (const from of ['ACTIVE', 'INACTIVE', 'ERROR'] as const) {
      const { id, databaseId } = await world.subscription({ status: from })
      await world.rows('DELETE FROM outbox_event WHERE account_id = $1', [world.accountId])
      const { body } = await world.ask(moving(verbs[verb], select), { input: { id } })
      const may = verb === 'renew' ? from !== 'INACTIVE' : (transitions.subscription[from] as string[]).includes(to)
      if (may) expect(body.data[verbs[verb]].subscription.status).toBe(to)
      else
        expect(body.errors).toMatchObject([
          { message: expect.stringContaining(from), extensions: { code: 'INVALID_STATE' } },
        ])
      const announced = may && event ? [{ type: `subscription.${event}`, data: { subscriptionId: databaseId } }] : []
      expect(await world.announced()).toEqual(announced)
    }
  })

  it('is listed in subscriptionSummaries of its contact while it is active, without the scope finance:read', async () => {
    const world = await newWorld()
    const contact = await world.contact()
    for (const [name, status] of [
      ['a', 'ACTIVE'],
      ['b', 'INACTIVE'],
      ['c', 'ERROR'],
      ['d', 'ACTIVE'],
    ]) {
      await world.subscription({ name, status, customer: { email: contact.email } })
    }
    const key = await world.key({ scopes: ['contacts:read'] })
    const document =
      'query ($id: ID!) { contact(ref: { id: $id }) { subscriptionSummaries { name status paymentsLeft amount { amount } } } }'
    const { subscriptionSummaries } = (await world.run(document, contact, { key })).contact
    expect(subscriptionSummaries).toEqual(
      ['d', 'a'].map((name) => ({ name, status: 'ACTIVE', paymentsLeft: null, amount: { amount: '9.00' } })),
    )
  })
})
