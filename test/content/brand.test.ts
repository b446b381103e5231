import { describe, expect, it } from 'vitest'
import { documentOf } from '../mail/content.ts'
import { newWorld, type World } from '../support/world.ts'

const Update = `mutation ($input: BrandUpdateInput!) { brandUpdate(input: $input) {
  brand { logoUrl logoAlt accentColor textColor font address links { network href } updatedAt } } }`

/** Compiles a document in a new campaign, and returns its HTML. */
async function htmlOf(world: World, ...blocks: readonly Record<string, unknown>[]): Promise<string> {
  const { id } = await world.campaign()
  const { campaignContentSet } = await world.run(
    `mutation ($id: ID!, $content: JSON) { campaignContentSet(input: { id: $id, content: $content }) {
      campaign { email { html } } } }`,
    { id, content: documentOf(...blocks) },
  )
  return campaignContentSet.campaign.email.html
}

const blocks = [
  { type: 'logo' },
  { type: 'button', text: 'Go', href: 'https://example.com/' },
  { type: 'social' },
  { type: 'footer' },
]

describe('the brand of an account', () => {
  it('is the style of the server until it is set', async () => {
    const world = await newWorld()
    const { brand } = await world.run('{ brand { accentColor font address logoUrl links { href } updatedAt } }')
    expect((await world.run('{ brand { sample } }')).brand.sample).toMatch(/A sample message[\s\S]*#1d4ed8/)
    expect(brand).toEqual({
      ...{ accentColor: '#1d4ed8', font: 'ARIAL', address: '', logoUrl: '', links: [], updatedAt: expect.any(String) },
    })
    expect(await htmlOf(world, ...blocks)).not.toContain('<img')
  })

  it('is the style of messages whose content is set afterwards, and of no other account', async () => {
    const world = await newWorld()
    const other = await world.other()
    const input = {
      ...{ logoUrl: 'https://example.com/logo.png', logoAlt: 'Rosalie & co', accentColor: '#ffdd00', font: 'GEORGIA' },
      ...{ address: 'Mill Lane 1\nGhent', links: [{ network: 'GITHUB', href: 'https://example.com/git' }] },
    }
    const { brand } = (await world.run(Update, { input })).brandUpdate
    expect(brand).toMatchObject({ ...input, textColor: '#1f2933', updatedAt: expect.any(String) })
    const html = await htmlOf(world, ...blocks)
    expect(html).toContain('alt="Rosalie &#38; co"')
    expect(html).toContain('font-family:Georgia, Times, serif')
    // The label is dark on a light button.
    expect(html).toMatch(/background:#ffdd00;color:#1f2933/)
    expect(html).toContain('Mill Lane 1<br>Ghent')
    expect(html).toContain('>GitHub</a>')
    expect(await htmlOf(other, ...blocks)).not.toContain('Mill Lane')
    const again = (await world.run(Update, { input: { address: '' } })).brandUpdate.brand
    expect(again).toMatchObject({ ...input, address: '' })
  })

  it('refuses colours that are none or hard to read, and links that are none', async () => {
    const world = await newWorld()
    const fieldOf = async (input: object) =>
      Object.keys((await world.fault(Update, { input })).extensions.details ?? {})
    expect(await fieldOf({ accentColor: 'red' })).toEqual(['input.accentColor'])
    expect(await fieldOf({ textColor: '#cccccc' })).toEqual(['input.textColor'])
    expect(await fieldOf({ contentColor: '#222222' })).toEqual(['input.contentColor'])
    expect(await fieldOf({ logoUrl: 'javascript:alert(1)' })).toEqual(['input.logoUrl'])
    expect(await fieldOf({ links: [{ network: 'X', href: 'x' }] })).toEqual(['input.links.0.href'])
    const link = { network: 'X', href: 'https://example.com' }
    expect(await fieldOf({ links: Array(21).fill(link) })).toEqual(['input.links'])
    await world.run(Update, { input: { contentColor: '#222222', textColor: '#ffffff' } })
  })
})
