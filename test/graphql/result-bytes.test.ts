import { describe, expect, it } from 'vitest'
import { newWorld, type World } from '../support/world.ts'

const SetContent = `mutation ($id: ID!, $html: String!) {
  campaignContentSet(input: { id: $id, html: $html }) { campaign { id } } }`

/** Creates campaigns whose HTML has a megabyte each. */
async function createLarge(world: World, n: number): Promise<string[]> {
  const ids: string[] = []
  for (let index = 0; index < n; index += 1) {
    const { id } = await world.campaign()
    await world.run(SetContent, { id, html: '<p>Hello</p>' })
    ids.push(id)
  }
  await world.rows("UPDATE document SET body = convert_to(repeat('x', 900000), 'UTF8') WHERE account_id = $1", [
    world.accountId,
  ])
  return ids
}

const aliases = (n: number) =>
  `query ($id: ID!) { ${Array.from({ length: n }, (_, index) => `a${index}: campaign(id: $id) { email { html } }`).join(' ')} }`

describe('the result of a document', () => {
  it('has at most 16 MB, however often a text is selected, and its bytes cost points', async () => {
    const world = await newWorld()
    const [id] = await createLarge(world, 1)
    const few = await world.ask(aliases(10), { id })
    expect(few.body.errors).toBeUndefined()
    expect(few.body.extensions.cost.actual).toBe(20 + (9_000_000 - 100_000) / 1_000)
    // The last times it is compiled.
    for (let time = 0; time < 4; time += 1) {
      const { body } = await world.ask(aliases(20), { id })
      expect(body).toMatchObject({
        data: null,
        errors: [
          {
            message:
              'The document was stopped: it returns more than 16000000 bytes, most of them in `html`. Ask for fewer long texts in one document.',
            extensions: { code: 'QUERY_TOO_COMPLEX' },
          },
        ],
      })
      expect(body.extensions.cost.actual).toBeGreaterThan(15_000)
    }
  })

  it('is not read if it would have more, and the error names what is too large', async () => {
    const world = await newWorld()
    await createLarge(world, 18)
    const { message, extensions } = await world.fault('{ campaigns(first: 18) { nodes { email { html } } } }')
    expect([message, extensions?.code]).toEqual([
      'The document was stopped: it reads more than 16000000 bytes of bodies of e-mails. Ask for fewer long texts in one document.',
      'QUERY_TOO_COMPLEX',
    ])
    const { campaigns } = await world.run('{ campaigns(first: 17) { nodes { email { html } } } }')
    expect(campaigns.nodes).toHaveLength(17)
  })

  it('is limited for previews and for mutations too', async () => {
    const world = await newWorld()
    const [id] = await createLarge(world, 1)
    const previews = Array.from({ length: 9 }, (_, index) => `p${index}: preview { html }`).join(' ')
    const { message } = await world.fault(`query ($id: ID!) { campaign(id: $id) { email { ${previews} } } }`, { id })
    expect(message).toContain('previews of e-mails')
    const emails = Array.from({ length: 20 }, (_, index) => `e${index}: email { html }`).join(' ')
    const { body } = await world.ask(
      `mutation ($id: ID!) { campaignUpdate(input: { id: $id, name: "renamed" }) { campaign { ${emails} } } }`,
      { id },
    )
    expect(body).toMatchObject({ data: null, errors: [{ extensions: { code: 'QUERY_TOO_COMPLEX' } }] })
    expect(body.errors[0].message).toContain('although its changes were made')
    const { campaign } = await world.run('query ($id: ID!) { campaign(id: $id) { name } }', { id })
    expect(campaign.name).toBe('renamed')
  })
})
