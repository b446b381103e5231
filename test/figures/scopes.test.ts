import { beforeAll, describe, expect, it } from 'vitest'
import { type FigureObject, figures } from '../../src/figures/catalogue.ts'
import type { Scope } from '../../src/kernel/scopes.ts'
import { newWorld, type World } from '../support/world.ts'
import { newSegment } from './documents.ts'

/** The scope that a key needs to read an object that has series. */
const scopeOf: Readonly<Record<FigureObject, Scope>> = {
  Account: 'account:read',
  Tag: 'contacts:read',
  Segment: 'contacts:read',
  Campaign: 'campaigns:read',
  Sequence: 'sequences:read',
  SequenceStage: 'sequences:read',
  Form: 'forms:read',
  Funnel: 'funnels:read',
  FunnelStep: 'funnels:read',
}

const cases = Object.entries(figures).flatMap(([figure, { needs, objects }]) =>
  objects.map((object): [string, FigureObject, Scope] => [figure, object, needs]),
)

describe('a figure is read only with its scope', () => {
  let world: World
  let ids: Record<string, { id: string }>
  beforeAll(async () => {
    world = await newWorld()
    const [sequence, funnel] = [await world.sequence(), await world.funnel()]
    ids = {
      Account: (await world.run('{ account { id } }')).account,
      Tag: await world.tag(),
      Segment: await newSegment(world),
      Campaign: await world.campaign(),
      Sequence: sequence,
      SequenceStage: await world.stage(sequence),
      Form: await world.form(),
      Funnel: funnel,
      FunnelStep: await world.step(funnel),
    }
  })

  it.each(cases)('%s of %s', async (figure, object, needs) => {
    const ask = async (...scopes: Scope[]) => {
      const document = `query ($id: ID!) { node(id: $id) { ... on ${object} { series(figure: ${figure}) { total } } } }`
      return (await world.ask(document, ids[object], { key: await world.key({ scopes }) })).body
    }
    const own = scopeOf[object]
    expect((await ask(own, needs)).data.node.series.total).toMatch(/^0/)
    const without = await ask(own)
    if (needs === own) expect(without.errors).toBeUndefined()
    else {
      expect(without.data.node.series).toBeNull()
      expect(without.errors[0].extensions).toMatchObject({ code: 'FORBIDDEN' })
    }
    const withoutObject = await ask(needs)
    if (needs !== own) expect(withoutObject.data.node).toBeNull()
  })
})
