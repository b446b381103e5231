import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { expect, it } from 'vitest'
import { atEnd } from '../support/ends.ts'

/** The folder with the results of the checks of each test file. */
const resultsFolder = 'test/generated/coverage'

/** The passed checks by test file. */
const files = new Map<string, Map<string, boolean>>()

/** The results of the current test file, written at its end. */
function resultsOf(testPath: string): Map<string, boolean> {
  const known = files.get(testPath)
  if (known) return known
  const passed = new Map<string, boolean>()
  files.set(testPath, passed)
  const path = `${resultsFolder}/${basename(testPath, '.test.ts')}.json`
  // If a file crashes, the results of an earlier run must not remain.
  rmSync(path, { force: true })
  atEnd(() => {
    mkdirSync(resultsFolder, { recursive: true })
    const results = Object.fromEntries([...passed].sort(([a], [b]) => (a < b ? -1 : 1)))
    writeFileSync(path, `${JSON.stringify(results, null, 2)}\n`)
  })
  return passed
}

/**
 * Defines a contract check: a test whose `id` never changes, such as `CON-LIST/INVALID_PERIOD`. An ID passes if all its
 * tests pass, in all files and over both gateways. `about` distinguishes the tests of an ID.
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
