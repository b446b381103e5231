import { describe, expect } from 'vitest'
import { check } from './check.ts'
import { expectError } from './client.ts'
import { gateways, newWorld, useServers, type World } from './support.ts'

const servers = useServers()
const isoMicroseconds = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
const path = '/v1/form-submissions'

const list = (world: World, query: Record<string, string | number> = {}) => world.call('GET', path, { query })

/** Creates a form with three submissions: cold and in progress, warm, and hot with a contact. */
async function createSubmissions(world: World) {
  const form = await world.form({
    warmFrom: '1',
    hotFrom: '3',
    questions: [
      {
        label: 'Tools',
        type: 'MULTIPLE_CHOICE',
        options: ['Mail', 'Ads', 'Shop'],
        points: [
          { answer: 'Ads', points: '1.25' },
          { answer: 'Shop', points: '3' },
        ],
      },
      { label: 'Words', type: 'LONG_TEXT' },
    ],
    outcomes: [{ key: 'call', title: 'Call us', bucket: 'HOT' }],
  })
  const [tools, words] = form.questions
  const contact = await world.contact({ first_name: 'Ada', last_name: 'Lovelace' })
  const cold = await world.submission(form, { answers: [{ questionId: tools, values: ['Mail'] }] })
  const warm = await world.submission(form, {
    answers: [
      { questionId: tools, values: ['Mail', 'Ads'] },
      { questionId: words, value: 'Über 100% sure' },
    ],
    complete: true,
    attribution: [{ key: 'UTM_SOURCE', value: 'news' }],
  })
  const hot = await world.submission(form, {
    answers: [{ questionId: tools, values: ['Shop', 'Ads'] }],
    contact: { id: contact.id },
    complete: true,
  })
  return { form, tools: tools as number, words: words as number, contact, cold: cold.id, warm: warm.id, hot: hot.id }
}

