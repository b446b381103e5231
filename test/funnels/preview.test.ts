import { describe, expect, it } from 'vitest'
import { ContentSet, inPage, newShop, page } from './documents.ts'

const read = `query ($id: ID!, $content: JSON) {
  funnelStep(id: $id) { latestVersion { version content } preview(content: $content) } }`

describe('FunnelStep.preview', () => {
  it('renders a content that is not saved, or else the newest version', async () => {
    const world = await newShop()
    const { id } = await world.step(await world.funnel())
    expect((await world.run(read, { id })).funnelStep).toEqual({ latestVersion: null, preview: null })
    const content = page({ type: 'title', text: 'For {{FIRST_NAME:you}}' }, { type: 'form', buttonText: 'Go' })
    const { preview } = (await world.run(read, { id, content })).funnelStep
    expect(preview).toContain('For you')
    expect(preview).toContain('type="email"')
    expect((await world.run(read, { id })).funnelStep.latestVersion).toBeNull()
    const published = page({ type: 'title', text: 'Public' })
    await world.run(ContentSet, { input: { id, content: published } })
    await world.run(ContentSet, { input: { id, content, publish: false } })
    const { funnelStep } = await world.run(read, { id })
    expect(funnelStep.latestVersion).toEqual({ version: 2, content })
    expect(funnelStep.preview).toContain('For you')
  })

  it('names each invalid value of the content', async () => {
    const world = await newShop()
    const { id } = await world.step(await world.funnel())
    const content = page({ type: 'button', text: 'Go', href: 'javascript:alert(1)' })
    const { extensions } = await world.fault(read, { id, content })
    expect(extensions.code).toBe('VALIDATION_ERROR')
    expect(extensions.details?.['content']?.[0]).toContain(`${inPage}.0.href must be`)
  })
})

describe('funnelStepDelete', () => {
  it('returns the funnel with its other steps', async () => {
    const world = await newShop()
    const funnel = await world.funnel()
    const [first, second] = [await world.step(funnel), await world.step(funnel)]
    const remove = `mutation ($id: ID!) {
      funnelStepDelete(input: { id: $id }) { deletedFunnelStepId funnel { steps { id position } } } }`
    expect((await world.run(remove, { id: first.id })).funnelStepDelete).toEqual({
      deletedFunnelStepId: first.id,
      funnel: { steps: [{ id: second.id, position: 1 }] },
    })
  })
})
