import { beforeAll, describe, expect, it } from 'vitest'
import { newServer } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'
import { newBrowser } from './http-browser.ts'
import { newSurvey } from './survey.ts'

const fields = 'application/x-www-form-urlencoded'

describe('JSON of a form', () => {
  let world: World
  beforeAll(async () => {
    world = await newWorld()
  })

  it('returns the questions', async () => {
    const { form, id, path } = await newSurvey(world)
    const seen = await newBrowser(world.server).open(path, { headers: { accept: 'application/json' } })
    expect(seen.status).toBe(200)
    expect(seen.json()).toEqual({
      form: {
        id: form.databaseId,
        name: 'Survey',
        type: 'survey',
        questions: [
          { id: id(0), label: 'Sell?', type: 'yes_no', required: true, options: null },
          { id: id(1), label: 'Tools', type: 'multiple_choice', required: false, options: ['Mail', 'Ads'] },
          { id: id(2), label: 'People', type: 'number', required: false, options: null },
          { id: id(3), label: 'E-mail', type: 'email', required: false, options: null },
          { id: id(4), label: 'First name', type: 'short_text', required: false, options: null },
          { id: id(5), label: 'I agree', type: 'consent', required: false, options: null },
        ],
      },
      submission: null,
    })
    expect(seen.headers.getSetCookie()).toEqual([])
    const anything = await newBrowser(world.server).open(path, { headers: { accept: '*/*' } })
    expect(anything.headers.get('content-type')).toBe('text/html; charset=utf-8')
  })

  it.each([
    ['text/html;q=0, */*', 'application/json'],
    ['text/html; q=0.000, application/json;q=0.1', 'application/json'],
    ['text/html;q=0.001, application/json', 'text/html'],
    ['TEXT/HTML, application/json', 'text/html'],
    ['application/json;q=0', 'text/html'],
    ['application/json;q=0, */*', 'text/html'],
  ])('is not returned to a client that refuses it, and HTML neither: %s', async (accept, type) => {
    const { path } = await newSurvey(world)
    const seen = await newBrowser(world.server).open(path, { headers: { accept } })
    expect([seen.status, seen.headers.get('content-type')]).toEqual([200, `${type}; charset=utf-8`])
    const sent = await fetch(`${world.server.url}${path}`, {
      method: 'POST',
      headers: { accept, 'content-type': 'application/json' },
      body: '[]',
    })
    expect([sent.status, sent.headers.get('content-type')]).toEqual([400, `${type}; charset=utf-8`])
  })

  it('accepts the decimal sign of the keyboard in a number, and names both if a number can be read in two ways', async () => {
    const { id, send, stored } = await newSurvey(world)
    const people = (typed: string) => send({ answers: { [id(2)]: typed }, client_submission_id: 'n', complete: false })
    const refused = await people('1.000,5')
    expect(refused.status).toBe(422)
    expect(refused.json()).toMatchObject({
      details: { [`answers.${id(2)}`]: [expect.stringContaining('a point or a comma')] },
    })
    expect((await people('1,5')).status).toBe(200)
    expect((await stored()).answers).toMatchObject([{ values: ['1.5'] }])
  })

  it('saves and scores all answers of one post and returns the result', async () => {
    const { form, id, send, stored } = await newSurvey(world)
    const answers = {
      [id(0)]: true,
      [id(1)]: ['Ads', 'Mail'],
      [id(2)]: 12.5,
      [id(3)]: 'json@example.com',
      [`q${id(4)}`]: 'Ada',
      [form.questions[5]?.id ?? '']: true,
    }
    const attribution = { utm_source: 'app', utm_campaign: null }
    const { status, json } = await send({ answers, client_submission_id: 'mine', attribution })
    expect(status).toBe(200)
    expect(json()).toEqual({
      submission: {
        client_submission_id: 'mine',
        status: 'completed',
        score: 3.5,
        bucket: 'hot',
        outcome: { key: 'call', title: 'Call us', text: 'Soon.' },
      },
    })
    expect(await stored()).toMatchObject({
      contact: { email: 'json@example.com', firstName: 'Ada' },
      attribution: [{ key: 'UTM_SOURCE', value: 'app' }],
      answers: [
        { values: ['yes'] },
        { values: ['Mail', 'Ads'] },
        { values: ['12.5'] },
        { values: ['json@example.com'] },
        { values: ['Ada'] },
        { values: ['true'] },
      ],
    })
  })

  it('saves answers of several posts and answers as a list', async () => {
    const { id, rows, send } = await newSurvey(world)
    const begun = await send({
      answers: [{ question_id: id(1), answer: ['Ads'] }],
      complete: false,
      client_submission_id: 'p',
    })
    expect(begun.json()).toMatchObject({
      submission: { status: 'in_progress', score: 2, bucket: 'warm', outcome: null },
    })
    const done = await send({ answers: [{ question_id: String(id(0)), answer: 'yes' }], client_submission_id: 'p' })
    expect(done.json()).toMatchObject({ submission: { status: 'completed', score: 3.5 } })
    expect(await rows()).toHaveLength(1)
    const again = await send({ answers: { [id(0)]: 'yes' }, client_submission_id: 'p' })
    expect(again).toMatchObject({ status: 200 })
    const other = await send({ answers: { [id(0)]: 'no' }, client_submission_id: 'p' })
    expect(other.status).toBe(422)
    expect(other.json()).toMatchObject({ details: { [`answers.${id(0)}`]: [expect.stringContaining('completed')] } })
  })

  it.each<
    [what: string, body: (id: (index: number) => number) => unknown, details: (id: (index: number) => number) => object]
  >([
    ['a missing answer', (q) => ({ answers: { [q(1)]: 'Ads' } }), (q) => ({ [`answers.${q(0)}`]: ['is required'] })],
    [
      'an invalid answer',
      (q) => ({ answers: { [q(0)]: 'perhaps' } }),
      (q) => ({ [`answers.${q(0)}`]: ['must be one of: yes, no'] }),
    ],
    [
      'an answer that is an object',
      (q) => ({ answers: { [q(0)]: { a: 1 } } }),
      (q) => ({ [`answers.${q(0)}`]: expect.anything() }),
    ],
    [
      'control characters',
      (q) => ({ answers: { [q(4)]: 'a\0b' } }),
      (q) => ({ [`answers.${q(4)}`]: expect.anything() }),
    ],
    [
      'an unknown question',
      () => ({ answers: { 1999999999: 'x', q: 'y' } }),
      () => ({
        'answers.1999999999': ['is not a question of this form'],
        'answers.q': ['is not a question of this form'],
      }),
    ],
    ['no answers', () => ({}), () => ({ answers: ['are required'] })],
    ['answers of another shape', () => ({ answers: 'yes' }), () => ({ answers: expect.anything() })],
    ['a list of another shape', () => ({ answers: [1] }), () => ({ answers: expect.anything() })],
    [
      'an identifier that is not text',
      (q) => ({ answers: { [q(0)]: 'yes' }, client_submission_id: 7 }),
      () => ({ client_submission_id: ['must be text'] }),
    ],
    [
      'an identifier that is too long',
      (q) => ({ answers: { [q(0)]: 'yes' }, client_submission_id: 'x'.repeat(129) }),
      () => ({ client_submission_id: expect.anything() }),
    ],
    [
      'complete that is not a boolean',
      (q) => ({ answers: { [q(0)]: 'yes' }, complete: 'maybe' }),
      () => ({ complete: ['must be true or false'] }),
    ],
    [
      'an unknown attribution key',
      (q) => ({ answers: { [q(0)]: 'yes' }, attribution: { evil: 'x' } }),
      () => ({ attribution: expect.anything() }),
    ],
  ])('returns 422 for %s and stores nothing', async (_what, body, details) => {
    const { id, rows, send } = await newSurvey(world)
    const { status, json } = await send(body(id))
    expect(json()).toEqual({ message: expect.stringMatching(/^Invalid input: /), details: details(id) })
    expect(status).toBe(422)
    expect(await rows()).toEqual([])
  })

  it.each<[status: number, body: string, headers: Record<string, string>]>([
    [400, '{', {}],
    [400, '[]', {}],
    [400, 'null', {}],
    [400, '', {}],
    [413, `{"answers":{"1":"${'x'.repeat(262_144)}"}}`, {}],
    [415, '<xml/>', { 'content-type': 'application/xml' }],
    [415, 'x', { 'content-type': 'multipart/form-data; boundary=x' }],
    [415, '{}', { 'content-encoding': 'gzip' }],
  ])('returns %i for an unreadable body: %.20s', async (status, body, headers) => {
    const { send } = await newSurvey(world)
    const seen = await send(body, headers)
    expect(seen.status).toBe(status)
    expect(seen.json()).toEqual({ message: expect.any(String) })
  })

  it('saves twenty concurrent posts with one identifier as one submission and emits its events once', async () => {
    const { id, rows, send } = await newSurvey(world)
    const body = { answers: { [id(0)]: 'yes', [id(3)]: 'once@example.com' }, client_submission_id: 'once' }
    const before = (await world.announced()).length
    const all = await Promise.all(Array.from({ length: 20 }, () => send(body)))
    expect(new Set(all.map(({ status, text }) => `${status} ${text}`))).toHaveLength(1)
    expect(all[0]).toMatchObject({ status: 200 })
    expect(await rows()).toHaveLength(1)
    const types = (await world.announced()).slice(before).map(({ type }) => type)
    expect(types.filter((type) => type === 'form_submission.completed')).toHaveLength(1)
    expect(types.filter((type) => type === 'contact.created')).toHaveLength(1)
  })

  it('allows cross-origin requests without cookies', async () => {
    const { id, path, send } = await newSurvey(world)
    const asked = await newBrowser(world.server).open(path, {
      method: 'OPTIONS',
      headers: { origin: 'https://shop.example', 'access-control-request-method': 'POST' },
    })
    expect(asked.status).toBe(204)
    expect(asked.headers.get('access-control-allow-methods')).toContain('POST')
    const sent = await send({ answers: { [id(0)]: 'yes' } }, { origin: 'https://shop.example' })
    expect(sent.headers.get('access-control-allow-origin')).toBe('*')
    expect(sent.headers.has('access-control-allow-credentials')).toBe(false)
  })

  it('accepts form fields named by question ID and by common field names', async () => {
    const { id, path, stored } = await newSurvey(world)
    const browser = newBrowser(world.server)
    const body = `${id(0)}=yes&answers[${id(1)}]=Mail&answers[${id(1)}][]=Ads&email=plain%40example.com&firstname=Bo&utm_source=x&go=1`
    const end = await browser.open(path, { method: 'POST', body, headers: { 'content-type': fields } })
    expect(end).toMatchObject({ status: 200, path })
    expect(end.text).toContain('Call us')
    expect(await stored()).toMatchObject({
      contact: { email: 'plain@example.com', firstName: 'Bo' },
      attribution: [{ key: 'UTM_SOURCE', value: 'x' }],
      score: '3.50',
    })
    const part = await newBrowser(world.server).open(path, {
      method: 'POST',
      body: `q${id(1)}=Mail&complete=false`,
      headers: { 'content-type': fields },
    })
    expect(part.text).toContain('Sell?')
  })

  it('shows and saves a form with 500 questions', async () => {
    const many = Array.from({ length: 500 }, (_, index) => ({ label: `Question ${index}`, type: 'SHORT_TEXT' }))
    const large = await world.form({ questions: many })
    const browser = newBrowser(world.server)
    expect((await browser.open(`/f/${large.databaseId}`)).text).toContain('<small>of 500</small>')
    expect((await browser.fill({ [`q${large.questions[0]?.databaseId}`]: 'a' })).text).toContain('Question 1')
    const answers = Object.fromEntries(large.questions.map(({ databaseId }) => [databaseId, 'x'.repeat(100)]))
    expect((await browser.send(`/f/${large.databaseId}`, { answers, client_submission_id: 'l' })).status).toBe(200)
    expect(
      (
        await browser.send(`/f/${large.databaseId}`, {
          answers: [...Object.entries(answers), [1, 1]].map(([question_id, answer]) => ({ question_id, answer })),
        })
      ).status,
    ).toBe(422)
  })

  it('runs as many SQL statements for many answers as for one', async () => {
    const { id, send } = await newSurvey(world)
    let n = 0
    const cost = (answers: object) =>
      world.statements(() => send({ answers, complete: false, client_submission_id: `statements ${n++}` }))
    expect(await cost({ [id(1)]: ['Ads', 'Mail'], [id(2)]: 7, [id(0)]: 'no' })).toBe(await cost({ [id(1)]: 'Ads' }))
  })
})

describe('rate limits of posts', () => {
  it('return 429 to one IP address only', async () => {
    const limit = 5
    const server = await newServer({ PUBLIC_RATE_PER_IP: String(limit) })
    const world = await newWorld({ server })
    const form = await world.form()
    const answers = { [form.questions[0]?.databaseId ?? 0]: 'yes' }
    const statuses: number[] = []
    let refused: Awaited<ReturnType<ReturnType<typeof newBrowser>['send']>>[] = []
    // Until one is refused: a new minute, in which as many are accepted again, may begin meanwhile.
    while (refused.length === 0) {
      const all = await Promise.all(
        Array.from({ length: limit + 1 }, () => newBrowser(server).send(`/f/${form.databaseId}`, { answers })),
      )
      statuses.push(...all.map(({ status }) => status))
      refused = all.filter(({ status }) => status === 429)
    }
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(limit)
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(refused[0]?.json()).toEqual({ message: expect.stringContaining('minute') })
    expect((await newBrowser(server).open(`/f/${form.databaseId}`)).status).toBe(200)
  })
})
