import { describe, expect, it } from 'vitest'
import { freePath, slugOf } from '../../src/funnels/funnel/slugs.ts'
import type { Named, World } from '../support/world.ts'
import { ContentSet, newShop, page, StepMove, StepUpdate, subdomain } from './documents.ts'

const Create = `mutation ($input: FunnelStepCreateInput!) { funnelStepCreate(input: $input) {
  step { id path position type title description form { name type status step { path } } funnel { id } } } }`
const pathsOf = async (world: World, { id }: Pick<Named, 'id'>) => {
  const { funnel } = await world.run('query ($id: ID!) { funnel(id: $id) { steps { path position } } }', { id })
  return funnel.steps.map(({ path, position }: { path: string; position: number }) => `${position} ${path}`)
}

describe('the path of a step', () => {
  it.each([
    ['Welcome', 'welcome'],
    ['  Crème brûlée & co. ', 'creme-brulee-co'],
    ['Straße Øresund Łódź Ærø', 'strasse-oresund-lodz-aero'],
    ['ﬁne Ⅳ ½', 'fine-iv-1-2'],
    ["L'été d’or", 'lete-dor'],
    ['İstanbul', 'istanbul'],
    ['日本', 'page'],
    ['!!!', 'page'],
    ['日本 2026', '2026'],
    ['x'.repeat(255), 'x'.repeat(100)],
    [`${'x'.repeat(99)} y`, 'x'.repeat(99)],
  ])('for the name %j is %j', (name, path) => {
    expect(slugOf(name)).toBe(path)
  })

  it('gets the first free number if it is in use, within the maximum length', () => {
    expect(freePath('a', new Set(['a', 'a-1', 'a-3']))).toBe('a-2')
    expect(freePath('a-1', new Set(['a', 'a-1']))).toBe('a-1-1')
    const long = 'x'.repeat(100)
    expect(freePath(long, new Set([long]))).toBe(`${'x'.repeat(98)}-1`)
    expect(freePath(`${'x'.repeat(97)}-yy`, new Set([`${'x'.repeat(97)}-yy`]))).toBe(`${'x'.repeat(97)}-1`)
  })
})

describe('funnelStepCreate', () => {
  it('adds a page at the end, with a form of its own', async () => {
    const world = await newShop()
    const funnel = await world.funnel()
    const input = { funnelId: funnel.databaseId, name: 'Merci beaucoup', type: 3, title: 'Merci', description: 'Fin.' }
    await world.step(funnel)
    expect((await world.run(Create, { input })).funnelStepCreate.step).toEqual({
      id: expect.any(String),
      path: 'merci-beaucoup',
      position: 2,
      type: 3,
      title: 'Merci',
      description: 'Fin.',
      form: { name: 'Merci beaucoup', type: 'OPTIN', status: 'PUBLISHED', step: { path: 'merci-beaucoup' } },
      funnel: { id: funnel.id },
    })
  })

  it('creates twenty different paths and positions for twenty concurrent calls with one name', async () => {
    const world = await newShop()
    const funnel = await world.funnel()
    await Promise.all(Array.from({ length: 20 }, () => world.step(funnel, { name: 'Offer' })))
    expect(await pathsOf(world, funnel)).toEqual(
      Array.from({ length: 20 }, (_, index) => `${index + 1} ${index === 0 ? 'offer' : `offer-${index}`}`),
    )
  })

  it('accepts a path that another funnel has', async () => {
    const world = await newShop()
    const [one, two] = [await world.funnel(), await world.funnel()]
    expect([(await world.step(one)).path, (await world.step(two)).path]).toEqual(['welcome', 'welcome'])
  })

  it('returns VALIDATION_ERROR for an invalid type and for the 501st step', async () => {
    const world = await newShop()
    const funnel = await world.funnel()
    const input = { funnelId: funnel.id, name: 'x' }
    expect((await world.fault(Create, { input: { ...input, type: -1 } })).extensions).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { 'input.type': [expect.any(String)] },
    })
    await world.rows(
      `WITH f AS (INSERT INTO form (account_id, type, name, status, warm_from, hot_from, created_at, updated_at)
        SELECT $1, 'OPTIN', n, 'DRAFT', 1, 10, now(), now() FROM generate_series(1, 500) n RETURNING id)
       INSERT INTO funnel_step (account_id, funnel_id, form_id, position, name, path, type, created_at, updated_at)
       SELECT $1, $2, id, row_number() OVER (), id, id, 1, now(), now() FROM f`,
      [world.accountId, funnel.databaseId],
    )
    expect((await world.fault(Create, { input })).extensions).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { 'input.funnelId': [expect.stringContaining('500')] },
    })
  })

  it("returns NOT_FOUND for another account's funnel, and requires the scope", async () => {
    const world = await newShop()
    const funnel = await (await world.other({ subdomain: subdomain() })).funnel()
    for (const funnelId of [funnel.id, funnel.databaseId]) {
      const fault = await world.fault(Create, { input: { funnelId, name: 'x' } })
      expect(fault.extensions.code).toBe('NOT_FOUND')
    }
    const key = await world.key({ scopes: ['funnels:read'] })
    const fault = await world.fault(Create, { input: { funnelId: funnel.id, name: 'x' } }, { key })
    expect(fault.extensions.code).toBe('FORBIDDEN')
  })
})

