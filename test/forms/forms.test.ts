import { describe, expect, it } from 'vitest'
import { newWorld } from '../support/world.ts'
import { FormRead, formFields, mutationOf } from './documents.ts'

const create = mutationOf('formCreate', `form { ${formFields} }`)
const publish = mutationOf('formPublish', 'form { id status publishedAt }')
const restore = mutationOf('formRestore', 'form { id status publishedAt }')
const archive = mutationOf('formArchive', 'form { id status publishedAt archivedAt }')
const update = mutationOf('formUpdate', 'form { name warmFrom hotFrom }')
const question = { label: 'Yes or no?', type: 'YES_NO' }

describe('formCreate', () => {
  it('creates a draft with its questions and outcomes in order', async () => {
    const world = await newWorld()
    const { form } = (
      await world.run(create, {
        input: {
          name: ' Which bowl are you? ',
          questions: [
            { ...question, required: true, points: [{ answer: 'yes', points: '2.50' }] },
            { label: 'Address', type: 'EMAIL' },
            { label: 'Colour', type: 'DROPDOWN', options: ['blue', 'red'] },
          ],
          outcomes: [{ key: 'hot', title: 'A big one', text: 'Really.', bucket: 'HOT' }],
        },
      })
    ).formCreate
    expect(form).toMatchObject({
      name: 'Which bowl are you?',
      type: 'QUIZ',
      status: 'DRAFT',
      publishedAt: null,
      warmFrom: '1.00',
      hotFrom: '10.00',
      submissionsCount: 0,
      questions: [
        {
          label: 'Yes or no?',
          position: 1,
          required: true,
          options: null,
          points: [{ answer: 'yes', points: '2.50' }],
        },
        { position: 2, contactField: 'EMAIL', required: false },
        { position: 3, options: ['blue', 'red'], contactField: null },
      ],
      outcomes: [{ key: 'hot', title: 'A big one', text: 'Really.', bucket: 'HOT', position: 1 }],
    })
    expect((await world.run(FormRead, { id: form.id })).form).toEqual(form)
    expect(await world.announced('*')).toEqual([{ type: 'form.created', data: { formId: form.databaseId } }])
  })

  it('returns VALIDATION_ERROR with the name of the invalid field', async () => {
    const world = await newWorld()
    const asking = (more: object) => ({ questions: [{ ...question, ...more }] })
    const choice = (options: unknown) => asking({ type: 'SINGLE_CHOICE', options })
    const wrong: [object, string][] = [
      [{ name: '' }, 'name'],
      [{ name: 'x'.repeat(256) }, 'name'],
      [{ name: 'a\0' }, 'name'],
      [{ warmFrom: '5', hotFrom: '4' }, 'warmFrom'],
      [{ warmFrom: '1.001' }, 'warmFrom'],
      [{ hotFrom: '10000000000' }, 'hotFrom'],
      [{ questions: Array.from({ length: 501 }, () => question) }, 'questions'],
      [asking({ label: ' ' }), 'questions.0.label'],
      [asking({ options: ['a'] }), 'questions.0.options'],
      [asking({ points: [{ answer: 'maybe', points: '1' }] }), 'questions.0.points'],
      [asking({ points: [{ answer: 'yes', points: '10001' }] }), 'questions.0.points.0.points'],
      [asking({ points: [{ answer: 'yes', points: '0.001' }] }), 'questions.0.points.0.points'],
      [asking({ points: ['yes', 'yes'].map((answer) => ({ answer, points: '1' })) }), 'questions.0.points'],
      [asking({ type: 'NUMBER', points: [{ answer: '1', points: '1' }] }), 'questions.0.points'],
      [asking({ type: 'LONG_TEXT', contactField: 'CITY' }), 'questions.0.contactField'],
      [asking({ type: 'STATEMENT', required: true }), 'questions.0.required'],
      [choice(null), 'questions.0.options'],
      [choice([]), 'questions.0.options'],
      [choice(['a', 'a']), 'questions.0.options'],
      [choice([' ']), 'questions.0.options.0'],
      [choice(Array.from({ length: 201 }, (_, index) => `${index}`)), 'questions.0.options'],
      [{ outcomes: [{ key: 'a b', title: 'x', bucket: 'HOT' }] }, 'outcomes.0.key'],
      [{ outcomes: ['a', 'a'].map((key) => ({ key, title: 'x', bucket: 'HOT' })) }, 'outcomes'],
      [{ outcomes: Array.from({ length: 101 }, (_, n) => ({ key: `k${n}`, title: 'x', bucket: 'HOT' })) }, 'outcomes'],
    ]
    for (const [input, field] of wrong) {
      const { extensions } = await world.fault(create, { input: { name: 'form', ...input } })
      const reported = [extensions.code, Object.keys(extensions.details ?? {})[0]]
      expect(reported, JSON.stringify(input).slice(0, 200)).toEqual(['VALIDATION_ERROR', `input.${field}`])
    }
    expect((await world.run('{ forms { totalCount } }')).forms.totalCount).toBe(0)
    expect(world.server.errors).toEqual([])
  })
})

