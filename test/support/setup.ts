import { afterAll } from 'vitest'
import { endAll } from './ends.ts'
import { crossAccountStatements, watchStatements } from './statements.ts'

watchStatements()

afterAll(endAll, 240_000)

afterAll(() => {
  const found = crossAccountStatements()
  if (found.length === 0) return
  throw new Error(`Statements name no account and are not in test/architecture/cross-account.ts:\n${found.join('\n')}`)
})
