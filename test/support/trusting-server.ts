import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hashOf } from '../../src/kernel/web/tokens.ts'
import { newServer, type Server } from './server.ts'

/** Starts a server that trusts these documents. */
export async function newTrustingServer(
  documents: readonly string[],
  env: Record<string, string> = {},
): Promise<Server> {
  const folder = await mkdtemp(join(tmpdir(), 'campanile-trusted-'))
  const manifest = join(folder, 'manifest.json')
  await writeFile(
    manifest,
    JSON.stringify(Object.fromEntries(documents.map((text) => [`sha256:${hashOf(text)}`, text]))),
  )
  const server = await newServer({ TRUSTED_DOCUMENTS: manifest, ...env })
  await rm(folder, { recursive: true })
  return server
}
