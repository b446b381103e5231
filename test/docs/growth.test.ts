import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { costs, diskOf, needsOf, sumOf, tableOf, usual } from '../bench/model.ts'

const size = { contacts: 1e6, messages: 1e7 }

describe('the model of growth', () => {
  it('is in growth.md as the program prints it', () => {
    expect(readFileSync('src/docs/growth.md', 'utf8')).toContain(tableOf(usual))
  })

  it('adds up the costs of all work', () => {
    const { message, visit } = costs
    expect(sumOf({ message: 2, visit: 3 }, 'node')).toBeCloseTo(2 * message.node + 3 * visit.node)
  })

  it('needs twice as much for twice the size, and nothing for none', () => {
    const [one, two] = [needsOf(size), needsOf({ contacts: 2e6, messages: 2e7 })]
    expect(two.processors / one.processors).toBeCloseTo(2)
    expect(two.wal / one.wal).toBeCloseTo(2)
    expect(two.disk / one.disk).toBeCloseTo(2)
    expect(diskOf({ contacts: 0, messages: 0 }, 12)).toBe(0)
  })

  it('keeps messages for good, and events for their retention', () => {
    const growth = (from: number, to: number) => diskOf(size, to) - diskOf(size, from)
    expect(growth(24, 36)).toBeCloseTo(growth(36, 48), 0)
    expect(growth(0, 12)).toBeGreaterThan(growth(24, 36))
  })
})
