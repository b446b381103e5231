import { expect, vi } from 'vitest'
import type { World } from '../support/world.ts'

const fields = `id databaseId status error rowsTotal rowsDone created updated unchanged failed
  columns { column field customField { name } } errors(first: 100) { totalCount nodes { line column message } }`
export const Create = `mutation ($input: ContactImportCreateInput!) {
  contactImportCreate(input: $input) { uploadUrl contactImport { ${fields} } } }`
export const Read = `query ($id: ID!) { contactImport(id: $id) { ${fields} } }`

// biome-ignore lint/suspicious/noExplicitAny: an answer's shape is what the tests are there to find out
type Answer = any

/** Imports a small file and answers what came of it, once it is over. */
export async function imported(world: World, csv: string, input: object = {}): Promise<Answer> {
  const { contactImport } = (await world.run(Create, { input: { csv, ...input } })).contactImportCreate
  return over(world, contactImport.id)
}

/** What came of an import, once it is over. */
export async function over(world: World, id: string, timeout = 20_000): Promise<Answer> {
  return vi.waitFor(
    async () => {
      const { contactImport } = await world.run(Read, { id })
      expect(['COMPLETED', 'FAILED']).toContain(contactImport.status)
      return contactImport
    },
    { timeout, interval: 50 },
  )
}

/** Sends a file to where an import waits for it. */
export async function put(url: string, body: BodyInit, init: RequestInit = {}) {
  const response = await fetch(url, { method: 'PUT', body, duplex: 'half', ...init } as RequestInit)
  return { status: response.status, body: (await response.json()) as Answer }
}

/** All contacts of an account with what belongs to them, by address. */
export async function people(world: World): Promise<Answer[]> {
  return (
    await world.run(`{ contacts(first: 100, orderBy: { field: EMAIL, direction: ASC }) { nodes {
      email firstName lastName phone companyName city country emailMarketing gdpr tags { name }
      customFields { label value } consents { nodes { kind granted source text } } } } }`)
  ).contacts.nodes
}
