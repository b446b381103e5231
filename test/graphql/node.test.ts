import { describe, expect, it } from 'vitest'
import { type Named, newWorld } from '../support/world.ts'

const Node = 'query ($id: ID!) { node(id: $id) { __typename id databaseId } }'
const Nodes = 'query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id databaseId } }'
const encoded = (text: string) => Buffer.from(text).toString('base64url')

describe('node', () => {
  it('finds every type with a global ID', async () => {
    const world = await newWorld()
    const { account } = await world.run('{ account { id databaseId } }')
    const { nodes } = (await world.run('{ apiKeys { nodes { id databaseId } } }')).apiKeys
    const contact = await world.contact()
    const sequence = await world.sequence()
    const stage = await world.stage(sequence)
    const campaign = await world.campaign()
    const funnel = await world.funnel()
    const { customer, ...order } = await world.order()
    const invoice = await world.invoice()
    const { questions, outcomes, ...form } = await world.form({
      outcomes: [{ key: 'end', title: 'The end', bucket: 'COLD' }],
    })
    const { contactImport } = (
      await world.run(
        'mutation { contactImportCreate(input: { fileName: "c.csv", csv: "email\\na@example.com" }) { contactImport { id databaseId } } }',
      )
    ).contactImportCreate
    const all = {
      ContactImport: contactImport,
      Form: form,
      Question: questions[0] as Named,
      Outcome: outcomes[0] as Named,
      Submission: await world.submission(form),
      Account: account,
      ApiKey: nodes[0],
      Contact: contact,
      Sequence: sequence,
      SequenceStage: stage,
      Enrolment: await world.subscribe(contact, sequence),
      Campaign: campaign,
      Funnel: funnel,
      FunnelStep: await world.step(funnel),
      Email: campaign.email,
      Tag: await world.tag(),
      Segment: await world.segment(),
      Webhook: await world.webhook(),
      CustomField: await world.customField(),
      Customer: customer,
      Order: order,
      Transaction: await world.transaction(),
      Invoice: invoice,
      CreditNote: await world.creditNote(invoice),
      BillingSubscription: await world.subscription(),
    }
    for (const [type, { id, databaseId }] of Object.entries(all)) {
      expect(await world.run(Node, { id })).toEqual({ node: { __typename: type, id, databaseId } })
    }
    const types = await world.run('{ __type(name: "Node") { possibleTypes { name } } }')
    expect(types.__type.possibleTypes.map(({ name }: { name: string }) => name).sort()).toEqual(Object.keys(all).sort())
  })

  it('accepts an ID only in its exact form', async () => {
    const world = await newWorld()
    const { id, databaseId } = await world.contact()
    const wrong = [
      `Contact:${databaseId}abc`,
      `Contact:0${databaseId}`,
      `Contact: ${databaseId}`,
      `contact:${databaseId}`,
      `Contact:${databaseId}\n`,
      `Contact:+${databaseId}`,
      `Nothing:${databaseId}`,
      `ContactConnection:${databaseId}`,
      `__proto__:${databaseId}`,
      `constructor:${databaseId}`,
      'Contact:0',
      'Contact:-1',
      'Contact:99999999999',
      'Contact:2147483648',
      'Contact:',
      'Contact',
    ].map(encoded)
    for (const each of [...wrong, `${id}=`, `${id}==`, ` ${id}`, `${id}A`, String(databaseId), '', 'Ω']) {
      expect(await world.run(Node, { id: each }), JSON.stringify(each)).toEqual({ node: null })
    }
    expect(await world.run(Node, { id })).toMatchObject({ node: { id } })
  })

  it('returns null for a deleted row', async () => {
    const world = await newWorld()
    const { id } = await world.tag()
    await world.run('mutation ($id: ID!) { tagDelete(input: { id: $id }) { deletedTagId } }', { id })
    expect(await world.run(Node, { id })).toEqual({ node: null })
  })
})

describe('nodes', () => {
  it('keeps the order of the request, duplicates, and null for unknown IDs', async () => {
    const world = await newWorld()
    const contact = await world.contact()
    const tag = await world.tag()
    const ids = [tag.id, encoded('Contact:2147483647'), contact.id, 'junk', tag.id]
    const { nodes } = await world.run(Nodes, { ids })
    expect(nodes.map((node: { id: string } | null) => node?.id ?? null)).toEqual([
      tag.id,
      null,
      contact.id,
      null,
      tag.id,
    ])
    expect(await world.run(Nodes, { ids: [] })).toEqual({ nodes: [] })
  })

  it('accepts 100 IDs at most', async () => {
    const world = await newWorld()
    const ids = (count: number) => Array.from({ length: count }, (_, index) => encoded(`Tag:${index + 1}`))
    expect((await world.run(Nodes, { ids: ids(100) })).nodes).toHaveLength(100)
    expect((await world.fault(Nodes, { ids: ids(101) })).extensions).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { ids: [expect.any(String)] },
    })
  })
})
