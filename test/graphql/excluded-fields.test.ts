import { expect, it } from 'vitest'
import { newWorld } from '../support/world.ts'

it('fields that a directive excludes are not charged, also after the query was compiled', async () => {
  const world = await newWorld()
  await world.contact({})
  const query = `query ($isShort: Boolean!) {
    contacts { nodes { email account @skip(if: $isShort) { id } stats @skip(if: $isShort) { sent } } } }`
  const costOf = async (isShort: boolean) => {
    const { body } = await world.ask(query, { isShort })
    return (body.extensions as { cost: { actual: number } }).cost.actual
  }
  const [short, long] = [await costOf(true), await costOf(false)]
  expect(long).toBe(short + 2)
  for (let times = 0; times < 6; times += 1) expect(await costOf(true)).toBe(short)
})