describe('funnelStepUpdate', () => {
  it('changes only the fields that are sent, and accepts its own path', async () => {
    const world = await newShop()
    const step = await world.step(await world.funnel())
    const [tag, sequence] = [await world.tag('came in'), await world.sequence({ name: 'course' })]
    const input = {
      id: step.id,
      title: 'T',
      path: 'welcome',
      tagIds: [tag.id, tag.databaseId],
      sequenceIds: [sequence.id],
    }
    const changed = { name: 'Welcome', path: 'welcome', type: 1, position: 1, title: 'T', description: '' }
    const links = { tags: [{ name: 'came in' }], sequences: [{ name: 'course' }] }
    expect((await world.run(StepUpdate, { input })).funnelStepUpdate.step).toEqual({ ...changed, ...links })
    expect(
      (await world.run(StepUpdate, { input: { id: step.id, path: 'go', tagIds: [] } })).funnelStepUpdate.step,
    ).toEqual({
      ...changed,
      ...links,
      path: 'go',
      tags: [],
    })
    await world.run('mutation ($id: ID!) { sequenceDelete(input: { id: $id }) { deletedSequenceId } }', sequence)
    expect((await world.run(StepUpdate, { input: { id: step.id } })).funnelStepUpdate.step.sequences).toEqual([])
  })

  it('returns PATH_TAKEN for a path that another step has, also concurrently', async () => {
    const world = await newShop()
    const funnel = await world.funnel()
    const steps = [await world.step(funnel), await world.step(funnel), await world.step(funnel)]
    const fault = await world.fault(StepUpdate, { input: { id: steps[1]?.id, path: 'welcome' } })
    expect(fault.extensions.code).toBe('PATH_TAKEN')
    const responses = await Promise.all(steps.map(({ id }) => world.ask(StepUpdate, { input: { id, path: 'wanted' } })))
    expect(responses.map(({ body }) => body.errors?.[0].extensions.code ?? 'done').sort()).toEqual([
      'PATH_TAKEN',
      'PATH_TAKEN',
      'done',
    ])
  })

  it.each(['', 'A', 'a b', '-a', 'a-', 'a--b', 'é', 'a/b', '../a', 'a\0', 'x'.repeat(101)])(
    'returns VALIDATION_ERROR for the path %j',
    async (path) => {
      const world = await newShop()
      const { id } = await world.step(await world.funnel())
      expect((await world.fault(StepUpdate, { input: { id, path } })).extensions).toMatchObject({
        code: 'VALIDATION_ERROR',
        details: { 'input.path': [expect.any(String)] },
      })
    },
  )

  it("returns NOT_FOUND for another account's step, tag or sequence", async () => {
    const world = await newShop()
    const other = await world.other({ subdomain: subdomain() })
    const [own, foreign] = [await world.step(await world.funnel()), await other.step(await other.funnel())]
    const [tag, sequence] = [await other.tag(), await other.sequence()]
    for (const input of [
      { id: foreign.id },
      { id: own.id, tagIds: [tag.id] },
      { id: own.id, sequenceIds: [sequence.databaseId] },
    ]) {
      expect((await world.fault(StepUpdate, { input })).extensions.code).toBe('NOT_FOUND')
    }
  })
})