describe.each(gateways)('form submissions, %s', (gateway) => {
  const open = () => newWorld(servers, gateway)

  check('FORM-SUBMISSIONS/success', 'lists submissions without answers, newest first', async () => {
    const world = await open()
    const { form, contact, cold, warm, hot } = await createSubmissions(world)
    const { body } = await list(world)
    expect(body.meta).toEqual({ current_page: 1, last_page: 1, per_page: 50, total: 3 })
    expect(body.data.map(({ id }: { id: number }) => id)).toEqual([hot, warm, cold])
    const times = { started_at: isoMicroseconds, created_at: isoMicroseconds, updated_at: isoMicroseconds }
    expect(body.data[0]).toEqual({
      ...times,
      id: hot,
      form_id: form.id,
      status: 'completed',
      score: 4.25,
      bucket: 'hot',
      outcome_key: 'call',
      contact: { id: contact.id, email: contact.email, first_name: 'Ada', last_name: 'Lovelace' },
      completed_at: isoMicroseconds,
    })
    expect(body.data[2]).toMatchObject({ status: 'in_progress', contact: null, completed_at: null, outcome_key: '' })
  })

  check('FORM-SUBMISSIONS/success', 'supports every filter', async () => {
    const world = await open()
    const { form, tools, words, contact, cold, warm, hot } = await createSubmissions(world)
    const other = await world.form()
    const { body: all } = await list(world)
    const found: [Record<string, string | number>, number[]][] = [
      [{ form_id: form.id }, [hot, warm, cold]],
      [{ form_id: other.id }, []],
      [{ status: 'in_progress' }, [cold]],
      [{ status: 'completed', bucket: 'warm' }, [warm]],
      [{ score_min: 1.25 }, [hot, warm]],
      [{ score_min: '-1' }, [hot, warm, cold]],
      [{ score_min: '4.26' }, []],
      [{ contact_id: contact.id }, [hot]],
      [{ email: contact.email.toUpperCase() }, [hot]],
      [{ email: 'nobody@example.com' }, []],
      [{ email: 'no address' }, []],
      [{ period: 'today' }, [hot, warm, cold]],
      [{ period: 'yesterday' }, []],
      [{ period: 'between', range: '2020-01-01to2020-01-31' }, []],
      [{ updated_after: all.data[1].updated_at }, [hot, warm]],
      [{ updated_after: all.data[1].updated_at.replace(/000Z$/, '001Z') }, [hot]],
      [{ updated_after: all.data[0].updated_at.replace(/000Z$/, '500Z') }, []],
      [{ updated_after: '20260101T000000Z' }, [hot, warm, cold]],
      [{ email: ` ${contact.email}\t` }, [hot]],
      [{ updated_after: '2099-01-01T00:00:00Z' }, []],
      ...['+01:00', '+0100', '-08', ' 01:00'].flatMap((zone): [Record<string, string>, number[]][] => [
        [{ updated_after: `2026-01-01T00:00:00${zone}` }, [hot, warm, cold]],
        [{ updated_after: `2099-01-01T00:00:00.000000${zone}` }, []],
      ]),
      [{ question_id: tools, answer: 'Mail' }, [warm, cold]],
      [{ question_id: tools, answer: 'mail' }, []],
      [{ question_id: tools, answer_contains: 'SHO' }, [hot]],
      [{ question_id: words, answer_contains: 'ÜBER 100%' }, [warm]],
      [{ question_id: words, answer_contains: '_' }, []],
      [{ question_id: other.questions[0] as number, answer: 'Mail' }, []],
      [{ question_id: tools }, [hot, warm, cold]],
    ]
    for (const [query, ids] of found) {
      const { body } = await list(world, query)
      expect([body.data?.map(({ id }: { id: number }) => id), body.meta?.total], JSON.stringify(query)).toEqual([
        ids,
        ids.length,
      ])
    }
  })

  check('FORM-SUBMISSIONS/success', 'sorts by score and by time, in both directions, over pages', async () => {
    const world = await open()
    const { cold, warm, hot } = await createSubmissions(world)
    const ids = async (query: Record<string, string | number>) =>
      (await list(world, query)).body.data.map(({ id }: { id: number }) => id)
    expect(await ids({ sort: 'score' })).toEqual([hot, warm, cold])
    expect(await ids({ sort: 'score', order: 'asc' })).toEqual([cold, warm, hot])
    expect(await ids({ sort: 'created_at', order: 'asc', per_page: 2 })).toEqual([cold, warm])
    expect(await ids({ order: 'asc', per_page: 2, page: 2 })).toEqual([hot])
  })

  check('FORM-SUBMISSIONS/success', 'includes the attribution if it is requested', async () => {
    const world = await open()
    await createSubmissions(world)
    for (const wanted of ['true', '1']) {
      const { body } = await list(world, { include_attribution: wanted })
      expect(body.data.map(({ attribution }: { attribution: unknown }) => attribution)).toEqual([
        {},
        { utm_source: 'news' },
        {},
      ])
    }
    for (const row of (await list(world, { include_attribution: 'false' })).body.data)
      expect(row).not.toHaveProperty('attribution')
  })

  check('FORM-SUBMISSIONS/success', 'lists no submissions of another account', async () => {
    const [world, other] = [await open(), await open()]
    const { form, tools, contact } = await createSubmissions(other)
    for (const query of [
      {},
      { form_id: form.id },
      { contact_id: contact.id },
      { question_id: tools, answer: 'Mail' },
    ]) {
      expect((await list(world, query)).body).toMatchObject({ data: [], meta: { total: 0 } })
    }
  })

  check('FORM-SUBMISSIONS/INVALID_STATUS', 'for an unknown status', async () => {
    const world = await open()
    for (const status of ['published', 'IN_PROGRESS', ''])
      expectError(await list(world, { status }), 400, 'INVALID_STATUS')
  })

  check('FORM-SUBMISSIONS/INVALID_BUCKET', 'for an unknown bucket', async () => {
    const world = await open()
    for (const bucket of ['HOT', 'tepid', '']) expectError(await list(world, { bucket }), 400, 'INVALID_BUCKET')
  })

  check('FORM-SUBMISSIONS/MISSING_QUESTION_ID', 'for an answer without its question', async () => {
    const world = await open()
    expectError(await list(world, { answer: 'x' }), 400, 'MISSING_QUESTION_ID')
    expectError(await list(world, { answer_contains: 'x' }), 400, 'MISSING_QUESTION_ID')
    expectError(await list(world, { answer: '' }), 400, 'MISSING_QUESTION_ID')
  })

  check('FORM-SUBMISSIONS/INVALID_PERIOD', 'for an unknown period, and for between without a range', async () => {
    const world = await open()
    expectError(await list(world, { period: 'tomorrow' }), 400, 'INVALID_PERIOD')
    expectError(await list(world, { period: 'between' }), 400, 'INVALID_PERIOD')
  })

  check('FORM-SUBMISSIONS/VALIDATION_ERROR', 'for parameters of a wrong type, with the name of each', async () => {
    const world = await open()
    const wrong = {
      form_id: 'x',
      score_min: 'high',
      contact_id: '1.5',
      updated_after: '2026-02-30',
      question_id: 'first',
      include_attribution: 'maybe',
      sort: 'name',
      order: 'up',
      page: 0,
      per_page: 101,
    }
    for (const [name, value] of Object.entries(wrong)) {
      expectError(await list(world, { [name]: value }), 422, 'VALIDATION_ERROR', [name])
    }
    expectError(await list(world, { ...wrong, status: 'x', answer: 'y' }), 422, 'VALIDATION_ERROR', Object.keys(wrong))
  })
})
