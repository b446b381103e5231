import { describe, expect } from 'vitest'
import { check } from './check.ts'
import { expectError } from './client.ts'
import { gateways, newWorld, useServers, type World } from './support.ts'

const servers = useServers()
const isoMicroseconds = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)

const get = (world: World, path: string, query: Record<string, string | number> = {}) =>
  world.call('GET', path, { query })

const questions = [
  { label: 'Do you sell?', type: 'YES_NO', points: [{ answer: 'yes', points: '2.5' }] },
  { label: 'Which tools?', type: 'MULTIPLE_CHOICE', options: ['Mail', 'Ads'] },
  { label: 'What else?', type: 'LONG_TEXT' },
]
const outcomes = [
  { key: 'call', title: 'Call us', bucket: 'HOT' },
  { key: 'wait', title: 'Wait', bucket: 'COLD' },
]

describe.each(gateways)('forms, %s', (gateway) => {
  const open = () => newWorld(servers, gateway)

  check('FORM-LIST/success', 'lists forms newest first, with the number of their submissions', async () => {
    const world = await open()
    const first = await world.form({ name: 'first', type: 'SURVEY' })
    const second = await world.form({ name: 'second' })
    await world.submission(first)
    await world.submission(first, { complete: true })
    const { status, body } = await get(world, '/v1/forms')
    expect(status).toBe(200)
    expect(body.meta).toEqual({ current_page: 1, last_page: 1, per_page: 50, total: 2 })
    const row = { status: 'published', created_at: isoMicroseconds }
    expect(body.data).toEqual([
      { ...row, id: second.id, name: 'second', type: 'quiz', submissions_count: 0 },
      { ...row, id: first.id, name: 'first', type: 'survey', submissions_count: 2 },
    ])
    const page = await get(world, '/v1/forms', { page: 2, per_page: 1, status: 'published' })
    expect(page.body).toMatchObject({ data: [{ id: first.id }], meta: { current_page: 2, last_page: 2, total: 2 } })
    expect((await get(world, '/v1/forms', { status: 'draft' })).body).toMatchObject({ data: [], meta: { total: 0 } })
  })

  check('FORM-LIST/success', 'filters by status', async () => {
    const world = await open()
    const [published, archived] = [await world.form(), await world.form()]
    await world.graph(`mutation { formArchive(input: { id: ${archived.id} }) { form { id } } }`)
    const { formCreate } = await world.graph('mutation { formCreate(input: { name: "new" }) { form { databaseId } } }')
    for (const [status, id] of [
      ['draft', formCreate.form.databaseId],
      ['published', published.id],
      ['archived', archived.id],
    ]) {
      const { body } = await get(world, '/v1/forms', { status })
      expect(body).toMatchObject({ data: [{ id, status }], meta: { total: 1 } })
    }
  })

  check('FORM-LIST/INVALID_STATUS', 'for an unknown status', async () => {
    const world = await open()
    for (const status of ['PUBLISHED', 'open', '', 'completed']) {
      expectError(await get(world, '/v1/forms', { status }), 400, 'INVALID_STATUS')
    }
  })

  check('FORM-LIST/VALIDATION_ERROR', 'for an invalid page', async () => {
    const world = await open()
    expectError(await get(world, '/v1/forms', { page: 0 }), 422, 'VALIDATION_ERROR', ['page'])
    expectError(await get(world, '/v1/forms', { per_page: 101, status: 'x' }), 422, 'VALIDATION_ERROR', ['per_page'])
  })

  check('FORM-GET/success', 'returns a form with its questions and outcomes', async () => {
    const world = await open()
    const { id } = await world.form({ name: 'quiz', questions, outcomes })
    expect((await get(world, '/v1/form', { id })).body).toEqual({
      success: true,
      data: {
        id,
        name: 'quiz',
        type: 'quiz',
        status: 'published',
        submissions_count: 0,
        created_at: isoMicroseconds,
        questions: [
          { id: expect.any(Number), label: 'Do you sell?', type: 'yes_no', options: null },
          { id: expect.any(Number), label: 'Which tools?', type: 'multiple_choice', options: ['Mail', 'Ads'] },
          { id: expect.any(Number), label: 'What else?', type: 'long_text', options: null },
        ],
        outcomes: [
          { key: 'call', title: 'Call us', bucket: 'hot' },
          { key: 'wait', title: 'Wait', bucket: 'cold' },
        ],
      },
    })
  })

  check('FORM-GET/NOT_FOUND', "for an unknown form and another account's form", async () => {
    const [world, other] = [await open(), await open()]
    const { id } = await other.form()
    for (const each of [id, 0, -1, '99999999999999999999']) {
      expectError(await get(world, '/v1/form', { id: each }), 404, 'NOT_FOUND')
    }
  })

  check('FORM-GET/VALIDATION_ERROR', 'for an invalid ID', async () => {
    const world = await open()
    for (const id of ['', 'x', '1.5', '1e3'])
      expectError(await get(world, '/v1/form', { id }), 422, 'VALIDATION_ERROR', ['id'])
    expectError(await get(world, '/v1/form'), 422, 'VALIDATION_ERROR', ['id'])
  })

  check(
    'FORM-SUBMISSION/success',
    'returns a submission with its answers, each in the JSON type of its question',
    async () => {
      const world = await open()
      const types = ['yes_no', 'rating', 'opinion_scale', 'number', 'consent', 'date', 'short_text']
      const form = await world.form({
        name: 'all',
        outcomes,
        questions: [
          ...types.map((type) => ({ label: type, type: type.toUpperCase() })),
          { label: 'several', type: 'MULTIPLE_CHOICE', options: ['a', 'b', 'c'] },
          { label: 'mail', type: 'EMAIL' },
        ],
      })
      const given = ['no', '4', '0', '-12.50', 'false', '2026-02-28', ' words ']
      const { id } = await world.submission(form, {
        answers: [
          ...given.map((value, index) => ({ questionId: form.questions[index], value })),
          { questionId: form.questions[7], values: ['c', 'a'] },
          { questionId: form.questions[8], value: 'ada@example.com' },
        ],
        attribution: [{ key: 'UTM_SOURCE', value: 'news' }],
        complete: true,
      })
      const { data } = (await get(world, '/v1/form-submission', { id })).body
      expect(data).toEqual({
        id,
        form_id: form.id,
        form: { id: form.id, name: 'all', type: 'quiz' },
        status: 'completed',
        score: 0,
        bucket: 'cold',
        outcome_key: 'wait',
        qualification: { bucket: 'cold', outcome_key: 'wait', title: 'Wait' },
        contact: {
          id: expect.any(Number),
          email: 'ada@example.com',
          first_name: '',
          last_name: '',
          phone: '',
          company_name: '',
        },
        ai_summary: null,
        attribution: { utm_source: 'news' },
        started_at: isoMicroseconds,
        completed_at: isoMicroseconds,
        created_at: isoMicroseconds,
        updated_at: isoMicroseconds,
        answers: expect.any(Array),
      })
      expect(data.answers.map(({ answer }: { answer: unknown }) => answer)).toEqual([
        'no',
        4,
        0,
        -12.5,
        false,
        '2026-02-28',
        'words',
        ['a', 'c'],
        'ada@example.com',
      ])
      expect(data.answers[1]).toEqual({
        question_id: form.questions[1],
        label: 'rating',
        type: 'rating',
        answer: 4,
        score: 0,
      })
    },
  )

  check('FORM-SUBMISSION/success', 'returns empty strings until the outcome is decided', async () => {
    const world = await open()
    const { id } = await world.submission(await world.form({ outcomes }))
    expect((await get(world, '/v1/form-submission', { id })).body.data).toMatchObject({
      status: 'in_progress',
      outcome_key: '',
      qualification: { bucket: 'cold', outcome_key: '', title: '' },
      contact: null,
      completed_at: null,
      ai_summary: null,
      attribution: {},
      answers: [],
    })
  })

  check('FORM-SUBMISSION/NOT_FOUND', "for an unknown submission and another account's submission", async () => {
    const [world, other] = [await open(), await open()]
    const { id } = await other.submission(await other.form())
    for (const each of [id, 0]) expectError(await get(world, '/v1/form-submission', { id: each }), 404, 'NOT_FOUND')
  })

  check('FORM-SUBMISSION/VALIDATION_ERROR', 'for an invalid ID', async () => {
    const world = await open()
    expectError(await get(world, '/v1/form-submission', { id: 'one' }), 422, 'VALIDATION_ERROR', ['id'])
    expectError(await get(world, '/v1/form-submission'), 422, 'VALIDATION_ERROR', ['id'])
  })
})