describe('the form of a step', () => {
  const readForm = 'query ($id: ID!) { funnelStep(id: $id) { form { id } } }'
  const setForm = (world: World, step: Pick<Named, 'id'>, formId: string | number) =>
    world.ask(StepUpdate, { input: { id: step.id, formId } })

  it('can be chosen for a new step and for another one, and the page then asks its questions', async () => {
    const world = await newShop()
    const funnel = await world.funnel()
    const [survey, quiz] = [
      await world.form(),
      await world.form({ questions: [{ label: 'Which?', type: 'SHORT_TEXT' }] }),
    ]
    const { step } = (
      await world.run(
        'mutation ($input: FunnelStepCreateInput!) { funnelStepCreate(input: $input) { step { id url form { id } } } }',
        { input: { funnelId: funnel.id, name: 'Welcome', formId: survey.databaseId } },
      )
    ).funnelStepCreate
    expect(step.form.id).toBe(survey.id)
    expect(await world.announced('form.created')).toHaveLength(2)
    await world.run(ContentSet, { input: { id: step.id, content: page({ type: 'form', buttonText: 'Send' }) } })
    expect(await (await fetch(step.url)).text()).toContain('Yes or no?')
    await setForm(world, step, quiz.id)
    expect((await world.run(readForm, step)).funnelStep.form.id).toBe(quiz.id)
    await expect.poll(async () => (await fetch(step.url)).text()).toContain('Which?')
    const former = await world.run('query ($id: ID!) { form(id: $id) { status step { id } } }', { id: survey.id })
    expect(former.form).toEqual({ status: 'PUBLISHED', step: null })
  })

  it('belongs to one step only, also concurrently, and may be sent again for that step', async () => {
    const world = await newShop()
    const funnel = await world.funnel()
    const form = await world.form()
    const steps = [await world.step(funnel), await world.step(funnel), await world.step(await world.funnel())]
    const responses = await Promise.all(steps.map((step) => setForm(world, step, form.id)))
    const details = responses.map(({ body }) => body.errors?.[0].extensions.details?.['input.formId'])
    expect(details.filter((each) => each === undefined)).toHaveLength(1)
    expect(details.filter((each) => each?.[0] === 'belongs to another step')).toHaveLength(2)
    const owner = steps[details.indexOf(undefined)] as Named
    expect((await setForm(world, owner, form.id)).body.errors).toBeUndefined()
  })

  it('must exist and be published', async () => {
    const world = await newShop()
    const step = await world.step(await world.funnel())
    const archived = await world.form()
    await world.run('mutation ($id: ID!) { formArchive(input: { id: $id }) { form { id } } }', archived)
    const refusals = await Promise.all([archived.id, 2_000_000_000].map((id) => setForm(world, step, id)))
    expect(refusals.map(({ body }) => body.errors?.[0].extensions.code)).toEqual(['VALIDATION_ERROR', 'NOT_FOUND'])
  })
})

