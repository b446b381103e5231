import { describe, expect, it } from 'vitest'
import { newWorld, type World } from '../support/world.ts'
import { newShop, subdomain } from './documents.ts'

const Create =
  'mutation ($input: FunnelCreateInput!) { funnelCreate(input: $input) { funnel { id name type stepsCount } } }'
const Update = 'mutation ($input: FunnelUpdateInput!) { funnelUpdate(input: $input) { funnel { name type } } }'
const Delete = 'mutation ($id: ID!) { funnelDelete(input: { id: $id }) { deletedFunnelId } }'
const StepDelete = 'mutation ($id: ID!) { funnelStepDelete(input: { id: $id }) { deletedFunnelStepId } }'
const readUsage = async (world: World) =>
  (
    await world.rows<{ used: number }>("SELECT used FROM quota_usage WHERE account_id = $1 AND slot = 'funnels'", [
      world.accountId,
    ])
  )[0]?.used ?? 0

describe('funnelCreate', () => {
  it('creates a funnel without steps, of the type BLANK by default', async () => {
    const world = await newShop()
    expect(await world.run(Create, { input: { name: ' Spring ' } })).toMatchObject({
      funnelCreate: { funnel: { name: 'Spring', type: 'BLANK', stepsCount: 0 } },
    })
    for (const type of ['LEAD', 'SALES']) {
      const { funnelCreate } = await world.run(Create, { input: { name: 'x', type } })
      expect(funnelCreate.funnel).toMatchObject({ type, stepsCount: 0 })
    }
  })

  it('returns NO_SUBDOMAIN until the account has a subdomain, which it can set', async () => {
    const world = await newWorld()
    expect((await world.fault(Create, { input: { name: 'x' } })).extensions.code).toBe('NO_SUBDOMAIN')
    await world.run(
      'mutation ($subdomain: String!) { accountUpdate(input: { subdomain: $subdomain }) { account { id } } }',
      {
        subdomain: subdomain(),
      },
    )
    await world.run(Create, { input: { name: 'x' } })
  })

  it('returns VALIDATION_ERROR for a name that is empty, too long or cannot be stored', async () => {
    const world = await newShop()
    for (const name of ['', '  ', 'x'.repeat(256), 'a\0b', 'a\ud800b']) {
      expect((await world.fault(Create, { input: { name } })).extensions).toMatchObject({
        code: 'VALIDATION_ERROR',
        details: { 'input.name': [expect.any(String)] },
      })
    }
  })

  it('returns QUOTA_EXCEEDED at the quota, also concurrently, and a deletion releases it', async () => {
    const world = await newShop({ limits: { funnels: 3 } })
    const tries = await Promise.all(Array.from({ length: 8 }, () => world.ask(Create, { input: { name: 'x' } })))
    const codes = tries.flatMap(({ body }) => body.errors?.[0].extensions.code ?? [])
    expect(codes).toEqual(Array.from({ length: 5 }, () => 'QUOTA_EXCEEDED'))
    expect(await readUsage(world)).toBe(3)
    const created = tries.find(({ body }) => !body.errors)
    await world.run(Delete, { id: created?.body.data.funnelCreate.funnel.id })
    expect(await readUsage(world)).toBe(2)
    await world.run(Create, { input: { name: 'x' } })
    expect(await world.announced('quota.reached')).not.toEqual([])
  })

  it('creates one funnel per idempotency key', async () => {
    const world = await newShop()
    const ask = () => world.run(Create, { input: { name: 'x', idempotencyKey: 'one' } })
    expect(await ask()).toEqual(await ask())
    expect(await readUsage(world)).toBe(1)
  })

  it('requires the scope', async () => {
    const world = await newShop()
    const key = await world.key({ scopes: ['funnels:read'] })
    expect((await world.fault(Create, { input: { name: 'x' } }, { key })).extensions.code).toBe('FORBIDDEN')
    expect(
      (await world.fault('{ funnels { totalCount } }', {}, { key: await world.key({ scopes: ['mail:read'] }) }))
        .extensions.code,
    ).toBe('FORBIDDEN')
  })
})

describe('funnelUpdate', () => {
  it('changes only the fields that are sent', async () => {
    const world = await newShop()
    const { id, name } = await world.funnel()
    expect(await world.run(Update, { input: { id, type: 'SALES' } })).toEqual({
      funnelUpdate: { funnel: { name, type: 'SALES' } },
    })
    expect(await world.run(Update, { input: { id, name: 'New', type: null } })).toEqual({
      funnelUpdate: { funnel: { name: 'New', type: 'SALES' } },
    })
    expect(await world.run(Update, { input: { id } })).toEqual({
      funnelUpdate: { funnel: { name: 'New', type: 'SALES' } },
    })
  })

  it("returns NOT_FOUND for another account's funnel", async () => {
    const world = await newShop()
    const other = await world.other({ subdomain: subdomain() })
    const { id } = await other.funnel()
    expect((await world.fault(Update, { input: { id, name: 'x' } })).extensions.code).toBe('NOT_FOUND')
    expect((await world.fault(Delete, { id })).extensions.code).toBe('NOT_FOUND')
    expect(await world.run('query ($id: ID!) { funnel(id: $id) { id } }', { id })).toEqual({ funnel: null })
  })
})

