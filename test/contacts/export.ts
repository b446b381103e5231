import { strFromU8, unzipSync } from 'fflate'
import { expect } from 'vitest'
import type { AskOptions, World } from '../support/world.ts'

export const Export = `mutation ($input: ContactExportInput!) {
  contactExport(input: $input) { contactDatabaseId url expiresAt parts omittedParts } }`

/** Creates the export of a contact. */
export async function exportContact(world: World, contact: object, options: AskOptions = {}) {
  return (await world.run(Export, { input: { contact } }, options)).contactExport
}

/** Downloads the file of an export. Returns the JSON document and the text of each other file. */
export async function download(url: string) {
  const response = await fetch(url)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('application/zip')
  expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename="contact-\d+\.zip"$/)
  const files = unzipSync(new Uint8Array(await response.arrayBuffer()))
  const texts = Object.fromEntries(Object.entries(files).map(([name, bytes]) => [name, strFromU8(bytes)]))
  const { 'person.json': json = '', ...csv } = texts
  return { json: JSON.parse(json), csv }
}
