import { execFile } from 'node:child_process'
import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)
const tool = (name: string) => join(root, 'node_modules/.bin', name)

describe('the schema', () => {
  it("is accepted by Relay's compiler, with pagination, refetching and connection updates", async () => {
    const folder = await mkdtemp(join(tmpdir(), 'campanile-relay-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    await cp(join(root, 'test/suites/relay'), join(folder, 'src'), { recursive: true })
    await cp(join(root, 'schema.graphql'), join(folder, 'schema.graphql'))
    const config = { src: './src', language: 'typescript', schema: './schema.graphql', eagerEsModules: true }
    await writeFile(join(folder, 'relay.config.json'), JSON.stringify(config))
    await run(tool('relay-compiler'), ['relay.config.json'], { cwd: folder })
    const created = await readdir(join(folder, 'src/__generated__'))
    expect(created).toContain('contactsPaginationQuery.graphql.ts')
  })

  it('passes a linter including the rules of Relay', async () => {
    // Error codes are in `extensions`, which have no type. A week is listed before a month, and UTF-8 before
    // UTF-16, because the printer orders numbers in names by their value.
    const ignored = {
      'defined-types-are-used': ['ErrorCode', 'FieldErrorCode'],
      'enum-values-sorted-alphabetically': ['Period', 'ContactImportEncoding'],
    }
    const { stdout } = await run(tool('graphql-schema-linter'), [
      ...['--ignore', JSON.stringify(ignored)],
      join(root, 'schema.graphql'),
    ])
    expect(stdout).toContain('0 errors detected')
  })
})
