import { beforeAll, describe, expect, it } from 'vitest'
import { newWorld, type World } from '../support/world.ts'

const values = 'isExact values { value label count }'
const Contacts = `query ($field: ContactFacetField!, $first: Int, $customFieldId: ID, $filter: ContactFilterInput) {
  contacts(filter: $filter) { facet(field: $field, first: $first, customFieldId: $customFieldId) { ${values} } } }`
const Submissions = `query ($field: SubmissionFacetField!, $questionId: ID, $filter: SubmissionFilterInput) {
  submissions(filter: $filter) { facet(field: $field, questionId: $questionId) { ${values} } } }`
const Orders = `query ($field: OrderFacetField!, $filter: OrderFilterInput) { orders(filter: $filter) { facet(field: $field) { ${values} } } }`

type Counts = readonly (readonly [value: string, count: number, label?: string])[]
const facet = (counts: Counts) => ({
  isExact: true,
  values: counts.map(([value, count, label = value]) => ({ value, label, count })),
})

describe('facets of contacts', () => {
  let world: World
  let ids: Readonly<Record<'vip' | 'news' | 'size' | 'note', string>>

  beforeAll(async () => {
    world = await newWorld()
    const [vip, news] = [await world.tag('VIP'), await world.tag('News')]
    const size = await world.customField({ type: 'SELECT', values: ['S', 'M'] })
    const note = await world.customField({ type: 'TEXT' })
    ids = { vip: vip.id, news: news.id, size: size.id, note: note.id }
    const people = [
      { country: 'France', addTagIds: [vip.id, news.id], size: 'M' },
      { country: 'france', addTagIds: [news.id], size: 'M', emailMarketing: true },
      { country: 'Italy', size: 'S' },
      { country: '' },
    ]
    for (const { size: value, ...input } of people) {
      const contact = await world.contact(input)
      if (!value) continue
      await world.run('mutation ($input: ContactFieldSetInput!) { contactFieldSet(input: $input) { value } }', {
        input: { contact: { id: contact.id }, customFieldId: size.id, value },
      })
    }
    // The other account has the same values, which must not be counted.
    const other = await world.other()
    await other.contact({ country: 'Italy' })
  })

  const read = async (field: string, more: object = {}) =>
    (await world.run(Contacts, { field, ...more })).contacts.facet

  it('count the values of a column, regardless of case, without the empty one', async () => {
    expect(await read('COUNTRY')).toEqual(
      facet([
        ['France', 2],
        ['Italy', 1],
      ]),
    )
    expect(await read('EMAIL_MARKETING')).toEqual(
      facet([
        ['false', 3],
        ['true', 1],
      ]),
    )
  })

  it('count only what matches the filter of the list', async () => {
    expect(await read('COUNTRY', { filter: { tags: { any: [ids.vip] } } })).toEqual(facet([['France', 1]]))
    expect(await read('COUNTRY', { filter: { or: [] } })).toEqual(facet([]))
  })

  it('count tags by their ID, with their name, and the options of a custom field', async () => {
    expect(await read('TAG')).toEqual(
      facet([
        [ids.news, 2, 'News'],
        [ids.vip, 1, 'VIP'],
      ]),
    )
    expect(await read('CUSTOM_FIELD', { customFieldId: ids.size })).toEqual(
      facet([
        ['M', 2],
        ['S', 1],
      ]),
    )
  })

  it('return the first values', async () => {
    expect(await read('COUNTRY', { first: 1 })).toEqual(facet([['France', 2]]))
  })

  it('count inside of each parent', async () => {
    const { tags } = await world.run(
      `{ tags(orderBy: { field: NAME, direction: ASC }) { nodes { name contacts { facet(field: COUNTRY) { ${values} } } } } }`,
    )
    expect(tags.nodes).toEqual([
      { name: 'News', contacts: { facet: facet([['France', 2]]) } },
      { name: 'VIP', contacts: { facet: facet([['France', 1]]) } },
    ])
    const segment = await world.segment({ country: { eq: 'Italy' } })
    const document = `query ($id: ID!) { segment(id: $id) { contacts { facet(field: COUNTRY) { ${values} } } } }`
    expect((await world.run(document, { id: segment.id })).segment.contacts.facet).toEqual(facet([['Italy', 1]]))
  })

  it('need the scope of the list', async () => {
    const key = await world.key({ scopes: ['forms:read'] })
    expect((await world.fault(Contacts, { field: 'TAG' }, { key })).extensions.code).toBe('FORBIDDEN')
  })

  it('of a custom field that does not exist have no values', async () => {
    expect(await read('CUSTOM_FIELD', { customFieldId: 999_999 })).toEqual(facet([]))
  })

  it.each([
    [() => ({ field: 'COUNTRY', first: 0 }), 'first', 'must be a whole number from 1 to 50'],
    [() => ({ field: 'COUNTRY', first: 51 }), 'first', 'must be a whole number from 1 to 50'],
    [() => ({ field: 'CUSTOM_FIELD' }), 'customFieldId', 'is required for the facet CUSTOM_FIELD'],
    [() => ({ field: 'TAG', customFieldId: ids.size }), 'customFieldId', 'is not allowed for the facet TAG'],
    [() => ({ field: 'CUSTOM_FIELD', customFieldId: ids.vip }), 'customFieldId', 'must be the id of a CustomField'],
    [
      () => ({ field: 'CUSTOM_FIELD', customFieldId: ids.note }),
      'customFieldId',
      'must be the id of a custom field of the type SELECT or BOOLEAN',
    ],
  ])('return VALIDATION_ERROR: case %#', async (variables, path, message) => {
    const { extensions } = await world.fault(Contacts, variables())
    expect(extensions).toMatchObject({ code: 'VALIDATION_ERROR', details: { [path]: [message] } })
  })
})

