// @module-tag rows
import { describe, expect, it } from 'vitest'
import { newWorld } from '../support/world.ts'
import { mutationOf, Save, SubmissionRead } from './documents.ts'

const yesNo = (label: string) => ({ label, type: 'YES_NO', points: [{ answer: 'yes', points: '0.25' }] })

describe('concurrent saves', () => {
  it('create one submission and one set of events for one clientSubmissionId', async () => {
    const world = await newWorld()
    const form = await world.form()
    const input = {
      formId: form.id,
      clientSubmissionId: 'twenty at once',
      answers: [{ questionId: form.questions[0]?.id, value: 'yes' }],
      complete: true,
    }
    const all = await Promise.all(Array.from({ length: 20 }, () => world.run(Save, { input })))
    expect(new Set(all.map(({ submissionSave }) => submissionSave.submission.id)).size).toBe(1)
    const events = (await world.announced()).map(({ type }) => type)
    expect(events).toEqual(['form_submission.started', 'form_submission.completed'])
  })

  it('keep all answers to one submission', async () => {
    const world = await newWorld()
    const form = await world.form({ questions: Array.from({ length: 20 }, (_, index) => yesNo(`question ${index}`)) })
    const { id } = await world.submission(form)
    await Promise.all(
      form.questions.map((question) =>
        world.run(Save, { input: { formId: form.id, id, answers: [{ questionId: question.id, value: 'yes' }] } }),
      ),
    )
    const { submission } = await world.run(SubmissionRead, { id })
    expect(submission.answers).toHaveLength(20)
    expect(submission.score).toBe('5.00')
    expect(await world.announced('form_submission.updated')).toHaveLength(20)
  })

  it('complete a submission once, with the earlier answers', async () => {
    const world = await newWorld()
    const form = await world.form({ questions: [yesNo('one'), yesNo('two')] })
    const { id } = await world.submission(form)
    const outcomes = await Promise.all([
      world.ask(Save, { input: { formId: form.id, id, complete: true } }),
      ...form.questions.map((question) =>
        world.ask(Save, { input: { formId: form.id, id, answers: [{ questionId: question.id, value: 'yes' }] } }),
      ),
      world.ask(Save, { input: { formId: form.id, id, complete: true } }),
    ])
    const { submission } = await world.run(SubmissionRead, { id })
    // Saves after the completion are rejected; the answers of all other saves are stored.
    const kept = outcomes.slice(1, 3).filter(({ body }) => body.errors === undefined)
    expect(submission.answers).toHaveLength(kept.length)
    expect(submission.status).toBe('COMPLETED')
    expect(await world.announced('form_submission.completed')).toHaveLength(1)
  })

  it('create one contact for one address', async () => {
    const world = await newWorld()
    const form = await world.form({ questions: [{ label: 'E-mail', type: 'EMAIL' }] })
    const answers = [{ questionId: form.questions[0]?.id, value: 'ada@example.com' }]
    const all = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        world.run(Save, { input: { formId: form.id, clientSubmissionId: `visitor ${index}`, answers } }),
      ),
    )
    expect(new Set(all.map(({ submissionSave }) => submissionSave.submission.contact.id)).size).toBe(1)
    expect(await world.announced('contact.created')).toHaveLength(1)
  })

  it('are rejected after the form was archived', async () => {
    const world = await newWorld()
    const form = await world.form()
    const saves = Array.from({ length: 10 }, () => world.ask(Save, { input: { formId: form.id } }))
    const archive = world.run(mutationOf('formArchive', 'form { status }'), { input: { id: form.id } })
    const responses = await Promise.all(saves)
    await archive
    const created = responses.filter(({ body }) => body.errors === undefined)
    const { form: closed } = await world.run('query ($id: ID!) { form(id: $id) { submissionsCount } }', { id: form.id })
    expect(closed.submissionsCount).toBe(created.length)
    expect((await world.fault(Save, { input: { formId: form.id } })).extensions.code).toBe('INVALID_STATE')
  })

  it('succeed while their contact is deleted, in any order', async () => {
    const world = await newWorld()
    const form = await world.form({ questions: Array.from({ length: 8 }, (_, index) => yesNo(`question ${index}`)) })
    const contact = await world.contact()
    const { id } = await world.submission(form, { contact: { id: contact.id } })
    const remove = mutationOf('contactDelete', 'deleted')
    const responses = await Promise.all([
      ...form.questions.map((question) =>
        world.ask(Save, {
          input: {
            formId: form.id,
            id,
            contact: { id: contact.id },
            answers: [{ questionId: question.id, value: 'yes' }],
          },
        }),
      ),
      world.ask(remove, { input: { contact: { id: contact.id } } }),
    ])
    const codes = responses.map(({ body }) => body.errors?.[0].extensions.code ?? 'none')
    expect(codes.filter((code) => code !== 'none' && code !== 'NOT_FOUND')).toEqual([])
    expect((await world.run(SubmissionRead, { id })).submission).toMatchObject({ contact: null })
    expect(world.server.errors).toEqual([])
  })
})

describe('concurrent changes of a form', () => {
  it('keep the positions of the questions without gaps', async () => {
    const world = await newWorld()
    const form = await world.form({ questions: [yesNo('a'), yesNo('b'), yesNo('c'), yesNo('d')] })
    const [a, b, c, d] = form.questions.map(({ id }) => id)
    const add = mutationOf('formQuestionCreate', 'question { id }')
    const move = mutationOf('formQuestionMove', 'question { position }')
    await Promise.all([
      world.run(add, { input: { formId: form.id, label: 'e', type: 'DATE' } }),
      world.run(move, { input: { id: a, position: 3 } }),
      world.run(add, { input: { formId: form.id, label: 'f', type: 'DATE', position: 1 } }),
      world.run(mutationOf('formQuestionDelete', 'deletedQuestionId'), { input: { id: b } }),
      world.run(move, { input: { id: d, position: 1 } }),
      world.run(move, { input: { id: c, position: 2 } }),
    ])
    const { form: after } = await world.run('query ($id: ID!) { form(id: $id) { questions { position } } }', {
      id: form.id,
    })
    expect(after.questions.map(({ position }: { position: number }) => position)).toEqual([1, 2, 3, 4, 5])
  })
})
