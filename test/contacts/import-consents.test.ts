import { describe, expect, it, vi } from 'vitest'
import { contactJobs } from '../../src/contacts/index.ts'
import type { System } from '../../src/db/context.ts'
import type { World } from '../support/world.ts'
import { consentFiles } from './consent-files.ts'
import { Create, importCsv, listContacts, Read, useImportServer } from './imports.ts'

const open = useImportServer()

describe('an import with emailMarketing: true', () => {
  it.each(Object.entries(consentFiles))('gives consent to those who agreed: %s', async (_name, file) => {
    const world = await open()
    const done = await importCsv(world, file.csv, { emailMarketing: true })
    expect(done).toMatchObject({ status: 'COMPLETED', failed: 0 })
    const { contacts, suppressions } = await world.run(`{
      contacts(first: 100, orderBy: { field: EMAIL, direction: ASC }) { nodes { email emailMarketing } }
      suppressions(first: 100, orderBy: { field: EMAIL, direction: ASC }) { nodes { email reason } } }`)
    const nameOf = ({ email }: { email: string }) => email.split('@')[0]
    const agreed = contacts.nodes.filter((each: { emailMarketing: boolean }) => each.emailMarketing)
    expect(agreed.map(nameOf)).toEqual(file.agreed)
    const { BOUNCE = [], COMPLAINT = [] } = Object.groupBy(
      suppressions.nodes as { email: string; reason: 'BOUNCE' | 'COMPLAINT' }[],
      ({ reason }) => reason,
    )
    expect(BOUNCE.map(nameOf)).toEqual(file.bounced ?? [])
    expect(COMPLAINT.map(nameOf)).toEqual(file.complained ?? [])
    const doubtful = done.errorGroups.filter(({ code }: { code: string }) => code === 'CONSENT_COLUMN')
    expect(doubtful.map(({ column }: { column: string }) => column)).toEqual(file.doubtful ?? [])
  })
})

const Found = `query ($id: ID!) { contactImport(id: $id) { status rowsDone columns {
  column field reading isDoubtful meanings { meaning count } } } }`
const Start =
  'mutation ($input: ContactImportStartInput!) { contactImportStart(input: $input) { contactImport { status } } }'

/** Returns the names of the contacts with consent to marketing e-mail. */
async function listAgreed(world: World): Promise<string[]> {
  const contacts = await listContacts(world)
  return contacts.filter(({ emailMarketing }) => emailMarketing).map(({ email }) => email.split('@')[0])
}

describe('refusals in an imported file', () => {
  it.each([true, false])('withdraw the consent of a contact, with updateExisting: %s', async (updateExisting) => {
    const world = await open()
    const sequence = await world.sequence()
    await world.stage(sequence)
    await world.contact({
      email: 'ann@example.com',
      city: 'Paris',
      emailMarketing: true,
      addSequenceIds: [sequence.id],
    })
    const csv = 'email,city,Accepts Email Marketing\nANN@example.com,Rome,no\nnew@example.com,Rome,no\n'
    const input = {
      updateExisting,
      emailMarketing: true,
      addSequenceIds: [sequence.id],
      consent: { text: 'Yes, news.' },
    }
    expect(await importCsv(world, csv, input)).toMatchObject({ created: 1, updated: 1 })
    const [ann, created] = await listContacts(world)
    expect(ann).toMatchObject({ city: updateExisting ? 'Rome' : 'Paris', emailMarketing: false })
    const refusal = { kind: 'EMAIL_MARKETING', granted: false, source: 'import', text: '' }
    expect(ann.consents.nodes[0]).toEqual(refusal)
    expect(created.consents.nodes).toEqual([refusal])
    const { sequence: left } = await world.run('query ($id: ID!) { sequence(id: $id) { activeContacts } }', sequence)
    expect(left.activeContacts).toBe(0)
    expect(await world.announced('contact.unsubscribed')).toHaveLength(1)
  })

  it('are not taken back by a later row of another batch, or by a later file', async () => {
    const world = await open()
    const fill = Array.from({ length: 2_500 }, (_, n) => `p${n}@example.com,\n`).join('')
    const csv = `email,email_marketing\nann@example.com,no\n${fill}ann@example.com,yes\nben@example.com,yes\n`
    const done = await importCsv(world, csv)
    expect(done.errors.nodes).toEqual([
      expect.objectContaining({ line: 2503, severity: 'WARNING', code: 'CONSENT_WITHDRAWN', column: '' }),
    ])
    const again = await importCsv(world, 'email,email_marketing,city\nann@example.com,yes,Rome\nben@example.com,yes,\n')
    expect(again).toMatchObject({ updated: 1, unchanged: 1, warnings: 1 })
    const ann = await listContacts(world)
    expect(ann[0]).toMatchObject({ email: 'ann@example.com', city: 'Rome', emailMarketing: false })
    expect(await listAgreed(world)).toEqual(['ben'])
  })

  it('leave a consent that was withdrawn in this account withdrawn', async () => {
    const world = await open()
    const contact = await world.contact({ email: 'ann@example.com', emailMarketing: true })
    await world.run(
      'mutation ($input: ContactUnsubscribeInput!) { contactUnsubscribe(input: $input) { contact { id } } }',
      {
        input: { contact: { id: contact.id } },
      },
    )
    await world.contact({ email: 'ben@example.com' })
    const done = await importCsv(
      world,
      'email,Email Marketing Consent\nann@example.com,SUBSCRIBED\nben@example.com,SUBSCRIBED\n',
    )
    expect(done).toMatchObject({ updated: 1, unchanged: 1, warnings: 1 })
    expect(await listAgreed(world)).toEqual(['ben'])
  })

  it('suppress addresses once, and replace other reasons by a complaint', async () => {
    const world = await open()
    await world.run('mutation { suppressionAdd(input: { email: "ann@example.com" }) { suppression { id } } }')
    const csv =
      'email,status\nann@example.com,complained\nben@example.com,bounced\nBEN@example.com,active\ncleo@example.com,active\n'
    await importCsv(world, csv)
    await importCsv(world, csv)
    const { suppressions } = await world.run(
      '{ suppressions(first: 9, orderBy: { field: EMAIL, direction: ASC }) { nodes { email reason cause detail } } }',
    )
    expect(suppressions.nodes).toEqual([
      { email: 'ann@example.com', reason: 'COMPLAINT', cause: null, detail: expect.stringContaining('complained') },
      { email: 'ben@example.com', reason: 'BOUNCE', cause: null, detail: expect.stringContaining('does not accept') },
    ])
    expect(await world.announced('suppression.created')).toHaveLength(2)
    expect(await world.announced('suppression.updated')).toHaveLength(1)
  })
})

