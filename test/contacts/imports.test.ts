import { describe, expect, it } from 'vitest'
import { newServer, type Server } from '../support/server.ts'
import { newWorld, type World, type WorldOptions } from '../support/world.ts'
import { Create, importCsv, listContacts, Read, uploadFile, waitForImport } from './imports.ts'

let sharedServer: Promise<Server> | undefined
const open = async (options: WorldOptions = {}) => {
  sharedServer ??= newServer({ ROLES: 'api,worker' })
  return newWorld({ server: await sharedServer, ...options })
}
const countEvents = async (world: World) => {
  const types = (await world.announced()).map(({ type }) => type).filter((type) => !type.startsWith('contact_import'))
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
      { column: 'Size', field: 'CUSTOM_FIELD', customField: { name: 'Size' } },
      { column: 'custom_fields.Born', field: 'CUSTOM_FIELD', customField: { name: 'Born' } },
      { column: 'nonsense', field: 'IGNORED', customField: null },
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
      await world.contact({ email, emailMarketing, sequenceIds: [sequence.id] })
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
    const input = { updateExisting: false, tagIds: [tag.id], emailMarketing: true }
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

  it('lists the errors of invalid rows and does not apply them', async () => {
    const world = await open()
    await world.customField({ name: 'Born', type: 'DATE' })
    await world.customField({ name: 'Vip', type: 'BOOLEAN' })
    const long = 'x'.repeat(256)
    const csv = `email,first_name,gdpr,tags,Born,Vip
ok@example.com,"two
lines",,,,yes
nobody,,,never,,
a@example.com,${long},maybe,never,1815-02-30,perhaps

b@example.com,too,many,cells,1815-12-10,,
,,yes,,,
c@example.com,\u0000,,,,
last@example.com,Last,,"${long}",,\n`
    const done = await importCsv(world, csv)
    expect(done).toMatchObject({ status: 'COMPLETED', rowsTotal: 7, rowsDone: 7, created: 1, failed: 6 })
    expect(done.errors.nodes).toEqual([
      { line: 4, column: 'email', message: 'must be a valid e-mail address' },
      { line: 5, column: 'gdpr', message: expect.stringContaining('true or false') },
      { line: 5, column: 'Born', message: expect.stringContaining('an existing date') },
      { line: 5, column: 'Vip', message: 'must be true or false' },
      { line: 5, column: 'first_name', message: 'must have at most 255 characters' },
      { line: 7, column: '', message: 'has 7 cells, but the header has 6' },
      { line: 8, column: 'email', message: 'must be a valid e-mail address' },
      { line: 9, column: 'first_name', message: expect.stringContaining('cannot be stored') },
      { line: 10, column: 'tags', message: expect.stringContaining('255') },
    ])
    expect(await listContacts(world)).toMatchObject([{ email: 'ok@example.com', firstName: 'two\nlines' }])
    expect((await world.run('{ tags { totalCount } }')).tags.totalCount).toBe(0)
  })

  it('lists the rows that exceed the quota as errors', async () => {
    const world = await open({ limits: { contacts: 2 } })
    await world.contact({ email: 'old@example.com' })
    const csv = 'email,city\na@example.com,\nb@example.com,\nold@example.com,Rome\nB@example.com,\n'
    const done = await importCsv(world, csv)
    expect(done).toMatchObject({ created: 1, updated: 1, failed: 2 })
    expect(done.errors.nodes).toEqual(
      [3, 5].map((line) => ({ line, column: '', message: expect.stringContaining('2 contacts') })),
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
    const input = { tagIds: [tag.databaseId, 2_000_000_000], sequenceIds: [sequence.id, empty.id, 2_000_000_000] }
    await importCsv(world, 'email\na@example.com\nb@example.com\n', input)
    expect(await listContacts(world)).toMatchObject([{ tags: [{ name: tag.name }] }, { tags: [{ name: tag.name }] }])
    const { sequence: filled } = await world.run('query ($id: ID!) { sequence(id: $id) { activeContacts } }', sequence)
    expect(filled.activeContacts).toBe(2)
    expect(await countEvents(world)).toMatchObject({ 'contact.tag_added': 2, 'sequence.subscribed': 2 })
  })

  it.each([
    ['', 'csv', /must not be empty/],
    ['first_name\nAda\n', 'csv', /a column with the e-mail address/],
    ['email,mail\na@example.com,\n', 'csv', /two columns for one field/],
    ['email,city\na@example.com,"Rome\n', 'csv', /quote that is never closed/],
    ['email,city\na@example.com,\nb@example.com,R"ome\n', 'csv', /middle of a cell on line 3/],
    ['email,ci\u0000ty\n', 'csv', /cannot be stored/],
  ])('returns VALIDATION_ERROR for the file %j', async (csv, field, message) => {
    const world = await open()
    const { extensions } = await world.fault(Create, { input: { csv } })
    expect(extensions).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { [field]: [expect.stringMatching(message)] },
    })
    expect(await world.rows('SELECT FROM contact_import WHERE account_id = $1', [world.accountId])).toEqual([])
    expect(await world.rows('SELECT FROM contact_import_chunk WHERE account_id = $1', [world.accountId])).toEqual([])
  })

  it.each([
    [{ mapping: [{ column: 'City', field: 'CITY' }] }, 'mapping', /“City”, which the file does not have/],
    [{ mapping: [{ column: 'email' }] }, 'mapping', /must contain a field or a custom field/],
    [{ mapping: [{ column: 'email', customFieldId: '999999' }] }, 'mapping', /does not exist/],
    [
      { mapping: [{ column: 'email', field: 'CITY', customFieldId: '1' }] },
      'mapping',
      /both a field and a custom field/,
    ],
    [{ tagIds: ['nonsense'] }, 'tagIds', /id of a Tag/],
    [{ fileName: 'x'.repeat(256) }, 'fileName', /255 characters/],
  ])('returns VALIDATION_ERROR for %j', async (input, field, message) => {
    const world = await open()
    const { extensions } = await world.fault(Create, { input: { csv: 'email\na@example.com\n', ...input } })
    expect(extensions).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { [field]: [expect.stringMatching(message)] },
    })
  })

  it('returns QUOTA_EXCEEDED for the 51st unfinished import', async () => {
    const world = await open()
    for (let n = 0; n < 50; n += 1) await world.run(Create, { input: {} })
    expect(await world.fault(Create, { input: {} })).toMatchObject({ extensions: { code: 'QUOTA_EXCEEDED' } })
  })
})

