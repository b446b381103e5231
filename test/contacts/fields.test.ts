import { beforeAll, describe, expect, it } from 'vitest'
import { detailTexts } from '../../src/contacts/record/fields.ts'
import { newWorld } from '../support/world.ts'

describe('the texts of a contact', () => {
  let indexes: string[]
  beforeAll(async () => {
    const world = await newWorld()
    const rows = await world.rows<{ indexdef: string }>(`SELECT indexdef FROM pg_indexes WHERE tablename = 'contact'`)
    indexes = rows.map(({ indexdef }) => indexdef)
  })
  const isIndexed = (pattern: RegExp) => indexes.some((each) => pattern.test(each))

  it.each(detailTexts)('have an index that finds a part of $column', ({ column }) => {
    expect(isIndexed(new RegExp(`USING gin .*\\b${column}\\b.* gin_trgm_ops`))).toBe(true)
  })

  it.each(detailTexts.filter(({ isSorted }) => isSorted))('have an index in the order of $column', ({ column }) => {
    const keys = `lower\\(${column}\\) COLLATE dictionary, ${column} COLLATE dictionary`
    expect(isIndexed(new RegExp(`USING btree \\(account_id, ${keys}, id\\)`))).toBe(true)
  })
})