describe('the mapping of a column about consent', () => {
  const csv = 'email,Left us\nann@example.com,no\nben@example.com,yes\n'

  it.each([
    [
      'a column of refusals that is mapped to the consent',
      'email,Opt-out\nann@example.com,\nben@example.com,yes\n',
      {},
      [],
    ],
    ['an inverted one', csv, { reading: 'INVERTED' }, ['ann']],
    ['one of refusals', csv, { reading: 'REFUSAL' }, []],
    [
      'words of its own',
      csv,
      {
        values: [
          { value: ' No! ', meaning: 'GRANTED' },
          { value: 'yes', meaning: 'PENDING' },
        ],
      },
      ['ann'],
    ],
    [
      'a consent, against its name',
      'email,Opt-out\nann@example.com,yes\nben@example.com,no\n',
      { reading: 'CONSENT' },
      ['ann'],
    ],
  ])('reads %s', async (_name, file, options, agreed) => {
    const world = await open()
    const done = await importCsv(world, file, { mapping: [{ position: 2, field: 'EMAIL_MARKETING', ...options }] })
    expect(done).toMatchObject({ created: 2, warnings: 0 })
    expect(await listAgreed(world)).toEqual(agreed)
  })

  it('gives the consent of the options if a doubtful column is ignored or mapped', async () => {
    const world = await open()
    const file = 'email,Newsletter\nann@example.com,\nben@example.com,no\n'
    const ignored = await importCsv(world, file, {
      emailMarketing: true,
      mapping: [{ column: 'Newsletter', field: 'IGNORED' }],
    })
    expect(ignored.warnings).toBe(0)
    expect(await listAgreed(world)).toEqual(['ann', 'ben'])
    const other = await open()
    const mapping = [{ column: 'Newsletter', field: 'EMAIL_MARKETING' }]
    await importCsv(other, file, { emailMarketing: true, mapping })
    expect(await listAgreed(other)).toEqual(['ann'])
  })

  it('does not give the consent of the options while a custom field has the name of a consent', async () => {
    const world = await open()
    await world.customField({ name: 'Newsletter' })
    const file = 'email,Newsletter,custom_fields.Newsletter\nann@example.com,no,\n'
    const done = await importCsv(world, file, { emailMarketing: true, gdpr: true })
    expect(done.errorGroups).toMatchObject([
      { code: 'CONSENT_COLUMN', column: 'Newsletter' },
      { code: 'DUPLICATE_COLUMN' },
    ])
    expect(await listContacts(world)).toMatchObject([
      { emailMarketing: false, gdpr: false, customFields: [{ value: 'no' }] },
    ])
  })

  it.each([
    [{ column: 'Left us', field: 'CITY', reading: 'INVERTED' }, 'mapping.0', /only if the field is a consent/],
    [
      { column: 'Left us', field: 'EMAIL_MARKETING', values: Array(101).fill({ value: 'x', meaning: 'NONE' }) },
      'mapping.0.values',
      /100/,
    ],
  ])('returns VALIDATION_ERROR for %#', async (column, field, message) => {
    const world = await open()
    const { extensions } = await world.fault(Create, { input: { csv, mapping: [column] } })
    expect(extensions).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { [`input.${field}`]: [expect.stringMatching(message)] },
    })
  })
})

