import { describe, expect, it } from 'vitest'
import { newWorld } from '../support/world.ts'

const Consents = `query ($id: ID!) { contact(ref: { id: $id }) {
  consents(first: 10) { totalCount nodes { kind granted source text ip createdAt } } } }`
const Update = 'mutation ($input: ContactUpdateInput!) { contactUpdate(input: $input) { contact { id } } }'
const Unsubscribe =
  'mutation ($input: ContactUnsubscribeInput!) { contactUnsubscribe(input: $input) { contact { id } } }'

describe('consents', () => {
  it('are kept for each that was given or withdrawn: where it came from, and the words that were shown', async () => {
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

  it('are none where a contact agreed to nothing', async () => {
    const world = await newWorld()
    const { id } = await world.contact({ consent: { source: 'import' } })
    expect((await world.run(Consents, { id })).contact.consents).toEqual({ totalCount: 0, nodes: [] })
  })

  it.each([
    ['source', 256],
    ['text', 5_001],
    ['ip', 46],
  ])('refuse a %s of %i characters', async (field, length) => {
    const world = await newWorld()
    const { id } = await world.contact()
    const fault = await world.fault(Update, {
      input: { contact: { id }, gdpr: true, consent: { [field]: 'x'.repeat(length) } },
    })
    expect(fault.extensions.code).toBe('VALIDATION_ERROR')
    expect(JSON.stringify(fault.extensions.details)).toContain(field)
    expect((await world.run(Consents, { id })).contact.consents.totalCount).toBe(0)
  })

  it('are read page by page, inside many contacts at once', async () => {
    const world = await newWorld()
    for (let made = 0; made < 3; made += 1) {
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
