import { describe, expect, it } from 'vitest'
import { page } from './documents.ts'
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
    const { orders } =
      await world.run(`{ orders { nodes { status amount { amount currency } attribution { key } lines { name quantity }
      customer { email firstName contact { email } } } } }`)
    expect(orders.nodes).toEqual([
      {
        status: 'WAITING',
        amount: { amount: '49.90', currency: 'USD' },
        attribution: [{ key: 'LANDING_PAGE' }],
        lines: [{ name: 'Bowl', quantity: 1 }],
        customer: { email: 'ada@example.com', firstName: 'Ada', contact: { email: 'ada@example.com' } },
      },
    ])
    const sold = await world.rows('SELECT step_id AS step FROM "order" WHERE account_id = $1', [world.accountId])
    expect(sold).toEqual([{ step: step.databaseId }])
    expect(await world.announced('order.created')).toHaveLength(1)
  })

  it('thanks for an order, and not for answers, on the last page', async () => {
    const { world, base, after, mail } = await newOptInFunnel()
    const elements = [{ type: 'order_form', id: 'buy', product }]
    await world.run(
      'mutation ($input: FunnelStepContentSetInput!) { funnelStepContentSet(input: $input) { version } }',
      {
        input: { id: after.id, content: page(...elements), publish: true },
      },
    )
    const path = `${base}/${after.path}`
    const { questions } = (
      await world.run('query ($id: ID!) { form(id: $id) { questions { databaseId } } }', after.form)
    ).form
    const own = `q${questions[0].databaseId}`
    const { headers } = await requestPage(world.server, path, { form: { form: 'buy', [own]: 'ada@example.com' } })
    expect([own === mail, headers['location']]).toEqual([false, './after?thanks=order'])
    const { body } = await requestPage(world.server, `${path}?thanks=order`)
    expect(body).toContain('Thank you for your order')
    expect(body).not.toContain('answers')
  })
})
