import { describe, expect } from 'vitest'
import { check } from './check.ts'
import { expectError } from './client.ts'
import { gateways, newWorld, useServers, type World } from './support.ts'

const servers = useServers()
const isoMicroseconds = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
const customer = { email: 'buyer@example.com' }

const issueInvoice = async (world: World, input: object): Promise<number> => {
  const document = 'mutation ($input: InvoiceIssueInput!) { invoiceIssue(input: $input) { invoice { databaseId } } }'
  return (await world.graph(document, { input })).invoiceIssue.invoice.databaseId
}
const creditInvoice = (world: World, input: object) =>
  world.graph(
    'mutation ($input: CreditNoteIssueInput!) { creditNoteIssue(input: $input) { creditNote { databaseId } } }',
    { input },
  )
const recordTransaction = async (world: World, input: object): Promise<number> => {
  const document =
    'mutation ($input: TransactionRecordInput!) { transactionRecord(input: $input) { transaction { databaseId } } }'
  return (await world.graph(document, { input })).transactionRecord.transaction.databaseId
}
const billed = { customer, lines: [{ name: 'Bowl', unitPrice: '10', vatRate: '20' }] }

describe.each(gateways)('transactions, invoices and subscriptions, %s', (gateway) => {
  const open = () => newWorld(servers, gateway)
  const get = async (world: World, path: string, query = {}) => (await world.call('GET', path, { query })).body
  const customerOf = async ({ rows, accountId }: World) =>
    (await rows<{ id: number }>('SELECT id FROM customer WHERE account_id = $1', [accountId]))[0]?.id

  check('TRA-LIST/success', 'lists newest first, with the related objects', async () => {
    const world = await open()
    const order = await world.order({ idOrder: 'A-1' })
    const invoice = await issueInvoice(world, { orderId: order.id })
    const paying = { idTransaction: 'T-1', invoiceId: invoice, orderId: order.id, amount: '12', status: 'COMPLETED' }
    const [first, second] = [
      await recordTransaction(world, paying),
      await recordTransaction(world, { idTransaction: 'T-2', customer, amount: '0.5', type: 'subscription' }),
    ]
    const id_customer = await customerOf(world)
    const both = { id_customer, currency: 'EUR', created_at: isoMicroseconds }
    const list = await get(world, '/v1/transactions', { period: 'today' })
    expect(list.data).toEqual([
      {
        ...both,
        id: second,
        id_transaction: 'T-2',
        id_order: '',
        id_invoice: null,
        status: 'waiting',
        type: 'subscription',
        amount: 0.5,
      },
      {
        ...both,
        id: first,
        id_transaction: 'T-1',
        id_order: 'A-1',
        id_invoice: invoice,
        status: 'completed',
        type: 'one_time',
        amount: 12,
      },
    ])
    expect(list.meta).toEqual({ current_page: 1, last_page: 1, per_page: 50, total: 2 })
    expect((await get(world, '/v1/transactions', { period: 'yesterday' })).data).toEqual([])
  })

  check('INV-LIST/success', 'lists newest first, with number and file', async () => {
    const world = await open()
    const order = await world.order({ idOrder: 'A-1', lines: billed.lines })
    const ids = [
      await issueInvoice(world, { orderId: order.id }),
      await issueInvoice(world, billed),
      await issueInvoice(world, billed),
    ]
    await world.graph(`mutation { a: invoicePay(input: { id: ${ids[0]} }) { invoice { id } }
      b: invoicePay(input: { id: ${ids[1]}, amount: "1" }) { invoice { id } } }`)
    const list = await get(world, '/v1/invoices')
    const common = {
      id_customer: await customerOf(world),
      prefix: 'INV-',
      amount: 10,
      amount_incl_vat: 12,
      currency: 'EUR',
      type: 'one_time',
      created_at: isoMicroseconds,
    }
    expect(list.data).toEqual([
      {
        ...common,
        id: ids[2],
        id_order: '',
        number: '000003',
        status: 'payment_due',
        filename: 'invoices/INV-000003.pdf',
      },
      {
        ...common,
        id: ids[1],
        id_order: '',
        number: '000002',
        status: 'partially_paid',
        filename: 'invoices/INV-000002.pdf',
      },
      { ...common, id: ids[0], id_order: 'A-1', number: '000001', status: 'paid', filename: 'invoices/INV-000001.pdf' },
    ])
    expect((await get(world, '/v1/invoices', { per_page: 1, page: 2 })).data).toEqual([list.data[1]])
    expect(await get(world, '/v1/invoices', { period: 'yesterday' })).toMatchObject({ data: [], meta: { total: 0 } })
  })

  check('CRN-LIST/success', 'lists newest first, with negative amounts', async () => {
    const world = await open()
    const order = await world.order({ idOrder: 'A-1', lines: billed.lines })
    const invoiceId = await issueInvoice(world, { orderId: order.id })
    await creditInvoice(world, { invoiceId, amount: '6' })
    expect((await get(world, '/v1/credit-notes', { period: 'last7days' })).data).toEqual([
      {
        id: expect.any(Number),
        id_order: 'A-1',
        id_customer: await customerOf(world),
        prefix: 'CN-',
        number: '000001',
        amount: -5,
        amount_incl_vat: -6,
        currency: 'EUR',
        type: 'one_time',
        created_at: isoMicroseconds,
        filename: 'credit-notes/CN-000001.pdf',
      },
    ])
    await creditInvoice(world, { invoiceId, amount: '3' })
    const { data } = await get(world, '/v1/credit-notes')
    expect(data.map((row: { number: string; amount: number }) => [row.number, row.amount])).toEqual([
      ['000002', -2.5],
      ['000001', -5],
    ])
    expect(await get(world, '/v1/credit-notes', { period: 'yesterday' })).toMatchObject({
      data: [],
      meta: { total: 0 },
    })
  })

  const recorded = {
    idSubscription: 'S-1',
    name: 'Pro',
    amount: '9.90',
    paymentSource: 'card',
    rateMonths: 3,
    trial: true,
    paymentsLeft: 4,
    rebillDate: '2027-01-02T03:04:05.678Z',
  }
  const shown = {
    status: 'active',
    amount: 9.9,
    currency: 'EUR',
    payment_source: 'card',
    rate: '3 month(s)',
    trial: true,
    payments_left: 4,
    rebill_date: '2027-01-02 03:04:05',
    created_at: isoMicroseconds,
  }

  check('SUB-GET/success', 'returns all fields of a subscription', async () => {
    const world = await open()
    const { id } = await world.subscription(recorded)
    const buyer = {
      id_customer: await customerOf(world),
      email: 'buyer@example.com',
      firstname: 'Grace',
      lastname: 'Hopper',
    }
    expect(await get(world, '/v1/subscription', { subscription_id: id })).toEqual({
      success: true,
      data: { id, ...buyer, name: 'Pro', ...shown },
    })
    const endless = await world.subscription()
    expect((await get(world, '/v1/subscription', { subscription_id: endless.id })).data).toMatchObject({
      payments_left: 'unlimited',
      rate: '1 month(s)',
      trial: false,
      payment_source: '',
    })
  })

  check('SUB-LIST/success', 'lists newest first, filtered by status and period', async () => {
    const world = await open()
    const ids: number[] = []
    for (const status of ['ACTIVE', 'INACTIVE', 'ERROR']) ids.push((await world.subscription({ status })).id)
    const list = async (query = {}) =>
      (await get(world, '/v1/subscriptions', query)).data.map(({ id }: { id: number }) => id)
    expect(await list({ period: 'today' })).toEqual(ids.toReversed())
    for (const [index, status] of ['active', 'inactive', 'error'].entries())
      expect(await list({ status })).toEqual([ids[index]])
    expect(await list({ period: 'yesterday' })).toEqual([])
  })

  check('SUB-LIST/INVALID_STATUS', 'for an unknown status', async () => {
    const world = await open()
    for (const status of ['', 'Active', 'cancelled', 'ACTIVE']) {
      expectError(await world.call('GET', '/v1/subscriptions', { query: { status } }), 400, 'INVALID_STATUS')
    }
  })

  check('CON-GET/success', 'returns a summary of the active subscriptions of a contact', async () => {
    const world = await open()
    const contact = await world.contact()
    const { id } = await world.subscription({ ...recorded, customer: { email: contact.email } })
    await world.subscription({ status: 'ERROR', customer: { email: contact.email } })
    const { data } = await get(world, '/v1/contact', { contact_id: contact.id })
    expect(data.subscriptions).toEqual([{ id, ...shown }])
  })
})