describe('the upload of a file', () => {
  const createWaiting = async (world: World, input: object = {}) =>
    (await world.run(Create, { input })).contactImportCreate

  it('is accepted once', async () => {
    const world = await open()
    const { uploadUrl, contactImport } = await createWaiting(world)
    expect(contactImport.status).toBe('WAITING')
    const csv = `\ufeffemail\n${Array.from({ length: 2_500 }, (_, n) => `p${n}@example.com`).join('\r\n')}`
    expect(await uploadFile(uploadUrl, csv)).toEqual({
      status: 200,
      body: { id: contactImport.databaseId, status: 'running', rows_total: 2_500 },
    })
    expect(await uploadFile(uploadUrl, csv)).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('does not accept a file anymore') },
    })
    expect(await waitForImport(world, contactImport.id)).toMatchObject({
      status: 'COMPLETED',
      rowsTotal: 2_500,
      rowsDone: 2_500,
      created: 2_500,
    })
    expect(await world.rows('SELECT FROM contact_import_chunk WHERE account_id = $1', [world.accountId])).toEqual([])
    expect(await world.announced('contact.created')).toHaveLength(2_500)
  })

  it('fails the import with the line of the error if the file is invalid', async () => {
    const world = await open()
    const { uploadUrl, contactImport } = await createWaiting(world)
    const rows = Array.from({ length: 3_000 }, (_, n) => `p${n}@example.com,\n`).join('')
    const response = await uploadFile(uploadUrl, `email,city\n${rows}x@example.com,a"b\n`)
    expect(response).toMatchObject({ status: 422, body: { message: expect.stringContaining('line 3002') } })
    expect((await world.run(Read, contactImport)).contactImport).toMatchObject({
      status: 'FAILED',
      error: response.body.message,
    })
    expect(await world.rows('SELECT FROM contact_import_chunk WHERE account_id = $1', [world.accountId])).toEqual([])
    expect((await world.run('{ contacts { totalCount } }')).contacts.totalCount).toBe(0)
  })

  it.each([
    ['UTF-16', Buffer.from('\ufeffemail\n', 'utf16le'), /UTF-16/],
    ['Latin 1', Buffer.from('email,city\na@example.com,Orl\u00e9ans\n', 'latin1'), /must be encoded in UTF-8/],
  ])('is rejected in %s', async (_name, body, message) => {
    const world = await open()
    const { uploadUrl } = await createWaiting(world)
    expect(await uploadFile(uploadUrl, body)).toMatchObject({
      status: 422,
      body: { message: expect.stringMatching(message) },
    })
  })

  it('can be repeated after the client disconnected', async () => {
    const world = await open()
    const { uploadUrl, contactImport } = await createWaiting(world)
    const abort = new AbortController()
    const body = new ReadableStream({
      start(stream) {
        stream.enqueue(Buffer.from(`email\n${Array.from({ length: 2_000 }, (_, n) => `p${n}@example.com\n`).join('')}`))
      },
    })
    const sending = uploadFile(uploadUrl, body, { signal: abort.signal })
    const status = async () => (await world.run(Read, contactImport)).contactImport.status
    await expect.poll(status, { timeout: 10_000 }).toBe('UPLOADING')
    abort.abort()
    await expect(sending).rejects.toThrow()
    await expect.poll(status, { timeout: 10_000 }).toBe('WAITING')
    expect(await uploadFile(uploadUrl, 'email\nagain@example.com\n')).toMatchObject({ status: 200 })
    expect(await waitForImport(world, contactImport.id)).toMatchObject({ created: 1, rowsTotal: 1 })
  })

  it('accepts only PUT to a signed URL of an enabled API key', async () => {
    const world = await open()
    const key = await world.key({ scopes: ['contacts:write'] })
    const { uploadUrl } = (await world.run('mutation { contactImportCreate(input: {}) { uploadUrl } }', {}, { key }))
      .contactImportCreate
    const wrong = await fetch(uploadUrl)
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'PUT'])
    for (const url of [
      uploadUrl.replace(/.$/, (last: string) => (last === 'A' ? 'B' : 'A')),
      uploadUrl.replace(/\/i\/./, '/i/z'),
      `${world.server.url}/i/x`,
    ]) {
      expect(await uploadFile(url, 'email\n')).toMatchObject({ status: 404 })
    }
    await world.rows('UPDATE api_key SET disabled_at = now() WHERE account_id = $1 AND scopes <> $2', [
      world.accountId,
      ['full_access'],
    ])
    expect(await uploadFile(uploadUrl, 'email\n')).toMatchObject({ status: 404 })
  })
})