describe('funnels', () => {
  it('are listed with their steps, filtered, searched and sorted', async () => {
    const world = await newShop()
    await world.funnel({ name: 'Spring leads' })
    const sales = await world.funnel({ name: 'Autumn 100%', type: 'SALES' })
    const { form } = await world.step(sales)
    const document = `query ($filter: FunnelFilterInput, $orderBy: [FunnelOrderInput!]) { funnels(filter: $filter, orderBy: $orderBy) {
      totalCount nodes { name stepsCount steps { path url position type } } } }`
    const { account } = await world.run('{ account { subdomain funnels { totalCount } } }')
    expect(account.funnels.totalCount).toBe(2)
    const found = async (filter: object) => (await world.run(document, { filter })).funnels
    expect((await found({})).nodes.map(({ name }: { name: string }) => name)).toEqual(['Autumn 100%', 'Spring leads'])
    expect(await found({ type: 'SALES', search: '100%', createdAt: { period: 'TODAY' } })).toEqual({
      totalCount: 1,
      nodes: [
        {
          name: 'Autumn 100%',
          stepsCount: 1,
          steps: [
            {
              path: 'welcome',
              position: 1,
              type: 1,
              url: expect.stringMatching(new RegExp(`^http.*/p/${account.subdomain}/${sales.databaseId}/welcome$`)),
            },
          ],
        },
      ],
    })
    const names = async (variables: object) =>
      (await world.run(document, variables)).funnels.nodes.map(({ name }: { name: string }) => name)
    for (const [filter, expected] of [
      [{ type: ['LEAD', 'BLANK'] }, ['Spring leads']],
      [{ id: { in: [sales.id] } }, ['Autumn 100%']],
      [{ name: { contains: '00%' } }, ['Autumn 100%']],
      [{ search: 'leads spr' }, ['Spring leads']],
      [{ createdAt: { period: 'YESTERDAY' } }, []],
      [{ forms: { any: [form.id] } }, ['Autumn 100%']],
      [{ forms: { none: [form.databaseId] } }, ['Spring leads']],
      [{ forms: { exists: false } }, ['Spring leads']],
    ] as const) {
      expect(await names({ filter }), JSON.stringify(filter)).toEqual(expected)
    }
    for (const field of ['NAME', 'TYPE']) {
      const [first, second] = field === 'NAME' ? ['Autumn 100%', 'Spring leads'] : ['Spring leads', 'Autumn 100%']
      expect(await names({ orderBy: { field, direction: 'ASC' } })).toEqual([first, second])
    }
    const key = await world.key({ scopes: ['funnels:read'] })
    const hidden = await world.fault(document, { filter: { forms: { any: [form.id] } } }, { key })
    expect(hidden.extensions.code).toBe('FORBIDDEN')
  })
})

describe('funnelDelete', () => {
  it('deletes the steps, keeps submissions, and queues the deletion of visits', async () => {
    const world = await newShop()
    const funnel = await world.funnel()
    const [kept, dropped] = [await world.step(funnel), await world.step(funnel)]
    await world.submission(kept.form)
    await world.run(Delete, { id: funnel.id })
    const { node, nodes } = await world.run(
      'query ($id: ID!, $ids: [ID!]!) { node(id: $id) { id } nodes(ids: $ids) { ... on Form { status step { id } } } }',
      { id: kept.id, ids: [kept.form.id, dropped.form.id] },
    )
    expect(node).toBeNull()
    expect(nodes).toEqual([{ status: 'ARCHIVED', step: null }, null])
    expect(await readUsage(world)).toBe(0)
    const jobs = await world.rows<{ payload: object }>(
      `SELECT j.payload FROM graphile_worker._private_jobs j JOIN graphile_worker._private_tasks t ON t.id = j.task_id
       WHERE t.identifier = 'funnels:clean_up_visits'`,
    )
    expect(jobs.map(({ payload }) => payload)).toContainEqual({
      accountId: world.accountId,
      funnelId: funnel.databaseId,
    })
  })

  it('deletes once if called concurrently, and no step is added to a deleted funnel', async () => {
    const world = await newShop()
    const funnel = await world.funnel()
    const responses = await Promise.all([
      world.ask(Delete, { id: funnel.id }),
      world.ask(Delete, { id: funnel.id }),
      world.ask(`mutation ($id: ID!) { funnelStepCreate(input: { funnelId: $id, name: "x" }) { step { id } } }`, {
        id: funnel.id,
      }),
    ])
    const deleted = responses
      .slice(0, 2)
      .map(({ body }) => body.errors?.[0].extensions.code ?? 'done')
      .sort()
    expect(deleted).toEqual(['NOT_FOUND', 'done'])
    expect(await world.rows('SELECT 1 FROM funnel_step WHERE account_id = $1', [world.accountId])).toEqual([])
    expect(await readUsage(world)).toBe(0)
  })

  it('closes the gap in the order of steps when a step is deleted', async () => {
    const world = await newShop()
    const funnel = await world.funnel()
    const [first] = [await world.step(funnel), await world.step(funnel), await world.step(funnel)]
    await world.run(StepDelete, { id: first?.id })
    const { steps } = (await world.run('query ($id: ID!) { funnel(id: $id) { steps { path position } } }', funnel))
      .funnel
    expect(steps).toEqual([
      { path: 'welcome-1', position: 1 },
      { path: 'welcome-2', position: 2 },
    ])
  })
})
