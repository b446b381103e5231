import { describe, expect, it } from 'vitest'
import type { World } from '../support/world.ts'
import { Create, importCsv, listContacts, useImportServer } from './imports.ts'

const open = useImportServer()
const countEvents = async (world: World) => {
  const types = (await world.announced('*'))
    .map(({ type }) => type)
    .filter((type) => !type.startsWith('contact_import'))
  return Object.fromEntries([...Map.groupBy(types, (type) => type)].map(([type, each]) => [type, each.length]))
}

const ada = {
  email: 'Ada@Example.com',
  firstName: 'Ada',
  lastName: 'Love, "lace"',
  phone: '+33 1 23',
  companyName: 'Engines\nLtd',
  city: 'Paris',
  country: 'France',
  emailMarketing: true,
  gdpr: false,
}

describe('contactImportCreate', () => {
  it('creates a contact with all fields of its row and emits the events of contactCreate', async () => {
    const world = await open()
    const size = await world.customField({ name: 'Size', type: 'SELECT', values: ['S', 'L'] })
    await world.customField({ name: 'Born', type: 'DATE' })
    await world.tag('news')
    const csv = `E-Mail,first_name,Last Name,phone,company,city,country,email_marketing,gdpr,Tags,Size,custom_fields.Born,nonsense
Ada@Example.com,Ada,"Love, ""lace""",+33 1 23,"Engines\nLtd",Paris,France,yes,0,"news; vip,""a;b""",L,1815-12-10,x\r\n`
    const done = await importCsv(world, csv, { fileName: 'people.csv', consent: { source: 'shop', text: 'Yes' } })
    expect(done).toMatchObject({ status: 'COMPLETED', error: '', rowsTotal: 1, rowsDone: 1, created: 1, failed: 0 })
    expect(done.columns.slice(-3)).toEqual([
      { column: 'Size', position: 11, field: 'CUSTOM_FIELD', dateOrder: null, customField: { name: 'Size' } },
      {
        column: 'custom_fields.Born',
        position: 12,
        field: 'CUSTOM_FIELD',
        dateOrder: null,
        customField: { name: 'Born' },
      },
      { column: 'nonsense', position: 13, field: 'IGNORED', dateOrder: null, customField: null },
    ])
    expect(await listContacts(world)).toEqual([
      {
        ...ada,
        tags: [{ name: 'a;b' }, { name: 'news' }, { name: 'vip' }],
        customFields: [
          { label: 'Size', value: 'L' },
          { label: 'Born', value: '1815-12-10' },
        ],
        consents: { nodes: [{ kind: 'EMAIL_MARKETING', granted: true, source: 'shop', text: 'Yes' }] },
      },
    ])
    expect(await countEvents(world)).toEqual({
      'custom_field.created': 2,
      'tag.created': 3,
      'contact.created': 1,
      'contact.tag_added': 3,
      'contact.field_updated': 2,
    })
    expect(await world.announced('contact.field_updated')).toContainEqual({
      type: 'contact.field_updated',
      data: { contactId: expect.any(Number), customFieldId: size.databaseId, value: 'L' },
    })
    const { quota } = (await world.run('{ account { quota { contacts { used } } } }')).account
    expect(quota.contacts.used).toBe(1)
  })

  it('updates existing contacts only if their row differs', async () => {
    const world = await open()
    const sequence = await world.sequence()
    await world.stage(sequence)
    const contact = await world.contact({
      email: 'ada@example.com',
      firstName: 'Ada',
      city: 'Paris',
      emailMarketing: true,
    })
    await world.contact({ email: 'bob@example.com', firstName: 'Bob' })
    await world.contact({ email: 'eve@example.com', gdpr: true })
    await world.subscribe(contact, sequence)
    const before = await countEvents(world)
    const csv =
      'email;first_name;city;email_marketing\nADA@example.com;;Rome;no\nbob@example.com;Bob;;\neve@example.com;;;1\n'
    const done = await importCsv(world, csv)
    expect(done).toMatchObject({ rowsTotal: 3, created: 0, updated: 2, unchanged: 1, failed: 0 })
    expect(await listContacts(world)).toMatchObject([
      { email: 'ada@example.com', firstName: 'Ada', city: 'Rome', emailMarketing: false },
      { email: 'bob@example.com', firstName: 'Bob' },
      { email: 'eve@example.com', emailMarketing: true, gdpr: true },
    ])
    const after = await countEvents(world)
    expect(after).toEqual({
      ...before,
      'contact.updated': 2,
      'contact.unsubscribed': 1,
      'contact.resubscribed': 1,
      'sequence.unsubscribed': 1,
    })
  })

  it('removes only contacts that withdraw their consent from sequences', async () => {
    const world = await open()
    const sequence = await world.sequence()
    await world.stage(sequence)
    for (const [email, emailMarketing] of [
      ['agreed@example.com', true],
      ['never@example.com', false],
    ] as const) {
      await world.contact({ email, emailMarketing, addSequenceIds: [sequence.id] })
    }
    await importCsv(world, 'email,email_marketing\nagreed@example.com,no\n never@example.com ,no\n')
    const { contacts } = await world.run(
      '{ contacts(first: 2, orderBy: { field: EMAIL, direction: ASC }) { nodes { email sequences { id } } } }',
    )
    expect(contacts.nodes.map((each: { email: string; sequences: [] }) => [each.email, each.sequences.length])).toEqual(
      [
        ['agreed@example.com', 0],
        ['never@example.com', 1],
      ],
    )
  })

  it('links a new contact to earlier orders of its e-mail address', async () => {
    const world = await open()
    await world.run(
      `mutation { orderRecord(input: { idOrder: "1", amount: "1.00", customer: { email: "Late@example.com" } }) { order { id } } }`,
    )
    await importCsv(world, 'email\nlate@example.com\n')
    const { contacts } = await world.run('{ contacts(first: 1) { nodes { orders(first: 1) { totalCount } } } }')
    expect(contacts.nodes).toEqual([{ orders: { totalCount: 1 } }])
  })

  it('skips existing contacts if updateExisting is false', async () => {
    const world = await open()
    const tag = await world.tag()
    await world.contact({ email: 'ada@example.com', firstName: 'Ada' })
    const input = { updateExisting: false, addTagIds: [tag.id], emailMarketing: true }
    const done = await importCsv(
      world,
      'email,first_name\nada@example.com,Eve\nnew@example.com,New\nnew@example.com,Newer\n',
      input,
    )
    expect(done).toMatchObject({ created: 1, updated: 0, unchanged: 2 })
    expect(await listContacts(world)).toMatchObject([
      { firstName: 'Ada', tags: [], emailMarketing: false },
      { firstName: 'Newer', tags: [{ name: tag.name }], emailMarketing: true },
    ])
  })

  it('uses the later of two rows with one address and counts one contact', async () => {
    const world = await open({ limits: { contacts: 1 } })
    const csv = 'email,first_name,city,tags\nx@example.com,One,Rome,a\nX@EXAMPLE.com,Two,,b\n'
    expect(await importCsv(world, csv)).toMatchObject({ created: 1, updated: 1, failed: 0 })
    expect(await listContacts(world)).toMatchObject([
      { email: 'x@example.com', firstName: 'Two', city: 'Rome', tags: [{ name: 'a' }, { name: 'b' }] },
    ])
    expect(await world.announced('quota.reached')).toHaveLength(1)
  })

  it('does not apply rows without an address, and leaves out other cells that cannot be read', async () => {
    const world = await open()
    await world.customField({ name: 'Born', type: 'DATE' })
    await world.customField({ name: 'Vip', type: 'BOOLEAN' })
    const long = 'x'.repeat(256)
    const csv = `email,first_name,gdpr,tags,Born,Vip
ok@example.com,"two
lines",,,,yes
nobody,,,never,,
a@example.com,${long},maybe,never,1815-02-30,perhaps

b@example.com,too,many,cells,1815-12-10,,x
,,yes,,,
c@example.com,\u0000,,,,
last@example.com,Last,,"${long}",,\n`
    const done = await importCsv(world, csv)
    expect(done).toMatchObject({ status: 'COMPLETED', rowsTotal: 7, rowsDone: 7, created: 4, failed: 3, warnings: 6 })
    const error = { severity: 'ERROR', value: '' }
    const warning = { severity: 'WARNING' }
    expect(done.errors.nodes).toEqual(
      [
        { ...error, line: 4, column: 'email', code: 'INVALID_EMAIL', value: 'nobody' },
        { ...warning, line: 5, column: 'gdpr', code: 'INVALID_BOOLEAN', value: 'maybe' },
        { ...warning, line: 5, column: 'Born', code: 'INVALID_DATE', value: '1815-02-30' },
        { ...warning, line: 5, column: 'Vip', code: 'INVALID_BOOLEAN', value: 'perhaps' },
        { ...warning, line: 5, column: 'first_name', code: 'TOO_LONG', value: '…' },
        {
          ...{ ...error, line: 7, column: '', code: 'CELL_COUNT', value: 'x' },
          message: 'has a value after column 6, which is the last one of the header',
        },
        { ...error, line: 8, column: 'email', code: 'INVALID_EMAIL' },
        { ...warning, line: 9, column: 'first_name', code: 'UNSTORABLE', value: '\ufffd' },
        { ...warning, line: 10, column: 'tags', code: 'INVALID_TAG', value: '…' },
      ].map((each) => expect.objectContaining({ message: expect.any(String), ...each })),
    )
    expect(await listContacts(world)).toMatchObject([
      { email: 'a@example.com', firstName: '', gdpr: false, tags: [{ name: 'never' }], customFields: [] },
      { email: 'c@example.com', firstName: '' },
      { email: 'last@example.com', firstName: 'Last', tags: [] },
      { email: 'ok@example.com', firstName: 'two\nlines' },
    ])
  })

  it('lists the rows that exceed the quota as errors', async () => {
    const world = await open({ limits: { contacts: 2 } })
    await world.contact({ email: 'old@example.com' })
    const csv = 'email,city\na@example.com,\nb@example.com,\nold@example.com,Rome\nB@example.com,\n'
    const done = await importCsv(world, csv)
    expect(done).toMatchObject({ created: 1, updated: 1, failed: 2 })
    expect(done.errors.nodes).toEqual(
      [3, 5].map((line) => ({
        line,
        column: '',
        severity: 'ERROR',
        code: 'QUOTA_EXCEEDED',
        message: expect.stringContaining('2 contacts'),
        value: '',
      })),
    )
  })

  it('maps columns by the mapping', async () => {
    const world = await open()
    const field = await world.customField({ name: 'Note' })
    const mapping = [
      { column: 'Who', field: 'EMAIL' },
      { column: 'email', customFieldId: field.id },
      { column: 'city', field: 'IGNORED' },
    ]
    await importCsv(world, 'Who\temail\tcity\nada@example.com\tsome note\tRome\n', { mapping })
    expect(await listContacts(world)).toMatchObject([
      { email: 'ada@example.com', city: '', customFields: [{ label: 'Note', value: 'some note' }] },
    ])
  })

  it('adds tags and enrolments to all imported contacts', async () => {
    const world = await open()
    const [tag, sequence, empty] = [await world.tag(), await world.sequence(), await world.sequence()]
    await world.stage(sequence)
    const input = { addTagIds: [tag.databaseId, 2_000_000_000], addSequenceIds: [sequence.id, empty.id, 2_000_000_000] }
    await importCsv(world, 'email\na@example.com\nb@example.com\n', input)
    expect(await listContacts(world)).toMatchObject([{ tags: [{ name: tag.name }] }, { tags: [{ name: tag.name }] }])
    const { sequence: filled } = await world.run('query ($id: ID!) { sequence(id: $id) { activeContacts } }', sequence)
    expect(filled.activeContacts).toBe(2)
    expect(await countEvents(world)).toMatchObject({ 'contact.tag_added': 2, 'sequence.subscribed': 2 })
  })

  it.each([
    ['', 'csv', /must not be empty/],
    ['first_name\nAda\n', 'csv', /a column with the e-mail address/],
    ['sep=;\n\n', 'csv', /must not be empty/],
    ['email,ci\u0000ty\n', 'csv', /cannot be stored/],
  ])('returns VALIDATION_ERROR for the file %j', async (csv, field, message) => {
    const world = await open()
    const { extensions } = await world.fault(Create, { input: { csv } })
    expect(extensions).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { [`input.${field}`]: [expect.stringMatching(message)] },
    })
    expect(await world.rows('SELECT FROM contact_import WHERE account_id = $1', [world.accountId])).toEqual([])
    expect(await world.rows('SELECT FROM contact_import_chunk WHERE account_id = $1', [world.accountId])).toEqual([])
  })

  it.each([
    [{ mapping: [{ column: 'City', field: 'CITY' }] }, 'mapping.0', /“City”, which the file does not have/],
    [{ mapping: [{ position: 2, field: 'CITY' }] }, 'mapping.0', /position 2, but the file has 1 columns/],
    [{ mapping: [{ field: 'CITY' }] }, 'mapping.0', /either a column or a position/],
    [{ mapping: [{ position: 0, field: 'CITY' }] }, 'mapping.0.position', /at least 1/],
    [{ mapping: [{ column: 'email' }] }, 'mapping.0', /must contain a field or a custom field/],
    [{ mapping: [{ column: 'email', customFieldId: '999999' }] }, 'mapping.0', /does not exist/],
    [
      { mapping: [{ column: 'email', field: 'CITY', customFieldId: '1' }] },
      'mapping.0',
      /both a field and a custom field/,
    ],
    [{ addTagIds: ['nonsense'] }, 'addTagIds', /id of a Tag/],
    [{ fileName: 'x'.repeat(256) }, 'fileName', /255 characters/],
  ])('returns VALIDATION_ERROR for %j', async (input, field, message) => {
    const world = await open()
    const { extensions } = await world.fault(Create, { input: { csv: 'email\na@example.com\n', ...input } })
    expect(extensions).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { [`input.${field}`]: [expect.stringMatching(message)] },
    })
  })

  it('returns QUOTA_EXCEEDED for the 51st unfinished import', async () => {
    const world = await open()
    for (let n = 0; n < 50; n += 1) await world.run(Create, { input: {} })
    expect(await world.fault(Create, { input: {} })).toMatchObject({ extensions: { code: 'QUOTA_EXCEEDED' } })
  })
})
