import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { afterAll, expect, it } from 'vitest'

/** Where each test file leaves which of its checks ran and passed. */
const resultsFolder = 'test/generated/coverage'

const passed = new Map<string, boolean>()
let file: string | undefined

function resultsFile(): string {
  file ??= `${resultsFolder}/${basename(expect.getState().testPath ?? 'unknown', '.test.ts')}.json`
  return file
}

// A file that dies before its end must not leave the results of an earlier run behind.
rmSync(resultsFile(), { force: true })

afterAll(() => {
  mkdirSync(resultsFolder, { recursive: true })
  const results = Object.fromEntries([...passed].sort(([a], [b]) => (a < b ? -1 : 1)))
  writeFileSync(resultsFile(), `${JSON.stringify(results, null, 2)}\n`)
})

/**
 * A contract check: a test whose `id` never changes, such as `CON-LIST/INVALID_PERIOD`. It counts as working where every
 * test of that id passed, in whichever file and over both gateways. `about` says what one of several tests of an id is about.
 */
export function check(id: string, about: string, run: () => Promise<void> | void): void {
  it(`${id} ${about}`.trim(), async () => {
    const before = passed.get(id) ?? true
    passed.set(id, false)
    await run()
    passed.set(id, before)
  })
}
