import { describe, expect, it } from 'vitest'
import type { World } from '../support/world.ts'
import { ContentSet, newShop, page, StepUpdate } from './documents.ts'

const fields = `id databaseId name type stepsCount steps {
  id name path type position title description url publishedVersion tags { name } sequences { name }
  versions { version content }
  form { id name status questions { databaseId label type required } } }`
const Read = `query ($id: ID!) { funnel(id: $id) { ${fields} } }`
const Duplicate = `mutation ($input: FunnelDuplicateInput!) { funnelDuplicate(input: $input) { funnel { ${fields} } } }`
const Publish = 'mutation ($id: ID!) { funnelStepPublish(input: { id: $id }) { step { publishedVersion } } }'
const StepDelete = 'mutation ($id: ID!) { funnelStepDelete(input: { id: $id }) { deletedFunnelStepId } }'

const saved = async (world: World, id: string, content: unknown, publish = true) =>
  world.run(ContentSet, { input: { id, content, publish } })

interface Step {
  id: string
  url: string
  form: { id: string; status: string; questions: object[] }
}

/** The elements of a page, with its form: the field names are those of the questions. */
const pageWith = (names: readonly string[], title = 'He said "name": "q1"') =>
  page({ type: 'title', text: title }, { type: 'form', fields: names.map((name) => ({ name, label: 'Yours' })) })

/** Creates a funnel with a published step, a step whose newest version is a draft, and a step without a page. */
async function newSource(world: World) {
  const source = await world.funnel({ name: 'Launch', type: 'SALES' })
  const first = await world.step(source, { name: 'Welcome', title: 'Hello', description: 'Join us', type: 7 })
  const second = await world.step(source, { name: 'Offer' })
  const third = await world.step(source, { name: 'Thanks' })
  const questionsOf = async (step: { form: { id: string } }): Promise<{ databaseId: number }[]> =>
    (await world.run('query ($id: ID!) { form(id: $id) { questions { databaseId } } }', step.form)).form.questions
  const [email, firstName] = await questionsOf(first)
  await saved(world, first.id, pageWith([`q${email?.databaseId}`, `${firstName?.databaseId}`, 'q999999', 'phone']))
  for (const text of ['old', 'live']) await saved(world, second.id, pageWith(['email'], text))
  for (const text of ['draft', 'newest']) await saved(world, second.id, pageWith(['email'], text), false)
  const tag = await world.tag('lead')
  const sequence = await world.sequence({ name: 'Onboarding' })
  await world.run(StepUpdate, { input: { id: first.id, tagIds: [tag.id], sequenceIds: [sequence.id] } })
  return { source, first, second, third }
}

describe('funnelDuplicate', () => {
  it('copies the steps with their forms and pages, unpublished', async () => {
    const world = await newShop()
    const { source, first } = await newSource(world)
    await world.run('mutation ($id: ID!) { formArchive(input: { id: $id }) { form { id } } }', first.form)
    const before = (await world.run(Read, source)).funnel
    const { funnel } = (await world.run(Duplicate, { input: { id: source.id } })).funnelDuplicate
    const ids = { id: expect.any(String), databaseId: expect.any(Number) }
    expect(funnel).toEqual({
      ...before,
      ...{ ...ids, name: 'Copy of Launch' },
      steps: before.steps.map((step: Step) => ({
        ...step,
        ...{ id: ids.id, publishedVersion: null, versions: expect.any(Array) },
        url: step.url.replace(`/${source.databaseId}/`, `/${funnel.databaseId}/`),
        form: {
          ...step.form,
          ...{ id: ids.id, status: step.form.status === 'ARCHIVED' ? 'DRAFT' : 'PUBLISHED' },
          questions: step.form.questions.map((question: object) => ({ ...question, databaseId: ids.databaseId })),
        },
      })),
    })
    const [welcome, offer, thanks] = funnel.steps
    const [email, firstName] = welcome.form.questions
    const names = [`q${email.databaseId}`, `q${firstName.databaseId}`, 'q999999', 'phone']
    expect(welcome.versions).toEqual([{ version: 1, content: pageWith(names) }])
    expect(offer.versions).toEqual([
      { version: 2, content: pageWith(['email'], 'newest') },
      { version: 1, content: pageWith(['email'], 'live') },
    ])
    expect(thanks.versions).toEqual([])
    const formIds = [...before.steps, ...funnel.steps].map(({ form }: Step) => form.id)
    expect(new Set(formIds).size).toBe(6)
    expect(await world.announced('funnel.created')).toHaveLength(2)
    expect(await world.announced('form.created')).toHaveLength(6)
    expect(await world.announced('funnel_step.created')).toHaveLength(3)
  })

  it('serves the pages of the copy after they were published, and keeps them if the original is deleted', async () => {
    const world = await newShop()
    const { source, first } = await newSource(world)
    const { funnel } = (await world.run(Duplicate, { input: { id: source.id } })).funnelDuplicate
    const [welcome] = funnel.steps
    const show = async () => {
      const response = await fetch(welcome.url)
      return { status: response.status, html: await response.text() }
    }
    expect((await show()).status).toBe(404)
    await world.run(Publish, welcome)
    await world.run(StepDelete, first)
    await world.run('mutation ($id: ID!) { funnelDelete(input: { id: $id }) { deletedFunnelId } }', source)
    const { status, html } = await show()
    expect(status).toBe(200)
    const [email] = welcome.form.questions
    expect(html).toContain(`name="q${email.databaseId}"`)
    expect(html).not.toContain('name="q999999"')
  })

  it('returns NOT_FOUND, VALIDATION_ERROR, QUOTA_EXCEEDED and FORBIDDEN', async () => {
    const world = await newShop()
    const { source } = await newSource(world)
    const codeOf = async (input: object, options = {}) =>
      (await world.fault(Duplicate, { input }, options)).extensions.code
    const foreign = await (await world.other()).funnel()
    expect(await codeOf({ id: foreign.id })).toBe('NOT_FOUND')
    expect(await codeOf({ id: source.id, name: '' })).toBe('VALIDATION_ERROR')
    for (const others of [['contacts:write'], ['sequences:write']] as const) {
      const key = await world.key({ scopes: ['funnels:read', 'funnels:write', ...others] })
      expect(await codeOf({ id: source.id }, { key })).toBe('FORBIDDEN')
    }
    await world.rows('UPDATE account SET limit_funnels = 1 WHERE id = $1', [world.accountId])
    expect(await codeOf({ id: source.id })).toBe('QUOTA_EXCEEDED')
    await world.rows('UPDATE account SET limit_funnels = NULL, subdomain = NULL WHERE id = $1', [world.accountId])
    expect(await codeOf({ id: source.id })).toBe('NO_SUBDOMAIN')
  })

  it('takes the same number of statements for any number of steps', async () => {
    const world = await newShop()
    const counts: number[] = []
    for (const size of [1, 10]) {
      const source = await world.funnel()
      for (let count = 0; count < size; count += 1) await world.step(source, { content: pageWith(['email']) })
      counts.push(await world.statements(() => world.run(Duplicate, { input: { id: source.id } })))
    }
    expect(counts[1]).toBe(counts[0])
  })
})
