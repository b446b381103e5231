import { describe, expect, it } from 'vitest'
import { storedMedia } from '../content/stored.ts'
import { newWorld, type World } from '../support/world.ts'

const Preview = `query ($id: ID!, $contactId: ID) {
  campaign(id: $id) { email { preview(contactId: $contactId) { subject html text } } } }`

async function campaignOf(world: World, html: string, subject = 'News for {{FIRST_NAME}}') {
  const campaign = await world.campaign({ subject, fromEmail: 'ada@example.com' })
  const set = 'mutation ($input: CampaignContentSetInput!) { campaignContentSet(input: $input) { campaign { id } } }'
  await world.run(set, { input: { id: campaign.id, html } })
  return campaign
}

const html = '<p>Hi {{FIRST_NAME:there}}, <a href="https://shop.example/?e={{EMAIL}}">shop</a></p>'

describe('a preview', () => {
  it('renders the e-mail for a contact, or for an example contact', async () => {
    const world = await newWorld()
    const bob = await world.contact({ firstName: 'Bob' })
    const { id } = await campaignOf(world, `${html}<script>alert(1)</script>`)
    const { email } = (await world.run(Preview, { id, contactId: bob.id })).campaign
    expect(email.preview.subject).toBe('News for Bob')
    expect(email.preview.html).toContain('<p>Hi Bob, <a href="https://shop.example/?e=')
    expect(email.preview.html).not.toContain('/t/')
    expect(email.preview.text).toContain('Hi Bob, shop [https://shop.example/?e=')
    expect((await world.run(Preview, { id })).campaign.email.preview.subject).toBe('News for Ada')
    expect(await world.rows('SELECT FROM mail_link WHERE account_id = $1', [world.accountId])).toEqual([])
  })

  it('is null for contacts of other accounts, and needs contacts:read', async () => {
    const world = await newWorld()
    const { id } = await campaignOf(world, html)
    const stranger = await (await world.other()).contact()
    for (const contactId of [stranger.id, stranger.databaseId, 0]) {
      expect((await world.run(Preview, { id, contactId })).campaign.email.preview).toBeNull()
    }
    const own = await world.contact()
    const key = await world.key({ scopes: ['campaigns:read', 'mail:read'] })
    expect((await world.run(Preview, { id }, { key })).campaign.email.preview.subject).toBe('News for Ada')
    const { body } = await world.ask(Preview, { id, contactId: own.id }, { key })
    expect(body.errors[0].extensions.code).toBe('FORBIDDEN')
  })

  it('shows the preheader as an inbox does', async () => {
    const world = await newWorld()
    const bob = await world.contact({ firstName: 'Bob & Co' })
    const { id } = await campaignOf(world, html)
    const shown = async (contactId?: string) => {
      const document =
        'query ($id: ID!, $contactId: ID) { campaign(id: $id) { email { preview(contactId: $contactId) { preheader } } } }'
      return (await world.run(document, { id, contactId })).campaign.email.preview.preheader
    }
    expect(await shown()).toBe('')
    const update =
      'mutation ($id: ID!, $preheader: String) { campaignUpdate(input: { id: $id, preheader: $preheader }) { campaign { id } } }'
    await world.run(update, { id, preheader: 'For {{FIRST_NAME}}, {{CITY:wherever}}' })
    expect(await shown(bob.id)).toBe('For Bob & Co, wherever')
    const set = 'mutation ($input: CampaignContentSetInput!) { campaignContentSet(input: $input) { campaign { id } } }'
    await world.run(set, { input: { id, html: '', text: 'Hi' } })
    expect(await shown()).toBe('')
  })

  it.each(['short', 'long'])('measures the HTML and its pictures, of a %s body', async (length) => {
    const world = await newWorld()
    const other = await world.other()
    const Item = 'query ($id: ID!) { mediaItem(id: $id) { url bytes } }'
    const itemOf = async (owner: World, name: string) =>
      (await owner.run(Item, { id: (await storedMedia(owner, name)).id })).mediaItem
    const [one, two] = [await itemOf(world, 'one.png'), await itemOf(world, 'two.png')]
    const foreign = await itemOf(other, 'three.png')
    const Sizes = 'query ($id: ID!) { campaign(id: $id) { email { preview { html htmlBytes pictureBytes } } } }'
    const sizesOf = async (body: string) => {
      const { id } = await campaignOf(world, `${body}<p>${'é'.repeat(length === 'long' ? 10_000 : 1)}</p>`)
      const { preview } = (await world.run(Sizes, { id })).campaign.email
      expect(preview.htmlBytes).toBe(Buffer.byteLength(preview.html))
      return preview.pictureBytes
    }
    const unknown = `${one.url.slice(0, one.url.lastIndexOf('/') - 64)}${'0'.repeat(64)}/x.png`
    const picture = (url: string) => `<img src="${url}" alt="">`
    expect(await sizesOf(picture(foreign.url) + picture(unknown) + picture('https://shop.example/x.png'))).toBeNull()
    expect(await sizesOf(picture(one.url) + picture(one.url) + picture(foreign.url))).toBe(one.bytes)
    expect(await sizesOf(`${picture(one.url)}<table background="${two.url}"></table>`)).toBe(one.bytes + two.bytes)
  })

  it('reads the sizes of pictures of several e-mails in one statement, and only if they are selected', async () => {
    const world = await newWorld()
    const picture = await storedMedia(world, 'one.png')
    const { url } = (await world.run('query ($id: ID!) { mediaItem(id: $id) { url } }', picture)).mediaItem
    const statementsFor = (fields: string) =>
      world.statements(() => world.run(`{ campaigns(first: 5) { nodes { email { preview { ${fields} } } } } }`))
    await campaignOf(world, `<img src="${url}" alt="">`)
    const one = await statementsFor('html pictureBytes')
    for (let n = 0; n < 4; n += 1) await campaignOf(world, `<img src="${url}" alt="${n}">`)
    expect(await statementsFor('html pictureBytes')).toBe(one)
    expect(await statementsFor('html htmlBytes')).toBe(one - 1)
  })

  it('renders an e-mail that is not complete', async () => {
    const world = await newWorld()
    const { id } = (await world.run('mutation { campaignCreate(input: { name: "x" }) { campaign { id } } }'))
      .campaignCreate.campaign
    expect((await world.run(Preview, { id })).campaign.email.preview.subject).toBe('')
  })
})
