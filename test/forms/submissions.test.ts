// @module-tag rows
import { beforeAll, describe, expect, it } from 'vitest'
import { type NamedForm, newWorld, type World } from '../support/world.ts'
import { Save, SubmissionRead } from './documents.ts'

const quiz = {
  warmFrom: '2',
  hotFrom: '5.5',
  questions: [
    { label: 'Do you sell?', type: 'YES_NO', required: true, points: [{ answer: 'yes', points: '2.5' }] },
    {
      label: 'Which tools?',
      type: 'MULTIPLE_CHOICE',
      options: ['Mail', 'Ads', 'Shop'],
      points: [
        { answer: 'Mail', points: '1' },
        { answer: 'Shop', points: '2.25' },
        { answer: 'Ads', points: '-1' },
      ],
    },
    { label: 'How many people?', type: 'NUMBER' },
    { label: 'Read this', type: 'STATEMENT' },
  ],
  outcomes: [
    { key: 'cold', title: 'Not yet', bucket: 'COLD' },
    { key: 'warm', title: 'Nearly', bucket: 'WARM' },
    { key: 'hot', title: 'Call us', bucket: 'HOT' },
    { key: 'hot-too', title: 'Never reached', bucket: 'HOT' },
  ],
}

describe('submissionSave', () => {
  let world: World
  let form: NamedForm
  const asked = (index: number) => form.questions[index]?.id as string
  const save = async (input: Record<string, unknown>) =>
    (await world.run(Save, { input: { formId: form.id, ...input } })).submissionSave.submission
  const fault = async (input: Record<string, unknown>) =>
    (await world.fault(Save, { input: { formId: form.id, ...input } })).extensions
  const events = async () => (await world.announced()).map(({ type }) => type).filter((type) => /^form_/.test(type))

  beforeAll(async () => {
    world = await newWorld()
    form = await world.form(quiz)
  })

  it('starts, continues and completes a submission, and emits an event each time', async () => {
    const before = (await events()).length
    const clientSubmissionId = 'one after the other'
    const started = await save({ clientSubmissionId, answers: [{ questionId: asked(0), value: 'yes' }] })
    expect(started).toMatchObject({
      status: 'IN_PROGRESS',
      score: '2.50',
      bucket: 'WARM',
      completedAt: null,
      outcomeKey: null,
    })
    const more = await save({
      clientSubmissionId,
      answers: [{ questionId: asked(1), values: ['Shop', 'Mail', 'Shop'] }],
    })
    expect(more).toMatchObject({ id: started.id, score: '5.75', bucket: 'HOT', status: 'IN_PROGRESS' })
    const done = await save({ id: started.id, answers: [{ questionId: asked(2), value: '12.50' }], complete: true })
    expect(done).toMatchObject({
      status: 'COMPLETED',
      score: '5.75',
      bucket: 'HOT',
      outcomeKey: 'hot',
      qualification: { bucket: 'HOT', outcomeKey: 'hot', title: 'Call us' },
      createdAt: started.createdAt,
      aiSummary: null,
      answers: [
        { label: 'Do you sell?', type: 'YES_NO', values: ['yes'], score: '2.50' },
        { label: 'Which tools?', type: 'MULTIPLE_CHOICE', values: ['Mail', 'Shop'], score: '3.25' },
        { label: 'How many people?', type: 'NUMBER', values: ['12.5'], score: '0.00' },
      ],
    })
    expect((await events()).slice(before)).toEqual([
      'form_submission.started',
      'form_submission.updated',
      'form_submission.completed',
    ])
  })

  it('starts and completes a submission in one call', async () => {
    const before = (await events()).length
    const done = await save({ answers: [{ questionId: asked(0), value: 'no' }], complete: true })
    expect(done).toMatchObject({ status: 'COMPLETED', score: '0.00', bucket: 'COLD', outcomeKey: 'cold' })
    expect((await events()).slice(before)).toEqual(['form_submission.started', 'form_submission.completed'])
  })

  it('emits no event if nothing changes', async () => {
    const input = { clientSubmissionId: 'again', answers: [{ questionId: asked(0), value: 'yes' }] }
    const { id, updatedAt } = await save(input)
    const before = (await events()).length
    expect(await save(input)).toMatchObject({ id, updatedAt })
    expect(await save({ clientSubmissionId: 'again' })).toMatchObject({ id, updatedAt })
    expect((await events()).slice(before)).toEqual([])
  })

  it('replaces an answer, and removes an answer without a value', async () => {
    const { id } = await save({
      answers: [
        { questionId: asked(0), value: 'yes' },
        { questionId: asked(1), values: ['Ads'] },
      ],
    })
    expect(await save({ id, answers: [{ questionId: asked(0), value: 'no' }] })).toMatchObject({ score: '-1.00' })
    const emptied = await save({ id, answers: [{ questionId: asked(1), values: [] }] })
    expect(emptied).toMatchObject({ score: '0.00', answers: [{ values: ['no'] }] })
    expect((await save({ id, answers: [{ questionId: asked(0) }] })).answers).toEqual([])
  })

  it('returns VALIDATION_ERROR for missing required answers on completion', async () => {
    const { id } = await save({ answers: [{ questionId: asked(2), value: '3' }] })
    expect(await fault({ id, complete: true })).toEqual({
      code: 'VALIDATION_ERROR',
      details: { 'input.answers': [`answers.${form.questions[0]?.databaseId} is required`] },
      fields: [
        {
          ...{ path: 'input.answers', member: `answers.${form.questions[0]?.databaseId}` },
          ...{ code: expect.any(String), message: 'is required' },
        },
      ],
    })
    expect((await world.run(SubmissionRead, { id })).submission.status).toBe('IN_PROGRESS')
  })

  it('does not change a completed submission', async () => {
    const answers = [{ questionId: asked(0), value: 'yes' }]
    const input = { clientSubmissionId: 'complete', answers, complete: true }
    const done = await save(input)
    const before = (await events()).length
    expect(await save(input)).toEqual(done)
    expect(await save({ id: done.id, answers })).toEqual(done)
    expect(await fault({ id: done.id, answers: [{ questionId: asked(0), value: 'no' }] })).toMatchObject({
      code: 'VALIDATION_ERROR',
      fields: [{ path: 'input.answers.0', message: 'must not change, because the submission is completed' }],
    })
    expect((await events()).slice(before)).toEqual([])
    expect((await world.run(SubmissionRead, { id: done.id })).submission).toEqual(done)
  })

  it('returns VALIDATION_ERROR with a detail for each invalid answer', async () => {
    const { extensions } = await world.fault(Save, {
      input: {
        formId: form.id,
        answers: [
          { questionId: asked(0), value: 'perhaps' },
          { questionId: asked(1), values: ['Mail', 'Fax'] },
          { questionId: asked(2), value: 'many' },
          { questionId: asked(3), value: 'read' },
        ],
      },
    })
    expect(extensions.code).toBe('VALIDATION_ERROR')
    expect(Object.keys(extensions.details ?? {})).toEqual(
      form.questions.map((_question, index) => `input.answers.${index}`),
    )
  })

  it('returns NOT_FOUND if a question, a submission or a contact does not exist', async () => {
    const other = await world.form()
    const { id } = await save({})
    const missing = [
      { answers: [{ questionId: other.questions[0]?.id, value: 'yes' }] },
      { answers: [{ questionId: 0, value: 'yes' }] },
      { id: 2_000_000_000 },
      { contact: { id: 2_000_000_000 } },
      { contact: { email: 'nobody@example.com' } },
      { formId: other.id, id },
      { formId: 2_000_000_000 },
    ]
    for (const input of missing) expect((await fault(input)).code, JSON.stringify(input)).toBe('NOT_FOUND')
  })

  it('returns VALIDATION_ERROR for invalid input', async () => {
    const wrong: [Record<string, unknown>, string][] = [
      [{ id: 1, clientSubmissionId: 'x' }, 'clientSubmissionId'],
      [{ clientSubmissionId: '' }, 'clientSubmissionId'],
      [{ clientSubmissionId: 'x'.repeat(129) }, 'clientSubmissionId'],
      [{ clientSubmissionId: '\0' }, 'clientSubmissionId'],
      [{ answers: Array.from({ length: 501 }, () => ({ questionId: asked(0) })) }, 'answers'],
      [{ attribution: [{ key: 'UTM_SOURCE', value: 'x'.repeat(256) }] }, 'attribution.0.value'],
      [{ attribution: ['a', 'b'].map((value) => ({ key: 'UTM_SOURCE', value })) }, 'attribution'],
      [{ answers: [{ questionId: asked(2), value: '\0' }] }, 'answers.0.value'],
      [{ answers: [{ questionId: asked(2), value: '\ud800' }] }, 'answers.0.value'],
      [{ answers: [{ questionId: asked(2), value: '1', values: ['1'] }] }, 'answers.0'],
      [{ answers: ['1', '1'].map((value) => ({ questionId: asked(2), value })) }, 'answers.1'],
    ]
    for (const [input, field] of wrong) {
      const { code, details } = await fault(input)
      expect([code, Object.keys(details ?? {})[0]], JSON.stringify(input)).toEqual([
        'VALIDATION_ERROR',
        `input.${field}`,
      ])
    }
    expect(world.server.errors).toEqual([])
  })

  it('returns INVALID_STATE for a draft and for an archived form', async () => {
    const create =
      'mutation { formCreate(input: { name: "draft", questions: [{ label: "?", type: YES_NO }] }) { form { id } } }'
    const { form: draft } = (await world.run(create)).formCreate
    expect((await fault({ formId: draft.id })).code).toBe('INVALID_STATE')
    const closing = await world.form()
    const begun = await world.submission(closing)
    await world.run('mutation ($id: ID!) { formArchive(input: { id: $id }) { form { id } } }', { id: closing.id })
    expect((await fault({ formId: closing.id, id: begun.id, complete: true })).code).toBe('INVALID_STATE')
    expect((await fault({ formId: closing.id })).code).toBe('INVALID_STATE')
    expect((await world.run(SubmissionRead, { id: begun.id })).submission.status).toBe('IN_PROGRESS')
  })

  it('stores the last attribution before completion, in the order of the keys', async () => {
    const { id } = await save({ attribution: [{ key: 'UTM_SOURCE', value: 'news' }] })
    const attribution = [
      { key: 'AD_ID', value: '7' },
      { key: 'UTM_SOURCE', value: 'ads' },
      { key: 'UTM_TERM', value: '' },
    ]
    const expected = [attribution[1], attribution[0]]
    expect(await save({ id, attribution })).toMatchObject({ attribution: expected })
    const done = await save({ id, answers: [{ questionId: asked(0), value: 'yes' }], complete: true })
    expect(done.attribution).toEqual(expected)
  })
})
