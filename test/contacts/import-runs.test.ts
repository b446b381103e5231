// @module-tag rows
import { describe, expect, it } from 'vitest'
import { newServer } from '../support/server.ts'
import { worldOf } from '../support/world.ts'
import { Create, importCsv, listContacts, Read, uploadFile, useImportServer, waitForImport } from './imports.ts'

const open = useImportServer()

describe('a running import', () => {
  it('sends its progress to subscribers', async () => {
    const world = await open()
    const { uploadUrl, contactImport } = (await world.run(Create, { input: {} })).contactImportCreate
    const csv = `email\n${Array.from({ length: 2_500 }, (_, n) => `p${n}@example.com\n`).join('')}`
    const document = `subscription ($id: ID!, $after: String) {
      contactImportProgress(importId: $id, after: $after) { cursor status rowsDone rowsTotal contactImport { created } } }`
    const query = encodeURIComponent(document)
    const variables = encodeURIComponent(JSON.stringify({ id: contactImport.id }))
    const follow = () =>
      fetch(`${world.server.url}/graphql?query=${query}&variables=${variables}`, {
        headers: { accept: 'text/event-stream', authorization: `Bearer ${world.mainKey}` },
      })
    const eventsIn = (text: string) =>
      [...text.matchAll(/"contactImportProgress":(\{.*?\}\})/g)].map(([, json]) => JSON.parse(json as string))
    // The first state is that of the subscription, so it is read before the upload.
    let text = ''
    let isUploaded = false
    // The stream completes when the import is finished.
    for await (const chunk of (await follow()).body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk
      if (!isUploaded && eventsIn(text).length > 0) await uploadFile(uploadUrl, csv)
      isUploaded ||= eventsIn(text).length > 0
    }
    const events = eventsIn(text)
    const final = { status: 'COMPLETED', rowsDone: 2_500, rowsTotal: 2_500, contactImport: { created: 2_500 } }
    expect(events[0]).toMatchObject({ status: 'WAITING', rowsDone: 0 })
    expect(events.at(-1)).toMatchObject(final)
    expect(eventsIn(await (await follow()).text())).toEqual([expect.objectContaining(final)])
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
    await importCsv(world, 'email,Note\nb@example.com,x\n', { addTagIds: [foreign.id] })
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
    const twin = worldOf(server, world.accountId, world.mainKey)
    const statements = (rows: number) => twin.statements(() => twin.run(Create, { input: { csv: csv(rows) } }))
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
    expect(world.server.errors).toEqual([])
  })
})
