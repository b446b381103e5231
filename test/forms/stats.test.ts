import { describe, expect, it } from 'vitest'
import { newShop, VisitRecord } from '../funnels/documents.ts'
import { countRows } from '../support/count-rows.ts'
import { type NamedForm, newWorld, type World } from '../support/world.ts'

const questionFields = `question { label } answered reached lastAnswered choices { answer count share }
  numbers { min average max }`
const Stats = `query ($id: ID!, $period: Period, $range: DateRangeInput) { form(id: $id) { stats(period: $period, range: $range) {
  since until views starts completions completionRate questions { ${questionFields} } } } }`
const read = async (world: World, { id }: Pick<NamedForm, 'id'>, args: object = {}) =>
  (await world.run(Stats, { id, ...args })).form.stats

const survey = {
  name: 'Survey',
  type: 'SURVEY',
  questions: [
    { label: 'Sell?', type: 'YES_NO' },
    { label: 'Tools', type: 'MULTIPLE_CHOICE', options: ['Mail', 'Ads', 'Web'] },
    { label: 'People', type: 'NUMBER' },
    { label: 'Rating', type: 'RATING' },
    { label: 'Remarks', type: 'LONG_TEXT' },
  ],
}

/** Saves a submission with the values of the first questions. */
async function submit(
  world: World,
  form: NamedForm,
  values: readonly (readonly string[])[],
  complete = true,
  more = {},
) {
  const answers = values.map((each, index) => ({ questionId: form.questions[index]?.databaseId, values: each }))
  return world.submission(form, { answers, complete, ...more })
}

