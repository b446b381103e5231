import { describe, expect, it } from 'vitest'
import { newWorld, type World } from '../support/world.ts'
import { mutationOf } from './documents.ts'

const create = mutationOf('formCreate', 'form { id databaseId questions { id } outcomes { id } }')
const read = `query ($id: ID!, $questionId: ID, $outcomeId: ID) {
  form(id: $id) { url preview(questionId: $questionId, outcomeId: $outcomeId) } }`

async function newDraft(world: World) {
  const questions = [
    { label: 'Which <glaze>?', type: 'SINGLE_CHOICE', options: ['Ash', 'Iron'] },
    { label: 'Source', type: 'HIDDEN' },
  ]
  const outcomes = [{ key: 'hot', title: 'You are a potter', text: 'Come by.', bucket: 'HOT' }]
  const { formCreate } = await world.run(create, { input: { name: 'Draft', questions, outcomes } })
  return formCreate.form
}

describe('Form.preview', () => {
  it('renders each page of a draft, which visitors cannot open', async () => {
    const world = await newWorld()
    const { id, databaseId, questions, outcomes } = await newDraft(world)
    const pageOf = async (args: object) => (await world.run(read, { id, ...args })).form
    const first = await pageOf({})
    expect(first.preview).toContain('Which &#60;glaze&#62;?')
    expect(first.preview).toContain('Iron')
    expect((await pageOf({ questionId: questions[0].id })).preview).toBe(first.preview)
    expect((await pageOf({ questionId: questions[1].id })).preview).toContain('Visitors do not see')
    expect((await pageOf({ outcomeId: outcomes[0].id })).preview).toContain('You are a potter')
    expect(first.url).toBe(`${world.server.url}/f/${databaseId}`)
    expect((await fetch(first.url)).status).toBe(404)
  })

  it('renders a form without questions, and refuses questions and outcomes of other forms', async () => {
    const world = await newWorld()
    const other = await newDraft(world)
    const { form } = (await world.run(create, { input: { name: 'Empty' } })).formCreate
    expect((await world.run(read, { id: form.id })).form.preview).toContain('Submit')
    for (const [name, value] of [
      ['questionId', other.questions[0].id],
      ['outcomeId', other.outcomes[0].id],
    ]) {
      const { extensions } = await world.fault(read, { id: form.id, [name]: value })
      expect([extensions.code, Object.keys(extensions.details ?? {})]).toEqual(['VALIDATION_ERROR', [name]])
    }
    const both = { questionId: other.questions[0].id, outcomeId: other.outcomes[0].id }
    expect((await world.fault(read, { id: other.id, ...both })).extensions.code).toBe('VALIDATION_ERROR')
  })
})
