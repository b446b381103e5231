// @module-tag rows
import { describe, expect, it } from 'vitest'
import type { World } from '../support/world.ts'
import { Create, Read, uploadFile, useImportServer, waitForImport } from './imports.ts'

const open = useImportServer()

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

  it('fails the import if the file is invalid', async () => {
    const world = await open()
    const { uploadUrl, contactImport } = await createWaiting(world)
    const response = await uploadFile(uploadUrl, `first_name\n${'Ada\n'.repeat(3_000)}`)
    expect(response).toMatchObject({ status: 422, body: { message: expect.stringContaining('e-mail address') } })
    expect((await world.run(Read, contactImport)).contactImport).toMatchObject({
      status: 'FAILED',
      error: response.body.message,
    })
    expect(await world.rows('SELECT FROM contact_import_chunk WHERE account_id = $1', [world.accountId])).toEqual([])
    expect((await world.run('{ contacts { totalCount } }')).contacts.totalCount).toBe(0)
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
    await expect.poll(status).toBe('UPLOADING')
    abort.abort()
    await expect(sending).rejects.toThrow()
    await expect.poll(status).toBe('WAITING')
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
