import { expect, vi } from 'vitest'
import { newServer, type Server } from '../support/server.ts'
import { newWorld, type World, type WorldOptions } from '../support/world.ts'

const fields = `id databaseId status error rowsTotal rowsDone created updated unchanged failed warnings encoding dateOrder
  errorGroups { severity code column message count firstLines }
  columns { column position field dateOrder customField { name } }
  errors(first: 100) { totalCount nodes { line column severity code message value } }`
export const Create = `mutation ($input: ContactImportCreateInput!) {
  contactImportCreate(input: $input) { uploadUrl contactImport { ${fields} } } }`
export const Read = `query ($id: ID!) { contactImport(id: $id) { ${fields} } }`

// biome-ignore lint/suspicious/noExplicitAny: the tests assert the shape of a response
type Data = any

/** Returns a function that creates accounts on one server with API and worker, for the calling test file. */
export function useImportServer(): (options?: WorldOptions) => Promise<World> {
  let server: Promise<Server> | undefined
  return async (options = {}) => {
    server ??= newServer({ ROLES: 'api,worker' })
    return newWorld({ server: await server, ...options })
  }
}

/** Imports a small file and returns the finished import. */
export async function importCsv(world: World, csv: string, input: object = {}): Promise<Data> {
  const { contactImport } = (await world.run(Create, { input: { csv, ...input } })).contactImportCreate
  return waitForImport(world, contactImport.id)
}

/** Waits until an import has completed, has failed or waits for a review, and returns it. */
export async function waitForImport(world: World, id: string, timeout = 100_000): Promise<Data> {
  return vi.waitFor(
    async () => {
      const { contactImport } = await world.run(Read, { id })
      expect(['COMPLETED', 'FAILED', 'REVIEW']).toContain(contactImport.status)
      return contactImport
    },
    { timeout, interval: 50 },
  )
}

/** Uploads a file to the upload URL of an import. */
export async function uploadFile(url: string, body: BodyInit, init: RequestInit = {}) {
  const response = await fetch(url, { method: 'PUT', body, duplex: 'half', ...init } as RequestInit)
  return { status: response.status, body: (await response.json()) as Data }
}

/** Returns the contacts of an account with their tags, values and consents, ordered by e-mail address. */
export async function listContacts(world: World): Promise<Data[]> {
  return (
    await world.run(`{ contacts(first: 100, orderBy: { field: EMAIL, direction: ASC }) { nodes {
      email firstName lastName phone companyName city country emailMarketing gdpr tags { name }
      customFields { label value } consents { nodes { kind granted source text } } } } }`)
  ).contacts.nodes
}
