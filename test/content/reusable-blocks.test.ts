import { describe, expect, it } from 'vitest'
import { documentOf, paragraph } from '../mail/content.ts'
import { until } from '../runtime/process.ts'
import { newServer } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'

type Json = Readonly<Record<string, unknown>>

const Create = `mutation ($name: String!, $content: JSON!) {
  reusableBlockCreate(input: { name: $name, content: $content }) { reusableBlock { id databaseId content } } }`
const Update = `mutation ($id: ID!, $content: JSON) {
  reusableBlockUpdate(input: { id: $id, content: $content }) { reusableBlock { content } } }`
const Delete = 'mutation ($id: ID!) { reusableBlockDelete(input: { id: $id }) { deletedReusableBlockId } }'
const SetContent = `mutation ($id: ID!, $content: JSON) {
  campaignContentSet(input: { id: $id, content: $content }) { campaign { email { content html text } } } }`
const UsedIn = `query ($id: ID!) { reusableBlock(id: $id) { usedIn { id __typename ... on Campaign { name }
  ... on SequenceStage { name } } } }`

const textBlock = (text: string): Json => ({ type: 'text', content: paragraph(text) })
const reference = ({ id }: { id: string }): Json => ({ type: 'reusable', reusableBlockId: id })

async function newBlock(world: World, content: unknown = [textBlock('Opening hours: 9 to 5')], name = 'Hours') {
  return (await world.run(Create, { name, content })).reusableBlockCreate.reusableBlock as {
    id: string
    databaseId: number
    content: Json[]
  }
}

const setContent = async (world: World, { id }: { id: string }, content: Json) =>
  (await world.run(SetContent, { id, content })).campaignContentSet.campaign.email

const faultsOf = async (world: World, document: string, variables: object): Promise<string[]> => {
  const { message, extensions } = await world.fault(document, variables)
  expect(extensions.code, message).toBe('VALIDATION_ERROR')
  return extensions.details?.['input.content'] ?? []
}

