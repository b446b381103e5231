// @module-tag rows
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { exports } from '../../src/exports/exports.ts'
import { importCsv, listContacts } from '../contacts/imports.ts'
import { newServer, type Server } from '../support/server.ts'
import { newWorld } from '../support/world.ts'
import { fetchExport, linkOf, objectsOf, openFilledWorld, rowsOf } from './exporting.ts'

const isoTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/)

describe('an export of objects that can be archived', () => {
  it.each([
    ['CAMPAIGNS', 'campaign'],
    ['SEQUENCES', 'sequence'],
    ['FUNNELS', 'funnel'],
  ] as const)('has the time of the archiving: %s', async (list, kind) => {
    const world = await newWorld()
    const [kept, archived] = [await world[kind](), await world[kind]()]
    await world.run(`mutation ($id: ID!) { ${kind}Archive(input: { id: $id }) { ${kind} { id } } }`, archived)
    expect(await rowsOf(world, list)).toMatchObject([
      { id: String(kept.databaseId), archived_at: '' },
      { id: String(archived.databaseId), archived_at: isoTime },
    ])
  })
})

describe('an export of contacts', () => {
  it('contains each contact with its tags and custom fields, oldest first', async () => {
    const world = await newWorld()
    const [news, odd] = [await world.tag('news'), await world.tag('a,b;"c"')]
    const size = await world.customField({ name: 'Size' })
    await world.customField({ name: '=Danger' })
    const ada = await world.contact({
      email: 'ada@example.com',
      firstName: 'Ada',
      lastName: 'Love "Lace", Countess',
      companyName: 'Engines\nLtd',
      gdpr: true,
      addTagIds: [news.id, odd.id],
      customFields: [{ customFieldId: size.id, value: 'L' }],
    })
    const bob = await world.contact({ email: 'bob@example.com' })
    const blank = { phone: '', city: '', country: '', time_zone: '', locale: '' }
    expect(await rowsOf(world, 'CONTACTS')).toEqual([
      {
        ...blank,
        id: String(ada.databaseId),
        email: 'ada@example.com',
        first_name: 'Ada',
        last_name: 'Love "Lace", Countess',
        company_name: 'Engines\nLtd',
        email_marketing: 'false',
        gdpr: 'true',
        created_at: isoTime,
        updated_at: isoTime,
        last_active_at: '',
        tags: '"a,b;""c""";news',
        'custom_fields.Size': 'L',
        'custom_fields.=Danger': '',
      },
      expect.objectContaining({ ...blank, id: String(bob.databaseId), email: 'bob@example.com', tags: '' }),
    ])
    expect((await objectsOf(world, 'CONTACTS'))[0]).toEqual({
      ...blank,
      id: ada.databaseId,
      email: 'ada@example.com',
      first_name: 'Ada',
      last_name: 'Love "Lace", Countess',
      company_name: 'Engines\nLtd',
      email_marketing: false,
      gdpr: true,
      created_at: isoTime,
      updated_at: isoTime,
      last_active_at: null,
      tags: ['a,b;"c"', 'news'],
      custom_fields: [{ label: 'Size', value: 'L' }],
    })
  })

  it('contains all pages of the contacts that match the filter', async () => {
    const world = await newWorld()
    const tag = await world.tag()
    await world.rows(
      `INSERT INTO contact (account_id, email, gdpr, created_at, updated_at)
       SELECT $1, 'p' || i || '@example.com', i % 2 = 0, now(), now() FROM generate_series(1, 1300) i`,
      [world.accountId],
    )
    await world.rows(
      'INSERT INTO contact_tag SELECT account_id, id, $2, now() FROM contact WHERE account_id = $1 AND NOT gdpr',
      [world.accountId, tag.databaseId],
    )
    const emails = (rows: { email?: unknown }[]) => rows.map(({ email }) => Number(/\d+/.exec(String(email))?.[0]))
    const all = Array.from({ length: 1_300 }, (_, n) => n + 1)
    expect(emails(await rowsOf(world, 'CONTACTS'))).toEqual(all)
    expect(emails(await rowsOf(world, 'CONTACTS', { contacts: { gdpr: true } }))).toEqual(
      all.filter((n) => n % 2 === 0),
    )
    expect(emails(await objectsOf(world, 'CONTACTS', { contacts: { tags: { any: [tag.id] } } }))).toEqual(
      all.filter((n) => n % 2),
    )
    expect(await fetchExport(world, 'CONTACTS', 'CSV', { contacts: { email: { eq: 'nobody' } } })).toBe(
      'id,email,first_name,last_name,phone,company_name,city,country,time_zone,locale,email_marketing,gdpr,created_at,updated_at,last_active_at,tags\r\n',
    )
    expect(await fetchExport(world, 'CONTACTS', 'NDJSON', { contacts: { email: { eq: 'nobody' } } })).toBe('')
  })

  it('writes formulas as text, and an import reads the original values', async () => {
    const written = [
      ['=1+1', "'=1+1"],
      ['+33 1', "'+33 1"],
      ['-2+3', "'-2+3"],
      ['-5', '-5'],
      ['-5.25', '-5.25'],
      ['-5.2.5', "'-5.2.5"],
      ['@SUM(A1)', "'@SUM(A1)"],
      ['\t=1', "'\t=1"],
      ['\r=1', "'\r=1"],
      ['\n=1', "'\n=1"],
      ["'=1", "''=1"],
      ["''=1", "'''=1"],
      ["'tis", "'tis"],
      ['＝1+1', "'＝1+1"],
      ['a=1', 'a=1'],
      ['=cmd|"/C calc"!A0', '\'=cmd|"/C calc"!A0'],
    ] as const
    const world = await newWorld({ server: await startWorker() })
    for (const [index, [value]] of written.entries())
      await world.contact({ email: `p${index}@example.com`, firstName: value, city: value })
    const cells = written.map(([, cell]) => ({ first_name: cell, city: cell }))
    expect(await rowsOf(world, 'CONTACTS')).toMatchObject(cells)
    const values = written.map(([value]) => ({ first_name: value, city: value }))
    expect(await objectsOf(world, 'CONTACTS')).toMatchObject(values)
    const other = await world.other()
    await importCsv(other, await fetchExport(world, 'CONTACTS'))
    expect(await listContacts(other)).toEqual(await listContacts(world).then(asImported))
  })

  it('can be imported again without changes', { timeout: 120_000 }, async () => {
    const server = await startWorker()
    const text = fc
      .string({ unit: 'grapheme', maxLength: 20 })
      .filter((value) => !value.includes('\0') && value.isWellFormed() && (value === '' || value.trim() !== ''))
    const risky = fc.oneof(
      text,
      fc
        .constantFrom('=1', '+1', '-1', "'=", '"', '""', 'a"b', ',', ';', '\t', 'x\r\ny', '\n', "'", "''", '@', ' x ')
        .filter((value) => value.trim() !== ''),
    )
    const name = fc
      .oneof(text, fc.constantFrom('a,b', 'a;b', '"', '=x'))
      .map((value) => value.trim())
      .filter((value) => value !== '')
    const contact = fc.record({
      firstName: risky,
      lastName: risky,
      companyName: risky,
      city: risky,
      emailMarketing: fc.boolean(),
      gdpr: fc.boolean(),
      tags: fc.uniqueArray(name, { maxLength: 3 }),
      note: fc.option(
        risky.filter((value) => value !== ''),
        { nil: undefined },
      ),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(contact, { minLength: 1, maxLength: 8 }), async (contacts) => {
        const world = await newWorld({ server })
        const note = await world.customField({ name: 'Note, "quoted"' })
        const tags = new Map<string, string>()
        for (const [index, { tags: names, note: value, ...rest }] of contacts.entries()) {
          for (const each of names) if (!tags.has(each)) tags.set(each, (await world.tag(each)).id)
          await world.contact({
            ...rest,
            email: `p${index}@example.com`,
            addTagIds: names.map((each) => tags.get(each)),
            customFields: value === undefined ? [] : [{ customFieldId: note.id, value }],
          })
        }
        const other = await world.other()
        await other.customField({ name: 'Note, "quoted"' })
        const done = await importCsv(other, await fetchExport(world, 'CONTACTS'))
        expect(done.errors.nodes).toEqual([])
        expect(await listContacts(other)).toEqual(await listContacts(world).then(asImported))
      }),
      { numRuns: 8, seed: 20_261_121 },
    )
  })
})

