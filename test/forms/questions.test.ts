import { describe, expect, it } from 'vitest'
import { newWorld } from '../support/world.ts'
import { FormRead, mutationOf, Save, SubmissionRead } from './documents.ts'

const add = mutationOf('formQuestionCreate', 'question { id databaseId position version form { id } }')
const change = mutationOf(
  'formQuestionUpdate',
  'question { id label type version options points { answer points } contactField }',
)
const move = mutationOf('formQuestionMove', 'question { position }')
const remove = mutationOf('formQuestionDelete', 'deletedQuestionId form { questions { label } }')
const outcomeAdd = mutationOf('formOutcomeCreate', 'outcome { id databaseId key position }')
const outcomeMove = mutationOf('formOutcomeMove', 'outcome { key position }')
const outcomeChange = mutationOf('formOutcomeUpdate', 'outcome { key title position }')
const outcomeRemove = mutationOf('formOutcomeDelete', 'deletedOutcomeId form { outcomes { key position } }')
const draftOf = mutationOf('formCreate', 'form { id databaseId questions { id databaseId } }')

const letters = ['a', 'b', 'c', 'd'].map((label) => ({ label, type: 'SHORT_TEXT' }))

describe('questions', () => {
  it('are added at a position, moved and removed, and the others keep their order', async () => {
    const world = await newWorld()
    const { form } = (await world.run(draftOf, { input: { name: 'draft', questions: letters } })).formCreate
    const labels = async () =>
      (await world.run(FormRead, { id: form.id })).form.questions.map(({ label }: { label: string }) => label).join('')
    await world.run(add, { input: { formId: form.id, label: 'e', type: 'DATE' } })
    await world.run(add, { input: { formId: form.databaseId, label: 'f', type: 'DATE', position: 2 } })
    expect(await labels()).toBe('afbcde')
    await world.run(move, { input: { id: form.questions[3].id, position: 1 } })
    expect(await labels()).toBe('dafbce')
    await world.run(move, { input: { id: form.questions[3].id, position: 6 } })
    expect(await labels()).toBe('afbced')
    await world.run(remove, { input: { id: form.questions[1].id } })
    expect(await labels()).toBe('afced')
    const { code, details } = (await world.fault(move, { input: { id: form.questions[0].id, position: 6 } })).extensions
    expect([code, details]).toEqual(['VALIDATION_ERROR', { 'input.position': ['must be between 1 and 5'] }])
    expect((await world.fault(move, { input: { id: form.questions[1].id, position: 1 } })).extensions.code).toBe(
      'NOT_FOUND',
    )
  })

  it('are changed in place if the form was never published', async () => {
    const world = await newWorld()
    const questions = [
      { label: 'old', type: 'SINGLE_CHOICE', options: ['a', 'b'], points: [{ answer: 'a', points: '1' }] },
    ]
    const { form } = (await world.run(draftOf, { input: { name: 'draft', questions } })).formCreate
    const { id } = form.questions[0]
    const input = { id, label: 'new', options: ['b', 'c'] }
    expect((await world.run(change, { input })).formQuestionUpdate.question).toMatchObject({
      label: 'new',
      version: 1,
      options: ['b', 'c'],
      points: [],
    })
    expect(
      (await world.run(change, { input: { id, type: 'EMAIL', contactField: 'EMAIL' } })).formQuestionUpdate.question,
    ).toMatchObject({ options: null, contactField: 'EMAIL' })
    expect(
      (await world.run(change, { input: { id, contactField: null } })).formQuestionUpdate.question.contactField,
    ).toBeNull()
  })

  it('keep the label and the type for existing answers when they change', async () => {
    const world = await newWorld()
    const form = await world.form({
      questions: [{ label: 'Before', type: 'YES_NO', points: [{ answer: 'yes', points: '3' }] }],
    })
    const [question] = form.questions
    const answered = await world.submission(form, { answers: [{ questionId: question?.id, value: 'yes' }] })
    const input = { id: question?.id, label: 'After', type: 'RATING' }
    const changed = (await world.run(change, { input })).formQuestionUpdate.question
    expect(changed).toMatchObject({ id: question?.id, label: 'After', version: 2, points: [] })
    expect((await world.run(change, { input })).formQuestionUpdate.question.version).toBe(2)
    const old = (await world.run(SubmissionRead, { id: answered.id })).submission
    expect(old).toMatchObject({
      score: '3.00',
      answers: [{ label: 'Before', type: 'YES_NO', values: ['yes'], score: '3.00' }],
    })
    const again = { formId: form.id, id: answered.id, answers: [{ questionId: question?.id, value: '4' }] }
    const { submission } = (await world.run(Save, { input: again })).submissionSave
    expect(submission).toMatchObject({ score: '0.00', answers: [{ label: 'After', type: 'RATING', values: ['4'] }] })
  })

  it('are only marked as removed once the form was published, and their answers can be found', async () => {
    const world = await newWorld()
    const form = await world.form({ questions: letters })
    const [question] = form.questions
    const answers = [{ questionId: question?.id, value: 'kept' }]
    const { id } = await world.submission(form, { answers })
    expect((await world.run(remove, { input: { id: question?.id } })).formQuestionDelete.form.questions).toHaveLength(3)
    expect((await world.run(SubmissionRead, { id })).submission.answers).toMatchObject([
      { label: 'a', values: ['kept'] },
    ])
    const found = await world.run('query ($f: SubmissionFilterInput) { submissions(filter: $f) { nodes { id } } }', {
      f: { answers: [{ questionId: question?.databaseId, eq: 'kept' }] },
    })
    expect(found.submissions.nodes).toEqual([{ id }])
    expect((await world.fault(Save, { input: { formId: form.id, id, answers } })).extensions.code).toBe('NOT_FOUND')
    expect((await world.fault(remove, { input: { id: question?.id } })).extensions.code).toBe('NOT_FOUND')
  })

  it('are limited to 500, without removed ones', async () => {
    const world = await newWorld()
    const form = await world.form({ questions: Array.from({ length: 500 }, () => letters[0]) })
    const input = { formId: form.id, label: 'one more', type: 'DATE' }
    expect((await world.fault(add, { input })).extensions.code).toBe('VALIDATION_ERROR')
    await world.run(remove, { input: { id: form.questions[7]?.id } })
    expect((await world.run(add, { input })).formQuestionCreate.question).toMatchObject({
      position: 500,
      form: { id: form.id },
    })
  })

  it('return NOT_FOUND if the question, its form or its custom field does not exist', async () => {
    const world = await newWorld()
    const form = await world.form()
    const wrong: [string, object][] = [
      [add, { formId: 2_000_000_000, label: 'x', type: 'DATE' }],
      [add, { formId: form.id, label: 'x', type: 'DATE', customFieldId: 2_000_000_000 }],
      [change, { id: 2_000_000_000, label: 'x' }],
      [remove, { id: -1 }],
      [outcomeAdd, { formId: 0, key: 'a', title: 'x', bucket: 'HOT' }],
      [outcomeChange, { id: 2_000_000_000, title: 'x' }],
      [outcomeRemove, { id: 2_000_000_000 }],
    ]
    for (const [document, input] of wrong) {
      expect((await world.fault(document, { input })).extensions.code, JSON.stringify(input)).toBe('NOT_FOUND')
    }
  })
})