describe('a running import', () => {
  it('sends its progress to subscribers', async () => {
    const world = await open()
    const { uploadUrl, contactImport } = (await world.run(Create, { input: {} })).contactImportCreate
    const { eventCursor } = await world.run('{ eventCursor }')
    const csv = `email\n${Array.from({ length: 2_500 }, (_, n) => `p${n}@example.com\n`).join('')}`
    await uploadFile(uploadUrl, csv)
    await waitForImport(world, contactImport.id)
    const document = `subscription ($id: ID!, $after: String) {
      contactImportProgress(importId: $id, after: $after) { cursor status rowsDone rowsTotal contactImport { created } } }`
    const query = encodeURIComponent(document)
    const variables = encodeURIComponent(JSON.stringify({ id: contactImport.id, after: eventCursor }))
    const abort = new AbortController()
    const response = await fetch(`${world.server.url}/graphql?query=${query}&variables=${variables}`, {
      headers: { accept: 'text/event-stream', authorization: `Bearer ${world.mainKey}` },
      signal: abort.signal,
    })
    let text = ''
    for await (const part of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += Buffer.from(part).toString()
      if (text.split('rowsDone').length > 4) break
    }
    abort.abort()
    const events = [...text.matchAll(/"contactImportProgress":(\{.*?\}\})/g)].map(([, json]) =>
      JSON.parse(json as string),
    )
    expect(events.length).toBeGreaterThanOrEqual(4)
    expect(events.at(-1)).toMatchObject({
      status: 'COMPLETED',
      rowsDone: 2_500,
      rowsTotal: 2_500,
      contactImport: { created: 2_500 },
    })
  })

  it('is not visible to another account', async () => {
    const world = await open()
    const other = await world.other()
    const { contactImport } = (await world.run(Create, { input: { csv: 'email\na@example.com\n' } }))
      .contactImportCreate
    await waitForImport(world, contactImport.id)
    for (const id of [contactImport.id, contactImport.databaseId]) {
      expect((await other.run(Read, { id })).contactImport).toBeNull()
    }
    expect((await other.run('{ contactImports { totalCount } }')).contactImports.totalCount).toBe(0)
    expect((await other.run('{ contacts { totalCount } }')).contacts.totalCount).toBe(0)
    const foreign = await other.tag()
    const field = await other.customField({ name: 'Note' })
    await importCsv(world, 'email,Note\nb@example.com,x\n', { tagIds: [foreign.id] })
    expect((await listContacts(world))[1]).toMatchObject({ tags: [], customFields: [] })
    const mapping = [{ column: 'Note', customFieldId: field.id }]
    const fault = await world.fault(Create, { input: { csv: 'email,Note\nb@example.com,x\n', mapping } })
    expect(fault.extensions.code).toBe('VALIDATION_ERROR')
  })

  it('takes the same number of statements for many rows as for few', async () => {
    const world = await open()
    const server = await newServer({ DATABASE_URL: world.server.databaseUrl })
    const csv = (rows: number) =>
      `email,first_name,tags\n${Array.from({ length: rows }, (_, n) => `p${rows}-${n}@example.com,Ada,news;t${n % 7}\n`).join('')}`
    await importCsv(world, csv(1))
    const statements = async (rows: number) => {
      const before = server.app.database.statements()
      await world.run(Create, { input: { csv: csv(rows) } }, { server })
      return server.app.database.statements() - before
    }
    await statements(1)
    expect(await statements(900)).toBe(await statements(2))
  })

  it('applies 20 concurrent imports of the same contacts without errors', async () => {
    const world = await open()
    const rows = Array.from({ length: 300 }, (_, n) => `p${n}@example.com,tag${n % 5}\n`)
    const runs = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        world.run(Create, { input: { csv: `email,tags\n${(n % 2 ? rows : rows.toReversed()).join('')}` } }),
      ),
    )
    const done = await Promise.all(
      runs.map(({ contactImportCreate }) => waitForImport(world, contactImportCreate.contactImport.id)),
    )
    expect(done.reduce((sum, { created }) => sum + created, 0)).toBe(300)
    expect(done.reduce((sum, { unchanged }) => sum + unchanged, 0)).toBe(300 * 19)
    expect(await world.announced('contact.created')).toHaveLength(300)
    expect(await world.run('{ tags { totalCount } contacts { totalCount } }')).toEqual({
      tags: { totalCount: 5 },
      contacts: { totalCount: 300 },
    })
    // The interrupted upload of another test is logged as a failed request.
    expect(world.server.errors.filter(({ msg }) => msg !== 'a request failed')).toEqual([])
  })
})