describe('an import that waits for a review', () => {
  const left =
    'Email Address,UNSUB_TIME,UNSUB_REASON\nann@example.com,2024-03-01 08:00:00,NORMAL\nben@example.com,2024-03-01 08:00:00,\n'

  it('shows what the columns say, and imports after contactImportStart', async () => {
    const world = await open()
    await world.contact({ email: 'ann@example.com', emailMarketing: true })
    const { contactImport } = (await world.run(Create, { input: { csv: left } })).contactImportCreate
    expect(contactImport).toMatchObject({ status: 'REVIEW', errorGroups: [{ code: 'ALL_UNSUBSCRIBED' }] })
    const found = await world.run(Found, { id: contactImport.id })
    expect(found.contactImport).toEqual({
      status: 'REVIEW',
      rowsDone: 0,
      columns: [
        { column: 'Email Address', field: 'EMAIL', reading: null, isDoubtful: false, meanings: [] },
        ...[
          ['UNSUB_TIME', 2],
          ['UNSUB_REASON', 1],
        ].map(([column, count]) => ({
          column,
          field: 'EMAIL_MARKETING',
          reading: 'REFUSAL',
          isDoubtful: false,
          meanings: [{ meaning: 'UNSUBSCRIBED', count }],
        })),
      ],
    })
    expect(await listAgreed(world)).toEqual(['ann'])
    const started = await world.run(Start, { input: { id: contactImport.id } })
    expect(started.contactImportStart.contactImport.status).toBe('RUNNING')
    expect(
      await vi.waitFor(
        async () => {
          const { contactImport: done } = await world.run(Read, { id: contactImport.id })
          expect(done.status).toBe('COMPLETED')
          return done
        },
        { timeout: 100_000, interval: 50 },
      ),
    ).toMatchObject({ created: 1, updated: 1 })
    expect(await listAgreed(world)).toEqual([])
    const again = await world.run(Start, { input: { id: contactImport.id } })
    expect(again.contactImportStart.contactImport.status).toBe('COMPLETED')
  })

  it.each([
    ['Email Address,CLEAN_TIME\nann@example.com,2024-03-01 08:00:00\n', {}, 'REVIEW'],
    ['email,status\nann@example.com,unsubscribed\nben@example.com,bounced\n', {}, 'REVIEW'],
    ['email,status\nann@example.com,unsubscribed\nben@example.com,active\n', {}, 'COMPLETED'],
    ['email,Accepts Email Marketing\nann@example.com,no\n', {}, 'COMPLETED'],
    ['email\nann@example.com\n', { review: true }, 'REVIEW'],
    ['email\n', { review: true }, 'COMPLETED'],
    [left, { review: false }, 'COMPLETED'],
  ])('waits or not: %j with %j', async (csv, options, status) => {
    expect(await importCsv(await open(), csv, { emailMarketing: true, ...options })).toMatchObject({ status })
  })

  it('cannot be started without its file, and fails if it is not started within a day', async () => {
    const world = await open()
    const { contactImport } = (await world.run(Create, { input: {} })).contactImportCreate
    const fault = await world.fault(Start, { input: { id: contactImport.id } })
    expect(fault.extensions).toMatchObject({ code: 'INVALID_STATE' })
    expect((await world.fault(Start, { input: { id: '999999' } })).extensions).toMatchObject({ code: 'NOT_FOUND' })
    const old = await importCsv(world, left)
    await world.rows("UPDATE contact_import SET created_at = created_at - interval '25 hours' WHERE account_id = $1", [
      world.accountId,
    ])
    await (contactJobs['contacts:forget-imports'] as (system: System) => Promise<void>)(world.server.system)
    const { contactImport: failed } = await world.run(Read, { id: old.id })
    expect(failed).toMatchObject({ status: 'FAILED', error: 'The import was not started within 24 hours.' })
  })
})
