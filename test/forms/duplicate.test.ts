import { describe, expect, it } from 'vitest'
import { newWorld, type World } from '../support/world.ts'
import { formFields, mutationOf } from './documents.ts'

const fields = `${formFields} questions { customField { id } } step { id }`
const Read = `query ($id: ID!) { form(id: $id) { ${fields} } }`
const Duplicate = mutationOf('formDuplicate', `form { ${fields} }`)

/** Creates a published form whose second question was removed and whose third has two versions. */
async function newSource(world: World, name = 'Quiz') {
  const customField = await world.customField()
  const source = await world.form({
    ...{ name, type: 'SURVEY', warmFrom: '2.50', hotFrom: '7' },
    questions: [
      { label: 'E-mail', type: 'EMAIL', required: true },
      { label: 'Removed', type: 'DATE' },
      { label: 'Size', type: 'SINGLE_CHOICE', options: ['S', 'M'], points: [{ answer: 'M', points: '5' }] },
      { label: 'City', type: 'SHORT_TEXT', customFieldId: customField.id },
    ],
    outcomes: [
      { key: 'buyer', title: 'Buyer', text: 'Call us', bucket: 'HOT' },
      { key: 'reader', title: 'Reader', bucket: 'COLD' },
    ],
  })
  const [, removed, size] = source.questions
  await world.submission(source, { answers: [{ questionId: size?.id, value: 'M' }] })
  await world.run(mutationOf('formQuestionDelete', 'deletedQuestionId'), { input: { id: removed?.id } })
  await world.run(mutationOf('formQuestionUpdate', 'question { version }'), {
    input: { id: size?.id, label: 'Which size?', options: ['S', 'M', 'L'] },
  })
  return source
}

describe('formDuplicate', () => {
  it('creates a draft with the questions, their points, the outcomes and the thresholds', async () => {
    const world = await newWorld()
    const source = await newSource(world)
    const before = (await world.run(Read, source)).form
    const { form } = (await world.run(Duplicate, { input: { id: source.id } })).formDuplicate
    const ids = { id: expect.any(String), databaseId: expect.any(Number) }
    expect(form).toEqual({
      ...before,
      ...{ ...ids, name: 'Copy of Quiz', status: 'DRAFT', publishedAt: null, submissionsCount: 0 },
      questions: before.questions.map((each: object) => ({ ...each, ...ids, version: 1 })),
      outcomes: before.outcomes.map((each: object) => ({ ...each, ...ids })),
    })
    expect(form.questions.map(({ label }: { label: string }) => label)).toEqual(['E-mail', 'Which size?', 'City'])
    expect(await world.announced('form.created')).toHaveLength(2)

    await world.run('mutation ($id: ID!) { formPublish(input: { id: $id }) { form { id } } }', form)
    await world.submission(form, { answers: [{ questionId: form.questions[1].id, value: 'M' }] })
    const submissions = await world.run('query ($id: ID!) { form(id: $id) { submissions { nodes { score } } } }', form)
    expect(submissions.form.submissions.nodes).toEqual([{ score: '5.00' }])
    expect((await world.run(Read, source)).form).toEqual(before)
  })

  it('copies the form of a step as a form without a step', async () => {
    const world = await newWorld()
    const step = await world.step(await world.funnel())
    const { form } = (await world.run(Duplicate, { input: { id: step.form.id, name: 'Own' } })).formDuplicate
    expect(form).toMatchObject({ name: 'Own', type: 'OPTIN', status: 'DRAFT', step: null })
  })

  it('shortens a long default name, and returns NOT_FOUND, VALIDATION_ERROR and FORBIDDEN', async () => {
    const world = await newWorld()
    const { id } = await world.form({ name: 'x'.repeat(255) })
    expect((await world.run(Duplicate, { input: { id } })).formDuplicate.form.name).toHaveLength(255)
    const codeOf = async (input: object, key?: string) =>
      (await world.fault(Duplicate, { input }, key ? { key } : {})).extensions.code
    expect(await codeOf({ id: (await (await world.other()).form()).id })).toBe('NOT_FOUND')
    expect(await codeOf({ id, name: '' })).toBe('VALIDATION_ERROR')
    expect(await codeOf({ id }, await world.key({ scopes: ['forms:read'] }))).toBe('FORBIDDEN')
  })

  it('takes the same number of statements for any number of questions', async () => {
    const world = await newWorld()
    const counts: number[] = []
    for (const size of [1, 40]) {
      const questions = Array.from({ length: size }, (_, index) => ({ label: `${index}`, type: 'YES_NO' }))
      const source = await world.form({ questions })
      counts.push(await world.statements(() => world.run(Duplicate, { input: { id: source.id } })))
    }
    expect(counts[1]).toBe(counts[0])
  })
})
