import { afterAll } from 'vitest'
import { endAll } from './ends.ts'
import { statementFaults, watchStatements } from './statements.ts'

watchStatements()

afterAll(endAll, 240_000)

afterAll(() => {
  const found = statementFaults()
  if (found.length > 0) throw new Error(`Statements have faults:\n${found.join('\n')}`)
})