describe('a reusable block', () => {
  it('is shown in the place of references, which the document keeps', async () => {
    const world = await newWorld()
    const block = await newBlock(world, [textBlock('Open 9 to 5'), { type: 'divider' }])
    const content = documentOf(textBlock('Hello'), reference(block))
    const email = await setContent(world, await world.campaign(), content)
    expect(email.content).toEqual(content)
    expect(email.text).toBe('Hello\n\nOpen 9 to 5\n\n---\n')
    expect(email.html).toContain('Open 9 to 5')
  })

  it('is refused if it is invalid, too large, or contains a reusable block', async () => {
    const world = await newWorld()
    const faults = (content: unknown) => faultsOf(world, Create, { name: 'x', content })
    const block = await newBlock(world)
    expect(await faults([reference(block)])).toEqual([expect.stringMatching(/^0\.type must be one of heading/)])
    expect(await faults([])).toEqual(['must not be empty'])
    expect(await faults({})).toEqual([expect.stringContaining('must be')])
    expect(await faults([{ type: 'button', text: 'x', href: 'javascript:x' }])).toEqual([
      expect.stringMatching(/^0\.href/),
    ])
    expect(await faults([{ type: 'html', html: '<div>'.repeat(100) }])).toEqual([expect.stringMatching(/^0\.html/)])
    expect(await faults([textBlock('x'.repeat(70_000))])).toEqual(['must have at most 65536 bytes'])
  })

  it('of another account, a deleted one and any other text are no reusable block, with their path', async () => {
    const world = await newWorld()
    const foreign = await newBlock(await world.other())
    const deleted = await newBlock(world)
    await world.run(Delete, { id: deleted.id })
    const { id } = await world.campaign()
    for (const each of [foreign.id, deleted.id, String(deleted.databaseId), '__proto__', 'x']) {
      const content = documentOf(textBlock('Hello'), reference({ id: each }))
      expect(await faultsOf(world, SetContent, { id, content })).toEqual([
        'sections.0.columns.0.blocks.1.reusableBlockId must be the id of a reusable block of the account',
      ])
    }
  })

  it('counts in the limits of a message with its blocks', async () => {
    const world = await newWorld()
    const { id } = await world.campaign()
    const many = await newBlock(world, Array(300).fill({ type: 'divider' }))
    expect(await faultsOf(world, SetContent, { id, content: documentOf(reference(many), reference(many)) })).toEqual([
      'must have at most 500 blocks with those of reusable blocks',
    ])
    const large = await newBlock(world, [textBlock('x'.repeat(60_000))])
    const content = documentOf(...Array(5).fill(reference(large)))
    expect(await faultsOf(world, SetContent, { id, content })).toEqual([
      'must have at most 262144 bytes with its reusable blocks',
    ])
  })

  it('that grows beyond the limits of a message is left out of pictures of templates', async () => {
    const world = await newWorld()
    const block = await newBlock(world, [textBlock('Small')])
    const content = documentOf(...Array<Json>(499).fill(reference(block)))
    await world.run(
      'mutation ($content: JSON) { emailTemplateCreate(input: { name: "Large", content: $content }) { emailTemplate { id } } }',
      { content },
    )
    const thumbnail = async () =>
      (await world.run('{ emailTemplates { nodes { thumbnail } } }')).emailTemplates.nodes[0].thumbnail
    expect(await thumbnail()).toContain('Small')
    await world.run(Update, { id: block.id, content: [textBlock('Large'), textBlock('Large')] })
    expect(await thumbnail()).not.toContain('Large')
  })

  it('is not read with so many others that no message could show them', async () => {
    const world = await newWorld()
    const blocks: Json[] = []
    for (let n = 0; n < 66; n += 1) blocks.push(reference(await newBlock(world, [textBlock('x'.repeat(62_000))])))
    const { id } = await world.campaign()
    const { extensions } = await world.fault(SetContent, { id, content: documentOf(...blocks) })
    expect(extensions.details?.['input.content']).toEqual(['must have at most 262144 bytes with its reusable blocks'])
  })

  it('changes the drafts and stages that contain it, and no message that was sent', async () => {
    const world = await newWorld({ server: await newServer({ ROLES: 'api,worker' }) })
    await world.contact({ emailMarketing: true })
    const block = await newBlock(world)
    const [draft, sent] = [await world.campaign(), await world.campaign({ audience: { sendToAll: true } })]
    const stage = await world.stage(await world.sequence())
    const content = documentOf(reference(block))
    for (const campaign of [draft, sent]) await setContent(world, campaign, content)
    await world.run(
      'mutation ($id: ID!, $content: JSON) { sequenceStageContentSet(input: { id: $id, content: $content }) { stage { id } } }',
      { id: stage.id, content },
    )
    await world.run('mutation ($id: ID!) { campaignSend(input: { id: $id }) { campaign { id } } }', { id: sent.id })
    const { campaignDuplicate } = await world.run(
      'mutation ($id: ID!) { campaignDuplicate(input: { id: $id, name: "Copy" }) { campaign { id } } }',
      { id: draft.id },
    )
    const copy = campaignDuplicate.campaign as { id: string }
    await world.run(Update, { id: block.id, content: [textBlock('Closed in August')] })
    const textOf = async ({ id }: { id: string }): Promise<string> => {
      const read = `query ($id: ID!) { node(id: $id) { ... on Campaign { email { text } }
        ... on SequenceStage { email { text } } } }`
      return (await world.run(read, { id })).node.email.text
    }
    for (const each of [draft, stage, copy]) await until(async () => (await textOf(each)) === 'Closed in August\n')
    expect(await textOf(sent)).toBe('Opening hours: 9 to 5\n')
    const { usedIn } = (await world.run(UsedIn, { id: block.id })).reusableBlock
    expect(usedIn.map(({ id }: { id: string }) => id)).toEqual([draft.id, copy.id, stage.id])
  })

  it('is deleted only if no message contains it that was not sent', async () => {
    const world = await newWorld()
    const block = await newBlock(world)
    const draft = await world.campaign({ name: 'Spring' })
    await setContent(world, draft, documentOf(reference(block)))
    const { message, extensions } = await world.fault(Delete, { id: block.id })
    expect([extensions.code, message]).toEqual([
      'INVALID_STATE',
      'The reusable block is used by the campaign “Spring”.',
    ])
    await setContent(world, draft, documentOf(textBlock('Hello')))
    await world.run(Delete, { id: block.id })
    expect((await world.run(UsedIn, { id: block.id })).reusableBlock).toBe(null)
  })

  it('can be copied and found by name', async () => {
    const world = await newWorld()
    const block = await newBlock(world)
    const { reusableBlockDuplicate } = await world.run(
      'mutation ($id: ID!) { reusableBlockDuplicate(input: { id: $id }) { reusableBlock { name content } } }',
      { id: block.id },
    )
    expect(reusableBlockDuplicate.reusableBlock).toEqual({ name: 'Copy of Hours', content: block.content })
    const { reusableBlocks } = await world.run(
      '{ reusableBlocks(filter: { search: "copy" }) { totalCount nodes { name content usedIn { id } } } }',
    )
    expect(reusableBlocks).toEqual({
      totalCount: 1,
      nodes: [{ name: 'Copy of Hours', content: block.content, usedIn: [] }],
    })
  })

  it('shows only the places that the key can read', async () => {
    const world = await newWorld()
    const block = await newBlock(world)
    await setContent(world, await world.campaign(), documentOf(reference(block)))
    const key = await world.key({ scopes: ['mail:read'] })
    const ids = '{ reusableBlocks { nodes { usedIn { id } } } }'
    expect((await world.run(ids, {}, { key })).reusableBlocks.nodes).toEqual([{ usedIn: [] }])
    expect((await world.run(ids)).reusableBlocks.nodes[0].usedIn).toHaveLength(1)
  })
})
