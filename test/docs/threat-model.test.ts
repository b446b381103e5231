import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const page = readFileSync(new URL('../../src/docs/threat-model.md', import.meta.url), 'utf8')
const rows = page
  .split('\n')
  .filter((line) => /^\|(?! what |---)/.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()))

describe('threat-model.md', () => {
  it('names an existing test for each threat', () => {
    const missing = rows.flatMap(([, threat, , cell = '']) => {
      const files = [...cell.matchAll(/`([^`]+)`/g)].map(([, file]) => `test/${file}.test.ts`)
      return files.length === 0 ? [`${threat}: no test`] : files.filter((file) => !existsSync(file))
    })
    expect(rows.length).toBeGreaterThan(20)
    expect(missing).toEqual([])
  })
})