it('of orders count statuses, currencies and products', async () => {
  const world = await newWorld()
  const line = (name: string) => ({ name, unitPrice: '10', vatRate: '0' })
  await world.order({
    status: 'COMPLETED',
    lines: [line('Bowl'), line('bowl'), line('Cup')],
    attribution: [{ key: 'UTM_SOURCE', value: 'news' }],
  })
  await world.order({ currency: 'USD' })
  const read = async (field: string) => (await world.run(Orders, { field })).orders.facet
  expect(await read('STATUS')).toEqual(
    facet([
      ['COMPLETED', 1],
      ['WAITING', 1],
    ]),
  )
  expect(await read('CURRENCY')).toEqual(
    facet([
      ['EUR', 1],
      ['USD', 1],
    ]),
  )
  expect((await read('PRODUCT')).values.map(({ count }: { count: number }) => count)).toEqual([1, 1])
  expect(await read('UTM_SOURCE')).toEqual(facet([['news', 1]]))
})

it('of submissions count outcomes, forms and answers', async () => {
  const world = await newWorld()
  const form = await world.form({
    questions: [
      { label: 'Which?', type: 'MULTIPLE_CHOICE', options: ['a', 'b'] },
      { label: 'Why?', type: 'SHORT_TEXT' },
    ],
    outcomes: [{ key: 'cold', title: 'Cold', bucket: 'COLD' }],
  })
  const [which, why] = form.questions
  await world.submission(form, { answers: [{ questionId: which?.id, values: ['a', 'b'] }], complete: true })
  await world.submission(form, { answers: [{ questionId: which?.id, values: ['b'] }] })
  const read = async (field: string, more: object = {}) =>
    (await world.run(Submissions, { field, ...more })).submissions.facet
  expect(await read('OUTCOME')).toEqual(facet([['cold', 1, 'Cold']]))
  expect(await read('STATUS')).toEqual(
    facet([
      ['COMPLETED', 1],
      ['IN_PROGRESS', 1],
    ]),
  )
  expect((await read('FORM')).values).toMatchObject([{ value: form.id, count: 2 }])
  expect(await read('ANSWER', { questionId: which?.id })).toEqual(
    facet([
      ['b', 2],
      ['a', 1],
    ]),
  )
  expect(await read('ANSWER', { questionId: which?.id, filter: { status: ['COMPLETED'] } })).toEqual(
    facet([
      ['a', 1],
      ['b', 1],
    ]),
  )
  const { extensions } = await world.fault(Submissions, { field: 'ANSWER', questionId: why?.id })
  expect(extensions.details).toEqual({ questionId: ['must be the id of a question with a fixed set of answers'] })
})
