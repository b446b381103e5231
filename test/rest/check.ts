import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { expect, it } from 'vitest'
import { atEnd } from '../support/ends.ts'

/** Where each test file leaves which of its checks ran and passed. */
const resultsFolder = 'test/generated/coverage'

/** Of each test file, which of its checks passed. */
const files = new Map<string, Map<string, boolean>>()

/** The results of the test file that is read now; written when it is over. */
function resultsOf(testPath: string): Map<string, boolean> {
  const known = files.get(testPath)
  if (known) return known
  const passed = new Map<string, boolean>()
  files.set(testPath, passed)
  const path = `${resultsFolder}/${basename(testPath, '.test.ts')}.json`
  // A file that dies before its end must not leave the results of an earlier run behind.
  rmSync(path, { force: true })
  atEnd(() => {
    mkdirSync(resultsFolder, { recursive: true })
    const results = Object.fromEntries([...passed].sort(([a], [b]) => (a < b ? -1 : 1)))
    writeFileSync(path, `${JSON.stringify(results, null, 2)}\n`)
  })
  return passed
}

/**
 * A contract check: a test whose `id` never changes, such as `CON-LIST/INVALID_PERIOD`. It counts as working where every
 * test of that id passed, in whichever file and over both gateways. `about` says what one of several tests of an id is about.
 */
export function check(id: string, about: string, run: () => Promise<void> | void): void {
  const passed = resultsOf(expect.getState().testPath ?? 'unknown')
  it(`${id} ${about}`.trim(), async () => {
    const before = passed.get(id) ?? true
    passed.set(id, false)
    await run()
    passed.set(id, before)
  })
}
