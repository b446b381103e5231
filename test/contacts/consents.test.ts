import { describe, expect, it } from 'vitest'
import { objectsOf } from '../account/exporting.ts'
import { newWorld, type World } from '../support/world.ts'

const Consents = `query ($id: ID!) { contact(ref: { id: $id }) {
  consents(first: 10) { totalCount nodes { kind granted source text ip createdAt } } } }`
const Update = 'mutation ($input: ContactUpdateInput!) { contactUpdate(input: $input) { contact { id } } }'
const Unsubscribe =
  'mutation ($input: ContactUnsubscribeInput!) { contactUnsubscribe(input: $input) { contact { id } } }'

describe('consents', () => {
  it('are recorded with origin and text when they are given or withdrawn', async () => {
    const world = await newWorld()
    const consent = { source: 'form: news', text: 'Yes, write to me.', ip: '2001:db8::1' }
    const { id } = await world.contact({ emailMarketing: true, gdpr: true, consent })
    await world.run(Update, { input: { contact: { id }, gdpr: true, emailMarketing: true } })
    await world.run(Update, { input: { contact: { id }, gdpr: false } })
    await world.run(Unsubscribe, { input: { contact: { id }, consent: { source: 'link' } } })
    await world.run(Unsubscribe, { input: { contact: { id }, consent: { source: 'again' } } })

    const { consents } = (await world.run(Consents, { id })).contact
    expect(consents.totalCount).toBe(4)
    const [last, before, ...first] = consents.nodes
    expect(last).toMatchObject({ kind: 'EMAIL_MARKETING', granted: false, source: 'link', text: '', ip: '' })
    expect(before).toMatchObject({ kind: 'GDPR', granted: false, source: 'api', text: '', ip: '' })
    expect(first.map(({ kind }: { kind: string }) => kind).sort()).toEqual(['EMAIL_MARKETING', 'GDPR'])
    for (const each of first) expect(each).toMatchObject({ granted: true, ...consent })
  })

  it('are empty for a contact that gave none', async () => {
    const world = await newWorld()
    const { id } = await world.contact({ consent: { source: 'import' } })
    expect((await world.run(Consents, { id })).contact.consents).toEqual({ totalCount: 0, nodes: [] })
  })

  it.each([
    ['source', 256],
    ['text', 5_001],
    ['ip', 46],
  ])('return VALIDATION_ERROR for a %s of %i characters', async (field, length) => {
    const world = await newWorld()
    const { id } = await world.contact()
    const fault = await world.fault(Update, {
      input: { contact: { id }, gdpr: true, consent: { [field]: 'x'.repeat(length) } },
    })
    expect(fault.extensions.code).toBe('VALIDATION_ERROR')
    expect(JSON.stringify(fault.extensions.details)).toContain(field)
    expect((await world.run(Consents, { id })).contact.consents.totalCount).toBe(0)
  })

  /** Creates a contact that gives both consents and later withdraws both. */
  const createContactWithHistory = async (world: World) => {
    const contact = await world.contact({ emailMarketing: true })
    await world.run(Update, { input: { contact: { id: contact.id }, gdpr: true } })
    await world.run(Update, { input: { contact: { id: contact.id }, gdpr: false } })
    await world.run(Unsubscribe, { input: { contact: { id: contact.id } } })
    return contact
  }
  const history = ['EMAIL_MARKETING true', 'GDPR true', 'GDPR false', 'EMAIL_MARKETING false']
  const toText = ({ kind, granted }: { kind?: unknown; granted?: unknown }) => `${kind} ${granted}`

  it('are filtered by purpose and by whether they were given', async () => {
    const world = await newWorld()
    const { id } = await createContactWithHistory(world)
    await createContactWithHistory(world)
    const document = `query ($id: ID!, $filter: ConsentFilterInput) { contact(ref: { id: $id }) {
      consents(filter: $filter, orderBy: { field: CREATED_AT, direction: ASC }) { totalCount nodes { kind granted } } } }`
    const filtered = async (filter: object) => {
      const { nodes, totalCount } = (await world.run(document, { id, filter })).contact.consents
      expect(nodes).toHaveLength(totalCount)
      return nodes.map(toText)
    }
    expect(await filtered({})).toEqual(history)
    expect(await filtered({ kind: ['GDPR'] })).toEqual([history[1], history[2]])
    expect(await filtered({ kind: ['GDPR', 'EMAIL_MARKETING'] })).toEqual(history)
    expect(await filtered({ kind: [] })).toEqual([])
    expect(await filtered({ granted: true })).toEqual([history[0], history[1]])
    expect(await filtered({ granted: false })).toEqual([history[2], history[3]])
    expect(await filtered({ granted: false, kind: ['EMAIL_MARKETING'] })).toEqual([history[3]])
  })

  it('are paginated in either order', async () => {
    const world = await newWorld()
    const { id } = await createContactWithHistory(world)
    const document = `query ($id: ID!, $orderBy: [ConsentOrderInput!], $after: String) { contact(ref: { id: $id }) {
      consents(first: 3, after: $after, orderBy: $orderBy) { nodes { kind granted } pageInfo { endCursor } } } }`
    const allConsents = async (orderBy: object | null) => {
      const first = (await world.run(document, { id, orderBy })).contact.consents
      const after = first.pageInfo.endCursor
      return [...first.nodes, ...(await world.run(document, { id, orderBy, after })).contact.consents.nodes].map(toText)
    }
    expect(await allConsents({ direction: 'ASC' })).toEqual(history)
    expect(await allConsents({ direction: 'DESC' })).toEqual(history.toReversed())
    expect(await allConsents(null)).toEqual(history.toReversed())
  })

  it('are exported with the same filter', async () => {
    const world = await newWorld()
    await createContactWithHistory(world)
    const rows = await objectsOf(world, 'CONSENTS', { consents: { kind: ['GDPR'], granted: false } })
    expect(rows.map(toText)).toEqual(['gdpr false'])
  })

  it('are paginated inside a page of contacts', async () => {
    const world = await newWorld()
    for (let count = 0; count < 3; count += 1) {
      const { id } = await world.contact({ gdpr: true })
      for (const gdpr of [false, true, false]) await world.run(Update, { input: { contact: { id }, gdpr } })
    }
    const document = `query ($after: String) { contacts { nodes { consents(first: 2, after: $after) {
      nodes { id granted } pageInfo { hasNextPage endCursor } } } } }`
    const { contacts } = await world.run(document)
    for (const { consents } of contacts.nodes) {
      expect(consents.nodes.map(({ granted }: { granted: boolean }) => granted)).toEqual([false, true])
      expect(consents.pageInfo.hasNextPage).toBe(true)
    }
    const after = contacts.nodes[0].consents.pageInfo.endCursor
    const rest = (await world.run(document, { after })).contacts.nodes[0].consents
    expect(rest.nodes.map(({ granted }: { granted: boolean }) => granted)).toEqual([false, true])
    expect(rest.pageInfo.hasNextPage).toBe(false)
  })
})
