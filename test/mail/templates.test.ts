import { describe, expect, it } from 'vitest'
import { newReusableBlock } from '../content/reusable.ts'
import { newWorld, type World } from '../support/world.ts'
import { documentOf, newsletter, paragraph } from './content.ts'
import { newTemplate } from './templates.ts'

const Create = `mutation ($name: String!, $content: JSON, $emailId: ID) {
  emailTemplateCreate(input: { name: $name, content: $content, emailId: $emailId }) {
    emailTemplate { id databaseId name content thumbnail } } }`
const SetContent = `mutation ($id: ID!, $templateId: ID, $content: JSON) {
  campaignContentSet(input: { id: $id, templateId: $templateId, content: $content }) { campaign { email { id content } } } }`

const create = async (world: World, input: object) =>
  (await world.run(Create, { name: 'Monthly', ...input })).emailTemplateCreate.emailTemplate

describe('a template of an account', () => {
  it('begins the content of a campaign and of a stage, and can be made from one', async () => {
    const world = await newWorld()
    const template = await create(world, { content: newsletter })
    expect(template).toMatchObject({ content: newsletter, thumbnail: expect.stringContaining('News from the tower') })
    const campaign = await world.campaign()
    const { email } = (await world.run(SetContent, { id: campaign.id, templateId: template.id })).campaignContentSet
      .campaign
    expect(email.content).toEqual(newsletter)
    const copy = await create(world, { name: 'From a message', emailId: email.id })
    expect(copy).toMatchObject({ name: 'From a message', content: newsletter })
    const stage = await world.stage(await world.sequence())
    const { sequenceStageContentSet } = await world.run(
      `mutation ($id: ID!, $templateId: ID) { sequenceStageContentSet(input: { id: $id, templateId: $templateId }) {
        email { content } } }`,
      { id: stage.id, templateId: copy.databaseId },
    )
    expect(sequenceStageContentSet.email.content).toEqual(newsletter)
  })

  it('is the body of a campaign from its creation', async () => {
    const world = await newWorld()
    const template = await create(world, { content: newsletter })
    const createWith = `mutation ($input: CampaignCreateInput!) { campaignCreate(input: $input) {
      campaign { id email { subject content html } } } }`
    const { campaign } = (
      await world.run(createWith, { input: { name: 'Spring', subject: 'News', templateId: template.id } })
    ).campaignCreate
    expect(campaign.email).toMatchObject({ subject: 'News', content: newsletter })
    expect(campaign.email.html).toContain('News from the tower')
    const wrong = await world.fault(createWith, { input: { name: 'Wrong', html: ' ' } })
    expect(wrong.extensions.details).toEqual({ 'input.html': ['must not be empty'] })
    const both = await world.fault(createWith, { input: { name: 'Wrong', templateId: template.id, html: '<p>x</p>' } })
    expect(both.extensions.details).toHaveProperty(['input.content'])
    expect((await world.run('{ campaigns { totalCount } }')).campaigns.totalCount).toBe(1)
  })

  it('is refused with the path of each fault, and from a message that is not made of blocks', async () => {
    const world = await newWorld()
    const detailsOf = async (input: object) =>
      (await world.fault(Create, { name: 'x', ...input })).extensions.details ?? {}
    expect(await detailsOf({ content: documentOf({ type: 'button', text: 'x', href: 'x' }) })).toEqual({
      'input.content': [expect.stringMatching(/^sections\.0\.columns\.0\.blocks\.0\.href/)],
    })
    expect(await detailsOf({ content: documentOf({ type: 'divider', showTo: { nonsense: true } }) })).toEqual({
      'input.content': [expect.stringMatching(/^sections\.0\.columns\.0\.blocks\.0\.showTo is not a valid/)],
    })
    expect(Object.keys(await detailsOf({}))).toEqual(['input.content'])
    const campaign = await world.campaign()
    expect(await detailsOf({ emailId: campaign.email.id })).toEqual({
      'input.emailId': ['must be an e-mail of blocks'],
    })
  })

  it('of another account or beside other content begins nothing', async () => {
    const world = await newWorld()
    const foreign = await newTemplate(await world.other())
    const { id } = await world.campaign()
    expect((await world.fault(SetContent, { id, templateId: foreign.id })).extensions.code).toBe('NOT_FOUND')
    const own = await newTemplate(world)
    const both = await world.fault(SetContent, { id, templateId: own.id, content: newsletter })
    expect(both.extensions.details).toHaveProperty(['input.content'])
  })

  it('is a place that uses a reusable block', async () => {
    const world = await newWorld()
    const block = await newReusableBlock(world)
    const template = await create(world, { content: documentOf({ type: 'reusable', reusableBlockId: block.id }) })
    expect(template.thumbnail).toContain('>Hours<')
    const remove = 'mutation ($id: ID!) { reusableBlockDelete(input: { id: $id }) { deletedReusableBlockId } }'
    const { extensions, message } = await world.fault(remove, { id: block.id })
    expect([extensions.code, message]).toEqual([
      'INVALID_STATE',
      'The reusable block is used by the template “Monthly”.',
    ])
    const update = `mutation ($id: ID!, $content: JSON) {
      emailTemplateUpdate(input: { id: $id, content: $content }) { emailTemplate { id } } }`
    await world.run(update, { id: template.id, content: documentOf({ type: 'text', content: paragraph('Hi') }) })
    await world.run(remove, { id: block.id })
  })

  it('is copied, found and deleted', async () => {
    const world = await newWorld()
    const { id } = await newTemplate(world)
    await world.run('mutation ($id: ID!) { emailTemplateDuplicate(input: { id: $id }) { emailTemplate { id } } }', {
      id,
    })
    await world.run('mutation ($id: ID!) { emailTemplateDelete(input: { id: $id }) { deletedEmailTemplateId } }', {
      id,
    })
    const { emailTemplates } = await world.run(
      '{ emailTemplates(filter: { search: "copy" }) { nodes { name } totalCount } }',
    )
    expect(emailTemplates).toEqual({ nodes: [{ name: 'Copy of Monthly' }], totalCount: 1 })
  })
})
