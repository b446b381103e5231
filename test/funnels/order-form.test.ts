import { describe, expect, it } from 'vitest'
import { newOptInFunnel } from './opt-in.ts'
import { requestPage } from './visiting.ts'

describe('an order form', () => {
  const product = { name: 'Bowl', amount: '49.90', currency: 'USD' }
  it('records a waiting order at the price of the page once', async () => {
    const { world, path, mail, first, step } = await newOptInFunnel({
      elements: [{ type: 'order_form', id: 'buy', product }],
    })
    const { cookie } = await requestPage(world.server, path)
    const buy = () =>
      requestPage(world.server, path, {
        cookie,
        form: { form: 'buy', [mail]: 'ada@example.com', [first]: 'Ada', amount: '0.01', currency: 'JPY' },
      })
    expect((await buy()).headers['location']).toBe('./after')
    expect((await buy()).status).toBe(303)
    const { orders } = await world.run(`{ orders { nodes { status amount { amount currency } attribution { key }
      customer { email firstName contact { email } } } } }`)
    expect(orders.nodes).toEqual([
      {
        status: 'WAITING',
        amount: { amount: '49.90', currency: 'USD' },
        attribution: [{ key: 'LANDING_PAGE' }],
        customer: { email: 'ada@example.com', firstName: 'Ada', contact: { email: 'ada@example.com' } },
      },
    ])
    const sold = await world.rows('SELECT step_id AS step FROM "order" WHERE account_id = $1', [world.accountId])
    expect(sold).toEqual([{ step: step.databaseId }])
    expect(await world.announced('order.created')).toHaveLength(1)
  })
})