let working: Promise<Server> | undefined
const startWorker = () => {
  working ??= newServer({ ROLES: 'api,worker' })
  return working
}

type ListedContact = Record<string, unknown> & { emailMarketing: boolean; consents: { nodes: { kind: string }[] } }

/** The contacts as an import creates them: the source of consents is the import, and a “no” in the file is a refusal. */
const asImported = (all: ListedContact[]) =>
  all.map((each) => {
    const refused = { kind: 'EMAIL_MARKETING', granted: false, source: 'import', text: '' }
    const given = each.consents.nodes.map((consent) => ({ ...consent, source: 'import' }))
    return { ...each, consents: { nodes: each.emailMarketing ? given : [refused, ...given] } }
  })

describe('lists', () => {
  it('are exported empty if the filter names an object of another account', async () => {
    const world = await openFilledWorld()
    const { submissions, tags } = await world.run(`{
      submissions(first: 20) { nodes { form { id questions { id } } contact { id } } } tags(first: 1) { nodes { id } } }`)
    const stranger = await world.other()
    await stranger.contact({ addTagIds: [(await stranger.tag()).id] })
    const { form, contact } = submissions.nodes.find((each: { contact: object | null }) => each.contact)
    const ofForm = { forms: { any: [form.id] } }
    for (const [list, filter] of [
      ['CONTACTS', { contacts: { tags: { any: [tags.nodes[0].id] } } }],
      ['SUBMISSIONS', { submissions: ofForm }],
      ['SUBMISSIONS', { submissions: { contacts: { any: [contact.id] } } }],
      ['SUBMISSIONS', { submissions: { answers: [{ questionId: form.questions[0].id, contains: 'a' }] } }],
    ] as const)
      expect(await objectsOf(stranger, list, filter)).toEqual([])
    expect((await objectsOf(world, 'SUBMISSIONS', { submissions: ofForm })).length).toBeGreaterThan(0)
  })

  it.each(Object.keys(exports))(
    '%s are exported in both formats, with the same columns, without rows of other accounts',
    async (list) => {
      const world = await openFilledWorld()
      const [csv, json] = [await rowsOf(world, list), await objectsOf(world, list)] as const
      expect(csv.length).toBeGreaterThan(0)
      expect(json).toHaveLength(csv.length)
      expect(json.map(({ id }) => String(id))).toEqual(csv.map(({ id }) => id))
      const plain = ({ tags: _tags, custom_fields: _fields, ...rest }: Record<string, unknown>) => rest
      const columns = Object.keys(csv[0] as object).filter(
        (name) => name !== 'tags' && !name.startsWith('custom_fields.'),
      )
      expect(Object.keys(plain(json[0] as Record<string, unknown>))).toEqual(columns)
      for (const [index, row] of json.entries()) {
        for (const [name, value] of Object.entries(plain(row))) {
          const cell =
            typeof value === 'object' && value !== null
              ? JSON.parse((csv[index] as Record<string, string>)[name] as string)
              : csv[index]?.[name]
          if (typeof value === 'object' && value !== null) expect(cell).toEqual(value)
          else expect(cell?.replace(/^'(?=[+=@-])/, ''), name).toBe(value === null ? '' : String(value))
        }
      }
      const empty = await world.other()
      expect(await objectsOf(empty, list)).toEqual([])
    },
  )
})

describe('an export', () => {
  it('costs points by its bytes, and begins only while the account has some of the minute left', async () => {
    const world = await newWorld({ server: await newServer({ COST_LIMIT_PER_MINUTE: '2000' }) })
    const url = await linkOf(world, 'CONTACTS')
    const long = 'a'.repeat(200)
    await world.rows(
      `INSERT INTO contact (account_id, email, first_name, created_at, updated_at)
       SELECT $1, 'c' || n || '@example.com', $2, now(), now() FROM generate_series(1, 3000) n`,
      [world.accountId, long],
    )
    const first = await fetch(url)
    expect(first.status).toBe(200)
    const bytes = (await first.text()).length
    const { extensions } = (await world.ask('{ viewer { email } }')).body
    expect(2_000 - extensions.cost.remaining).toBeGreaterThanOrEqual(Math.floor(bytes / 1_000))
    while ((await fetch(url)).status === 200) {}
    const refused = await fetch(url)
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await refused.json()).toMatchObject({ message: expect.stringContaining('cost points') })
  })
})