describe('billing events', () => {
  const checkEvent = (type: string, act: (world: World) => Promise<unknown>) =>
    check(`EVENT/${type}`, 'is emitted once', async () => {
      const world = await newWorld(servers, 'in-process')
      await act(world)
      expect((await world.announced()).filter((announced) => announced === type)).toHaveLength(1)
    })
  const record = (status: string) => (world: World) =>
    recordTransaction(world, { idTransaction: 'T-1', customer, amount: '1', status })
  const subscription =
    (verb: string, input = {}) =>
    async (world: World) => {
      const { id } = await world.subscription(input)
      await world.graph(`mutation { subscription${verb}(input: { id: ${id} }) { subscription { id } } }`)
    }

  checkEvent('transaction.completed', record('COMPLETED'))
  checkEvent('transaction.refunded', record('REFUNDED'))
  checkEvent('transaction.error', record('ERROR'))
  checkEvent('invoice.created', (world) => issueInvoice(world, billed))
  checkEvent('invoice.paid', async (world) =>
    world.graph(`mutation { invoicePay(input: { id: ${await issueInvoice(world, billed)} }) { invoice { id } } }`),
  )
  checkEvent('credit_note.created', async (world) =>
    creditInvoice(world, { invoiceId: await issueInvoice(world, billed) }),
  )
  checkEvent('subscription.created', (world) => world.subscription())
  checkEvent('subscription.renewed', subscription('Renew'))
  checkEvent('subscription.payment_failed', subscription('Fail'))
  checkEvent('subscription.ended', subscription('Renew', { paymentsLeft: 1 }))
})
