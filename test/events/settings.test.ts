import { expect, it } from 'vitest'
import { accounts } from '../../src/account/index.ts'
import { settled } from '../support/settled.ts'
import { newWorld } from '../support/world.ts'

const Events = `query ($types: [EventType!]) { events(first: 50, filter: { types: $types }) { nodes { name
  ... on ApiKeyChangeEvent { apiKey { name disabledAt } }
  ... on BillingProfileChangeEvent { billingProfile { companyName } }
  ... on AccountChangeEvent { account { name plan } }
  ... on DkimKeyChangeEvent { dkimKeyId dkimKey { selector } } } } }`

it('the events of API keys reach only keys with full access', async () => {
  const world = await newWorld()
  const Create = 'mutation { apiKeyCreate(input: { name: "new", scopes: [ACCOUNT_READ] }) { key } }'
  const { key } = (await world.run(Create)).apiKeyCreate
  const types = ['API_KEY_CREATED']
  await settled(world)
  expect((await world.run(Events, { types })).events.nodes).toMatchObject([
    { name: 'api_key.created', apiKey: { name: 'new', disabledAt: null } },
  ])
  expect((await world.run(Events, {}, { key })).events.nodes).toEqual([])
  expect((await world.fault(Events, { types }, { key })).message).toContain('full access')
  expect(await (await newWorld()).announced('*')).toEqual([])
})

it('a change to the free trial announces the account and each key that it disables', async () => {
  const world = await newWorld()
  await world.key()
  await accounts.update(world.server.system, { id: world.accountId, plan: 'FREE_TRIAL' })
  await accounts.update(world.server.system, { id: world.accountId, plan: 'FREE_TRIAL' })
  const types = (await world.announced('*')).map(({ type }) => type)
  expect(types).toEqual(['api_key.disabled', 'api_key.disabled', 'account.updated', 'account.updated'])
})

it('an API key that is disabled again announces nothing', async () => {
  const world = await newWorld()
  const { databaseId: id } = (
    await world.run('mutation { apiKeyCreate(input: { scopes: [FULL_ACCESS] }) { apiKey { databaseId } } }')
  ).apiKeyCreate.apiKey
  const Disable = 'mutation ($id: ID!) { apiKeyDisable(input: { id: $id }) { apiKey { disabledAt } } }'
  for (let time = 0; time < 2; time += 1) await world.run(Disable, { id })
  expect(await world.announced('api_key.disabled')).toHaveLength(1)
})

it('the events of settings contain them as they are at delivery', async () => {
  const world = await newWorld()
  await world.run('mutation { accountUpdate(input: { name: "A" }) { account { id } } }')
  await world.run('mutation { billingProfileUpdate(input: { companyName: "B" }) { billingProfile { companyName } } }')
  await world.run('mutation { billingProfileUpdate(input: {}) { billingProfile { companyName } } }')
  await settled(world)
  expect((await world.run(Events)).events.nodes).toMatchObject([
    { name: 'billing_profile.updated', billingProfile: { companyName: 'B' } },
    { name: 'account.updated', account: { name: 'A' } },
  ])
})

it('a DKIM key that replaces another one is an update, and its deletion keeps its ID', async () => {
  const world = await newWorld()
  for (const selector of ['one', 'two'])
    await world.run(
      'mutation ($selector: String!) { dkimKeySet(input: { domain: "example.com", selector: $selector }) { dkimKey { id } } }',
      { selector },
    )
  const read = async () => {
    await settled(world)
    return (await world.run(Events)).events.nodes
  }
  const [second, first] = await read()
  expect([first, second]).toMatchObject([
    { name: 'dkim_key.created', dkimKey: { selector: 'two' } },
    { name: 'dkim_key.updated', dkimKey: { selector: 'two' } },
  ])
  await world.run('mutation { dkimKeyRemove(input: { domain: "example.com" }) { domain } }')
  expect((await read())[0]).toEqual({ name: 'dkim_key.deleted', dkimKeyId: first.dkimKeyId, dkimKey: null })
})