describe('Form.stats', () => {
  it('counts starts, completions, the drop-off and the answers of each question', async () => {
    const world = await newWorld()
    const form = await world.form(survey)
    const ada = await world.contact()
    await submit(world, form, [['yes'], ['Mail', 'Ads'], ['10'], ['5'], ['Fine.']], true, { contact: { id: ada.id } })
    await submit(world, form, [['yes'], ['Mail'], ['-2.5'], ['4'], []])
    await submit(world, form, [['no'], ['Ads']], false)
    await submit(world, form, [[], [], ['0.25']], false)
    await submit(world, form, [['no']], false)

    const expected = [
      {
        question: { label: 'Sell?' },
        ...{ answered: 4, reached: 5, lastAnswered: 1, numbers: null },
        choices: [
          { answer: 'yes', count: 2, share: 0.5 },
          { answer: 'no', count: 2, share: 0.5 },
        ],
      },
      {
        question: { label: 'Tools' },
        ...{ answered: 3, reached: 4, lastAnswered: 1, numbers: null },
        choices: [
          { answer: 'Mail', count: 2, share: 2 / 3 },
          { answer: 'Ads', count: 2, share: 2 / 3 },
          { answer: 'Web', count: 0, share: 0 },
        ],
      },
      {
        question: { label: 'People' },
        ...{ answered: 3, reached: 3, lastAnswered: 1, choices: [] },
        numbers: { min: '-2.5', average: '2.5833', max: '10' },
      },
      {
        question: { label: 'Rating' },
        ...{ answered: 2, reached: 2, lastAnswered: 0 },
        choices: [0, 0, 0, 1, 1].map((count, index) => ({ answer: `${index + 1}`, count, share: count / 2 })),
        numbers: { min: '4', average: '4.5', max: '5' },
      },
      {
        question: { label: 'Remarks' },
        ...{ answered: 1, reached: 1, lastAnswered: 0, choices: [], numbers: null },
      },
    ]
    expect(await read(world, form, { period: 'ALL' })).toEqual({
      ...{ since: null, until: null, views: null, starts: 5, completions: 2, completionRate: 0.4 },
      questions: expected,
    })
    // Free text and numbers of a deleted contact are removed, and their answers still count.
    await world.run('mutation ($id: ID!) { contactDelete(input: { contact: { id: $id } }) { deleted } }', ada)
    const after = await read(world, form)
    expect(after.questions.map((each: { answered: number }) => each.answered)).toEqual([4, 3, 3, 2, 1])
    expect(after.questions[2].numbers).toEqual({ min: '-2.5', average: '-1.125', max: '0.25' })
    expect((await (await world.other()).run(Stats, { id: form.databaseId })).form).toBeNull()
  })

  it('of a form without submissions has zeros', async () => {
    const world = await newWorld()
    const form = await world.form({ ...survey, questions: [survey.questions[0], survey.questions[2]] })
    expect(await read(world, form, { period: 'ALL' })).toMatchObject({
      ...{ starts: 0, completions: 0, completionRate: 0 },
      questions: [
        {
          ...{ answered: 0, reached: 0, lastAnswered: 0 },
          choices: [
            { answer: 'yes', count: 0, share: 0 },
            { answer: 'no', count: 0, share: 0 },
          ],
        },
        { answered: 0, reached: 0, lastAnswered: 0, choices: [], numbers: null },
      ],
    })
  })

  it('counts the submissions that were started in the period', async () => {
    const world = await newWorld({ timezone: 'Asia/Tokyo' })
    const form = await world.form(survey)
    for (const each of ['yes', 'no', 'no']) await submit(world, form, [[each]])
    const times = ['2026-01-31T14:59:59.999Z', '2026-01-31T15:00:00Z', '2026-02-01T15:00:00Z']
    const rows = await world.rows<{ id: number }>('SELECT id FROM submission WHERE account_id = $1 ORDER BY id', [
      world.accountId,
    ])
    for (const [index, { id }] of rows.entries())
      await world.rows('UPDATE submission SET created_at = $2 WHERE id = $1', [id, times[index]])
    await countRows(world, ['submission_parts'])
    const range = { from: '2026-02-01', to: '2026-02-01' }
    const found = await read(world, form, { range })
    expect(found).toMatchObject({ since: '2026-01-31T15:00:00.000Z', until: '2026-02-01T15:00:00.000Z', starts: 1 })
    expect(found.questions[0].choices).toEqual([
      { answer: 'yes', count: 0, share: 0 },
      { answer: 'no', count: 1, share: 1 },
    ])
    expect((await read(world, form)).starts).toBe(0)
    const fault = await world.fault(Stats, { id: form.id, period: 'BETWEEN' })
    expect(fault.extensions.code).toBe('INVALID_PERIOD')
  })

  it('keeps former options after the current ones, and leaves out removed questions', async () => {
    const world = await newWorld()
    const form = await world.form(survey)
    await submit(world, form, [['yes'], ['Mail', 'Web']])
    const [first, tools] = form.questions
    const update =
      'mutation ($input: FormQuestionUpdateInput!) { formQuestionUpdate(input: $input) { question { id } } }'
    await world.run(update, { input: { id: tools?.id, options: ['Ads', 'Mail'] } })
    await world.run('mutation ($id: ID!) { formQuestionDelete(input: { id: $id }) { form { id } } }', { id: first?.id })
    const { questions } = await read(world, form)
    expect(questions.map((each: { question: { label: string } }) => each.question.label)).toEqual([
      ...['Tools', 'People', 'Rating', 'Remarks'],
    ])
    expect(questions[0]).toMatchObject({
      reached: 1,
      choices: [
        { answer: 'Ads', count: 0, share: 0 },
        { answer: 'Mail', count: 1, share: 1 },
        { answer: 'Web', count: 1, share: 1 },
      ],
    })
  })

  it('has the views of the page of its funnel step, without bots', async () => {
    const world = await newShop()
    const step = await world.step(await world.funnel())
    const visit = (visitorId: string, more = {}) =>
      world.run(VisitRecord, { input: { stepId: step.id, visitorId, ...more } })
    expect((await read(world, step.form)).views).toBe(0)
    for (const visitor of ['ada', 'ada', 'bob']) await visit(visitor)
    await visit('robot', { isBot: true })
    await visit('early', { at: '2020-01-01T00:00:00Z' })
    expect((await read(world, step.form)).views).toBe(3)
    expect((await read(world, step.form, { period: 'ALL' })).views).toBe(4)
    await world.rows(
      'INSERT INTO visit_total (account_id, funnel_id, step_id, visitors, views) SELECT account_id, funnel_id, id, 1, 10 FROM funnel_step WHERE account_id = $1',
      [world.accountId],
    )
    expect((await read(world, step.form, { period: 'ALL' })).views).toBe(14)
    expect((await read(world, step.form)).views).toBe(3)
  })
})
