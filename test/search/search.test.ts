import { beforeAll, describe, expect, it } from 'vitest'
import { storedMedia } from '../content/stored.ts'
import { newWorld, type World } from '../support/world.ts'

const Search =
  'query ($text: String!, $kinds: [SearchKind!]) { search(text: $text, kinds: $kinds) { kind title detail node { id } } }'

interface Result {
  readonly kind: string
  readonly title: string
}

describe('search', () => {
  let world: World
  beforeAll(async () => {
    world = await newWorld()
    for (let n = 0; n < 12; n += 1) await world.contact({ firstName: 'Nightingale', email: `n${n}@birds.example` })
    await world.campaign({ name: 'Nightingale news' })
    await world.tag('nightingale')
    await storedMedia(world, 'Nightingale.png')
  })
  const titles = async (text: string, options: object = {}) =>
    (await world.run(Search, { text }, options)).search.map(({ kind, title }: Result) => `${kind} ${title}`)

  it('finds objects of all kinds, at most ten of each', async () => {
    expect(await titles('night')).toEqual([
      ...Array(10).fill('CONTACT Nightingale'),
      'CAMPAIGN Nightingale news',
      'TAG nightingale',
      'MEDIA Nightingale.png',
    ])
    expect(await titles('n3@birds')).toEqual(['CONTACT Nightingale'])
  })

  it('finds only the kinds that were asked for, and that the key may read', async () => {
    const { search } = await world.run(Search, { text: 'night', kinds: ['TAG'] })
    expect(search.map(({ kind }: Result) => kind)).toEqual(['TAG'])
    const key = await world.key({ scopes: ['campaigns:read'] })
    expect(await titles('night', { key })).toEqual(['CAMPAIGN Nightingale news'])
  })

  it('returns VALIDATION_ERROR for one character', async () => {
    expect((await world.fault(Search, { text: ' n ' })).extensions).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { text: ['must have at least 2 characters'] },
    })
  })

  it('finds nothing of another account', async () => {
    const other = await world.other()
    expect((await other.run(Search, { text: 'night' })).search).toEqual([])
  })
})
