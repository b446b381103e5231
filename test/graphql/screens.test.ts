import { readFileSync } from 'node:fs'
import { Kind, type OperationDefinitionNode, parse, print } from 'graphql'
import { describe, expect, it } from 'vitest'
import { newWorld } from '../support/world.ts'

const text = readFileSync(new URL('../bench/screens/screens.graphql', import.meta.url), 'utf8')
const screens = parse(text).definitions.filter(
  (each): each is OperationDefinitionNode => each.kind === Kind.OPERATION_DEFINITION,
)

describe('a screen of a back office', () => {
  it('is one query that is estimated at less than 10,000 points and has no error', async () => {
    const world = await newWorld()
    const objects: Record<string, { id: string }> = {
      Contact: await world.contact(),
      Segment: await world.segment(),
      Campaign: await world.campaign(),
      Sequence: await world.sequence(),
      Form: await world.form(),
      Funnel: await world.funnel(),
    }
    for (const screen of screens) {
      const name = String(screen.name?.value)
      const { body } = await world.ask(print(screen), { id: objects[name]?.id })
      expect([name, body.errors]).toEqual([name, undefined])
      expect(body.extensions.cost.requested, name).toBeLessThan(10_000)
      if (objects[name]) expect(Object.values(body.data)[0], name).toMatchObject({ id: objects[name].id })
    }
    expect(screens).toHaveLength(12)
  })
})