describe('forms', () => {
  it('can be published, archived and restored', async () => {
    const world = await newWorld()
    const { form } = (await world.run(create, { input: { name: 'form', questions: [question] } })).formCreate
    const input = { id: form.id }
    expect((await world.fault(archive, { input })).extensions.code).toBe('INVALID_STATE')
    const first = (await world.run(publish, { input })).formPublish.form
    expect(first).toMatchObject({ status: 'PUBLISHED', publishedAt: expect.any(String) })
    expect((await world.fault(publish, { input })).extensions.code).toBe('INVALID_STATE')
    const archived = (await world.run(archive, { input })).formArchive.form
    expect(archived).toEqual({ ...first, status: 'ARCHIVED', archivedAt: expect.any(String) })
    const listOf = async (exists: boolean) =>
      (
        await world.run('query ($f: FormFilterInput) { forms(filter: $f) { totalCount } }', {
          f: { archivedAt: { exists } },
        })
      ).forms.totalCount
    expect([await listOf(true), await listOf(false)]).toEqual([1, 0])
    expect((await world.fault(archive, { input })).extensions.code).toBe('INVALID_STATE')
    expect((await world.fault(publish, { input })).extensions.code).toBe('INVALID_STATE')
    for (const _ of [1, 2]) expect((await world.run(restore, { input })).formRestore.form).toEqual(first)
  })

  it('cannot be published without a question that takes an answer', async () => {
    const world = await newWorld()
    const questions = [{ label: 'Read this', type: 'STATEMENT' }]
    const { form } = (await world.run(create, { input: { name: 'form', questions } })).formCreate
    expect((await world.fault(publish, { input: { id: form.id } })).extensions).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { 'input.id': ['questions must contain at least one question that takes an answer'] },
    })
  })

  it('keep a threshold that the input does not contain, and reject warmFrom above hotFrom', async () => {
    const world = await newWorld()
    const { id } = await world.form({ warmFrom: '2', hotFrom: '4' })
    expect((await world.run(update, { input: { id, hotFrom: '2.5', name: 'renamed' } })).formUpdate.form).toEqual({
      name: 'renamed',
      warmFrom: '2.00',
      hotFrom: '2.50',
    })
    expect((await world.fault(update, { input: { id, warmFrom: '3' } })).extensions.code).toBe('VALIDATION_ERROR')
    expect((await world.fault(update, { input: { id: 2_000_000_000, name: 'x' } })).extensions.code).toBe('NOT_FOUND')
  })

  it('require the scopes forms:read and forms:write', async () => {
    const world = await newWorld()
    const { id } = await world.form()
    const reader = { key: await world.key({ scopes: ['forms:read'] }) }
    const stranger = { key: await world.key({ scopes: ['contacts:read'] }) }
    expect((await world.run(FormRead, { id }, reader)).form.id).toBe(id)
    expect((await world.fault(archive, { input: { id } }, reader)).extensions.code).toBe('FORBIDDEN')
    expect((await world.fault(FormRead, { id }, stranger)).extensions.code).toBe('FORBIDDEN')
    expect((await world.fault('{ submissions { totalCount } }', {}, stranger)).extensions.code).toBe('FORBIDDEN')
    const contacts = '{ contacts { nodes { submissions { totalCount } } } }'
    await world.contact()
    expect((await world.ask(contacts, {}, stranger)).body.data.contacts.nodes).toEqual([{ submissions: null }])
  })

  it('are filtered by their columns, searched by words and sorted', async () => {
    const world = await newWorld()
    const survey = await world.form({ name: 'Autumn survey', type: 'SURVEY' })
    const quiz = await world.form({ name: '100% quiz' })
    await world.run(create, { input: { name: 'Draft of a survey' } })
    const document = `query ($filter: FormFilterInput, $orderBy: [FormOrderInput!]) {
      account { forms(filter: $filter, orderBy: $orderBy) { nodes { name } totalCount } } }`
    const [q, s, d] = ['100% quiz', 'Autumn survey', 'Draft of a survey']
    const names = async (variables: object) => {
      const { nodes, totalCount } = (await world.run(document, variables)).account.forms
      expect(nodes).toHaveLength(totalCount)
      return nodes.map(({ name }: { name: string }) => name)
    }
    const since = '2000-01-01T00:00:00Z'
    for (const [filter, expected] of [
      [{ status: 'PUBLISHED' }, [q, s]],
      [{ status: ['DRAFT', 'ARCHIVED'] }, [d]],
      [{ type: ['SURVEY'], not: { id: { in: [quiz.id] } } }, [s]],
      [{ id: { in: [quiz.databaseId, survey.id] } }, [q, s]],
      [{ name: { contains: '0% Q' } }, [q]],
      [{ name: { startsWith: 'draft' } }, [d]],
      [{ createdAt: { period: 'YESTERDAY' } }, []],
      [{ updatedAt: { gte: since }, publishedAt: { gte: since } }, [q, s]],
      [{ not: { publishedAt: { gte: since } } }, [d]],
      [{ search: 'SURVEY aut' }, [s]],
      [{ search: '100% q' }, [q]],
      [{ search: 'a' }, [d, s]],
      [{ search: 'nothing' }, []],
    ] as const) {
      expect(await names({ filter }), JSON.stringify(filter)).toEqual(expected)
    }
    for (const [field, expected] of [
      ['NAME', [q, s, d]],
      ['UPDATED_AT', [s, q, d]],
      ['STATUS', [d, s, q]],
    ] as const) {
      expect(await names({ orderBy: { field, direction: 'ASC' } }), field).toEqual(expected)
    }
    const ranked = await world.fault(document, { orderBy: { field: 'RELEVANCE' } })
    expect(ranked.extensions).toMatchObject({ details: { 'orderBy.0.field': ['RELEVANCE requires filter.search'] } })
  })
})