describe('funnelStepMove', () => {
  it('moves a step and closes the gap, in both directions', async () => {
    const world = await newShop()
    const funnel = await world.funnel()
    const [a, , , d] = [
      await world.step(funnel, { name: 'a' }),
      await world.step(funnel, { name: 'b' }),
      await world.step(funnel, { name: 'c' }),
      await world.step(funnel, { name: 'd' }),
    ]
    await world.run(StepMove, { id: a?.id, position: 3 })
    expect(await pathsOf(world, funnel)).toEqual(['1 b', '2 c', '3 a', '4 d'])
    await world.run(StepMove, { id: d?.id, position: 1 })
    expect(await pathsOf(world, funnel)).toEqual(['1 d', '2 b', '3 c', '4 a'])
    await Promise.all([
      world.run(StepMove, { id: a?.id, position: 1 }),
      world.run(StepMove, { id: d?.id, position: 4 }),
    ])
    expect(await pathsOf(world, funnel)).toEqual(['1 a', '2 b', '3 c', '4 d'])
    for (const position of [0, 5, -1, 2_147_483_647]) {
      expect((await world.fault(StepMove, { id: a?.id, position })).extensions.code).toBe('VALIDATION_ERROR')
    }
  })
})

/** Creates a completed submission of a step's form for a contact. */
async function completedSubmission(world: World, form: Pick<Named, 'id'>, contact: { id: string; email: string }) {
  const { questions } = (await world.run('query ($id: ID!) { form(id: $id) { questions { id type } } }', form)).form
  const question = questions.find(({ type }: { type: string }) => type === 'EMAIL')
  const answers = [{ questionId: question.id, values: [contact.email] }]
  return { formId: form.id, contact: { id: contact.id }, answers, complete: true }
}

describe('an opt-in', () => {
  const save = 'mutation ($input: SubmissionSaveInput!) { submissionSave(input: $input) { submission { id status } } }'
  it('applies the tags and sequences of the step once, and emits its event after them', async () => {
    const world = await newShop()
    const step = await world.step(await world.funnel())
    const [tag, sequence, contact] = [await world.tag(), await world.sequence(), await world.contact()]
    await world.stage(sequence)
    await world.run(StepUpdate, { input: { id: step.id, tagIds: [tag.id], sequenceIds: [sequence.id] } })
    const input = await completedSubmission(world, step.form, contact)
    await world.run(save, { input: { ...input, clientSubmissionId: 'one' } })
    await world.ask(save, { input: { ...input, clientSubmissionId: 'one' } })
    const { contact: found } = await world.run(
      'query ($id: ID!) { contact(ref: { id: $id }) { tags { id } sequences { id } } }',
      contact,
    )
    expect(found).toEqual({ tags: [{ id: tag.id }], sequences: [{ id: sequence.id }] })
    const types = (await world.announced()).map(({ type }) => type)
    expect(types.filter((type) => type === 'funnel.opt_in')).toHaveLength(1)
    expect(types.indexOf('funnel.opt_in')).toBeGreaterThan(types.indexOf('sequence.subscribed'))
    expect((await world.announced('funnel.opt_in'))[0]?.data).toEqual({
      funnelId: expect.any(Number),
      stepId: step.databaseId,
      contactId: contact.databaseId,
    })
  })

  it('is stored even if the contact has the maximum number of tags', async () => {
    const world = await newShop()
    const step = await world.step(await world.funnel())
    const [tag, contact] = [await world.tag(), await world.contact()]
    await world.rows(
      `WITH made AS (INSERT INTO tag (account_id, name, created_at) SELECT $1, 'full ' || n, now() FROM generate_series(1, 1000) n RETURNING id)
       INSERT INTO contact_tag (account_id, contact_id, tag_id, created_at) SELECT $1, $2, id, now() FROM made`,
      [world.accountId, contact.databaseId],
    )
    await world.run(StepUpdate, { input: { id: step.id, tagIds: [tag.id] } })
    await world.run(save, { input: await completedSubmission(world, step.form, contact) })
    expect(await world.announced('funnel.opt_in')).toHaveLength(1)
    expect(await world.announced('contact.tag_added')).toHaveLength(0)
  })
})