describe('outcomes', () => {
  it('are added at the end, updated, moved and deleted', async () => {
    const world = await newWorld()
    const form = await world.form()
    const created: { id: string }[] = []
    for (const key of ['a', 'b', 'c']) {
      const input = { formId: form.id, key, title: key, bucket: 'COLD' }
      created.push((await world.run(outcomeAdd, { input })).formOutcomeCreate.outcome)
    }
    const input = { id: created[2]?.id, title: 'Last, now first' }
    expect((await world.run(outcomeChange, { input })).formOutcomeUpdate.outcome).toEqual({
      key: 'c',
      title: 'Last, now first',
      position: 3,
    })
    const place = { id: created[2]?.id, position: 1 }
    expect((await world.run(outcomeMove, { input: place })).formOutcomeMove.outcome).toEqual({ key: 'c', position: 1 })
    expect((await world.fault(outcomeMove, { input: { ...place, position: 4 } })).extensions).toMatchObject({
      details: { 'input.position': ['must be between 1 and 3'] },
    })
    expect((await world.run(outcomeRemove, { input: { id: created[0]?.id } })).formOutcomeDelete.form.outcomes).toEqual(
      [
        { key: 'c', position: 1 },
        { key: 'b', position: 2 },
      ],
    )
    const taken = { id: created[1]?.id, key: 'c' }
    expect((await world.fault(outcomeChange, { input: taken })).extensions).toMatchObject({
      details: { 'input.key': [expect.any(String)] },
    })
    expect(
      (await world.fault(outcomeAdd, { input: { formId: form.id, key: 'b', title: 'x', bucket: 'HOT' } })).extensions
        .code,
    ).toBe('VALIDATION_ERROR')
  })

  it('keep their key and title for submissions that ended with them', async () => {
    const world = await newWorld()
    const form = await world.form({ outcomes: [{ key: 'end', title: 'The end', bucket: 'COLD' }] })
    const { id } = await world.submission(form, { complete: true })
    await world.run(outcomeChange, { input: { id: form.outcomes[0]?.id, title: 'Another end', key: 'other' } })
    const kept = { bucket: 'COLD', outcomeKey: 'end', title: 'The end' }
    expect((await world.run(SubmissionRead, { id })).submission.qualification).toEqual(kept)
    await world.run(outcomeRemove, { input: { id: form.outcomes[0]?.id } })
    expect((await world.run(SubmissionRead, { id })).submission.qualification).toEqual(kept)
  })
})
