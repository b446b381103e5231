import { beforeAll, describe, expect, it } from 'vitest'
import { type NamedForm, newWorld, type World } from '../support/world.ts'
import { SubmissionRead } from './documents.ts'
import { type Browser, newBrowser } from './http-browser.ts'

const quiz = {
  name: 'Are you <ready>?',
  warmFrom: '2',
  hotFrom: '5',
  questions: [
    { label: 'Welcome to this\nlittle quiz', type: 'STATEMENT' },
    { label: 'Do you sell?', type: 'YES_NO', required: true, points: [{ answer: 'yes', points: '2.5' }] },
    {
      label: 'Which tools?',
      type: 'MULTIPLE_CHOICE',
      options: ['Mail', 'Ads & more', 'Shop'],
      points: [{ answer: 'Ads & more', points: '3' }],
    },
    { label: 'Campaign Source', type: 'HIDDEN' },
    { label: 'Your e-mail', type: 'EMAIL', required: true },
    { label: 'Anything else?', type: 'LONG_TEXT' },
  ],
  outcomes: [
    { key: 'hot', title: 'Call <b>us</b>', text: 'First paragraph.\n\nSecond <i>one</i>.', bucket: 'HOT' },
    { key: 'cold', title: 'Not yet', bucket: 'COLD' },
  ],
}

describe('HTML page of a form', () => {
  let world: World
  let form: NamedForm
  const q = (index: number) => `q${form.questions[index]?.databaseId}`
  const at = (index: number, of: NamedForm = form) => `/f/${of.databaseId}?q=${of.questions[index]?.databaseId}`
  const submissions = (of: NamedForm = form) =>
    world.rows<{ id: number; status: string; contact_id: number | null }>(
      'SELECT * FROM submission WHERE account_id = $1 AND form_id = $2 ORDER BY id',
      [world.accountId, of.databaseId],
    )
  const events = async () => (await world.announced()).map(({ type }) => type).filter((type) => /^form_/.test(type))
  const begin = async (query = ''): Promise<Browser> => {
    const browser = newBrowser(world.server)
    await browser.open(`/f/${form.databaseId}${query}`)
    return browser
  }

  beforeAll(async () => {
    world = await newWorld()
  })
  const fresh = async (input: object = {}) => {
    form = await world.form({ ...quiz, ...input })
  }

  it('shows one question after another, saves each answer and ends with the outcome', async () => {
    await fresh()
    const before = (await events()).length
    const browser = await begin('?utm_source=news&campaign_source=spring')
    expect(browser.seen().status).toBe(200)
    expect(browser.seen().text).toContain('Welcome to this\nlittle quiz')
    expect(browser.seen().text).toContain('<h1>Are you &#60;ready&#62;?</h1>')
    expect(browser.seen().text).toContain('<small>of 5</small>')
    expect(await submissions()).toEqual([])

    expect((await browser.fill()).path).toBe(at(1))
    expect(await submissions()).toMatchObject([{ status: 'IN_PROGRESS' }])
    expect((await browser.fill({ [q(1)]: 'yes' })).path).toBe(at(2))
    expect((await browser.fill({ [q(2)]: ['Mail', 'Ads & more'] })).path).toBe(at(4))
    expect(browser.seen().text).toContain(
      `href="?q=${form.questions[2]?.databaseId}"><span aria-hidden="true">←</span> Back`,
    )
    expect(browser.seen().text).toContain('autocomplete="email"')
    expect((await browser.fill({ [q(4)]: 'Quiz.Taker@example.com' })).path).toBe(at(5))
    expect(browser.seen().text).toContain('>Submit</button>')
    const end = await browser.fill({ [q(5)]: 'No & <thanks>' })
    expect(end).toMatchObject({ status: 200, path: `/f/${form.databaseId}` })
    expect(end.text).toContain(
      '<h2>Call &#60;b&#62;us&#60;/b&#62;</h2><p>First paragraph.</p><p>Second &#60;i&#62;one&#60;/i&#62;.</p>',
    )

    const [row] = await submissions()
    const { submission } = await world.run(SubmissionRead, { id: String(row?.id) })
    expect(submission).toMatchObject({
      status: 'COMPLETED',
      score: '5.50',
      bucket: 'HOT',
      outcomeKey: 'hot',
      contact: { email: 'Quiz.Taker@example.com' },
      answers: [
        { values: ['yes'] },
        { values: ['Mail', 'Ads & more'] },
        { values: ['spring'] },
        { values: ['Quiz.Taker@example.com'] },
        { values: ['No & <thanks>'] },
      ],
    })
    expect(submission.attribution).toEqual([
      { key: 'UTM_SOURCE', value: 'news' },
      { key: 'LANDING_PAGE', value: `/f/${form.databaseId}` },
    ])
    expect((await events()).slice(before)).toEqual([
      'form_submission.started',
      'form_submission.updated',
      'form_submission.updated',
      'form_submission.updated',
      'form_submission.completed',
    ])
  })

  it('shows a validation message and the typed value, and stores nothing of it', async () => {
    await fresh()
    const browser = await begin()
    await browser.fill()
    const empty = await browser.fill()
    expect(empty.status).toBe(422)
    expect(empty.text).toMatch(/aria-invalid="true" aria-describedby="q\d+-fault"/)
    expect(empty.text).toContain('>Please answer this.</p>')
    expect(await submissions()).toEqual([])
    await browser.fill({ [q(1)]: 'no' })
    expect((await browser.fill({ [q(2)]: 'Fax' })).text).toContain('Please choose one of the answers shown.')
    await browser.open(at(4))
    const typed = await browser.fill({ [q(4)]: '"><script>alert(1)</script>' })
    expect(typed.status).toBe(422)
    expect(typed.text).toContain('value="&#34;&#62;&#60;script&#62;alert(1)&#60;/script&#62;"')
    expect(typed.text).toContain('>Please enter a valid e-mail address.</p>')
  })

  it('continues days later where the browser stopped, and shows nothing to another browser', async () => {
    await fresh()
    const browser = await begin()
    await browser.fill()
    await browser.fill({ [q(1)]: 'yes' })
    await browser.fill({ [q(2)]: 'Shop' })
    const back = await browser.open(`/f/${form.databaseId}`)
    expect(back.text).toContain('Your e-mail')
    expect((await browser.open(at(2))).text).toContain('value="Shop" checked')
    expect((await begin()).seen().text).toContain('Welcome to this')
    const program = await newBrowser(world.server).open(`/f/${form.databaseId}`, {
      headers: { accept: 'application/json' },
    })
    expect(program.json()).toMatchObject({ submission: null })
  })

  it('removes an earlier answer', async () => {
    await fresh()
    const browser = await begin()
    await browser.fill()
    await browser.fill({ [q(1)]: 'yes' })
    await browser.fill({ [q(2)]: 'Shop' })
    await browser.open(at(2))
    await browser.fill()
    const [row] = await submissions()
    const { submission } = await world.run(SubmissionRead, { id: String(row?.id) })
    expect(submission.answers).toMatchObject([{ values: ['yes'] }])
  })

  it('ignores a cookie that is forged, or of another form or account', async () => {
    await fresh()
    const browser = await begin()
    await browser.fill()
    await browser.fill({ [q(1)]: 'yes' })
    const name = `campanile_form_${form.databaseId}`
    const { value = '' } = browser.cookies.get(name) ?? {}
    const shows = async (cookie: string, of: number = form.databaseId) => {
      const { text } = await newBrowser(world.server).open(`/f/${of}`, { headers: { cookie } })
      return /Welcome to this|Which tools/.exec(text)?.[0]
    }
    expect(await shows(`${name}=${value}`)).toBe('Which tools')
    const [id = '', signature = ''] = value.split('.')
    expect(await shows(`${name}=${id}.${'A'.repeat(43)}`)).toBe('Welcome to this')
    expect(await shows(`${name}=${Buffer.from('mine').toString('base64url')}.${signature}`)).toBe('Welcome to this')
    expect(await shows(`${name}=${id}`)).toBe('Welcome to this')
    const same = await world.form(quiz)
    const foreign = await (await world.other()).form(quiz)
    for (const { databaseId } of [same, foreign]) {
      expect(await shows(`campanile_form_${databaseId}=${value}`, databaseId)).toBe('Welcome to this')
    }
  })

  it('shows the outcome of a completed submission and starts another one on request', async () => {
    await fresh()
    const browser = await begin()
    await browser.fill()
    await browser.fill({ [q(1)]: 'no' })
    await browser.open(at(4))
    await browser.fill({ [q(4)]: 'again@example.com' })
    await browser.fill()
    expect((await browser.open(at(1))).text).toContain('<h2>Not yet</h2>')
    const stale = new URLSearchParams({ [q(1)]: 'yes', at: String(form.questions[1]?.databaseId), complete: 'false' })
    const posted = await browser.open(`/f/${form.databaseId}`, {
      method: 'POST',
      body: String(stale),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    expect(posted.text).toContain('<h2>Not yet</h2>')
    expect((await browser.fill({ again: '1' })).text).toContain('Welcome to this')
    await browser.fill()
    await browser.fill({ [q(1)]: 'yes' })
    expect(await submissions()).toMatchObject([{ status: 'COMPLETED' }, { status: 'IN_PROGRESS' }])
    expect((await browser.open(`/f/${form.databaseId}?again`)).text).toContain('Welcome to this')
  })

  it('redirects to a skipped required question and keeps the last answer', async () => {
    await fresh()
    const browser = await begin()
    await browser.open(at(5))
    const refused = await browser.fill({ [q(5)]: 'The end' })
    expect(refused.status).toBe(422)
    expect(refused.text).toContain('Do you sell?')
    expect(refused.text).toContain('Please answer this.')
    const [row] = await submissions()
    const { submission } = await world.run(SubmissionRead, { id: String(row?.id) })
    expect(submission).toMatchObject({ status: 'IN_PROGRESS', answers: [{ values: ['The end'] }] })
    expect((await browser.fill({ [q(1)]: 'yes' })).path).toBe(at(2))
  })

  it('creates no submission for a visitor without an answer', async () => {
    await fresh({
      questions: [{ label: 'Read', type: 'STATEMENT' }, { label: 'Name', type: 'SHORT_TEXT' }, quiz.questions[1]],
    })
    const browser = await begin()
    await browser.fill()
    expect((await browser.fill({ [q(1)]: ' ' })).path).toBe(at(2))
    expect(await submissions()).toEqual([])
  })

  it('returns the same 404 page for a draft, an archived form and an unknown ID', async () => {
    await fresh()
    const draft = (
      await world.run(
        'mutation { formCreate(input: { name: "d", questions: [{ label: "a", type: YES_NO }] }) { form { databaseId } } }',
      )
    ).formCreate.form
    await world.run('mutation ($id: ID!) { formArchive(input: { id: $id }) { form { id } } }', { id: form.id })
    const pages = await Promise.all(
      [draft.databaseId, form.databaseId, 2147483647, 2147483648, '0', '01', 'x', '%00', form.id].map((id) =>
        newBrowser(world.server).open(`/f/${id}`),
      ),
    )
    expect(new Set(pages.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(pages[0]).toMatchObject({ status: 404 })
    expect(pages[0]?.text).toContain('Form not found')
    const posted = await newBrowser(world.server).send(`/f/${form.databaseId}`, { answers: {} })
    expect(posted).toMatchObject({ status: 404 })
    expect(posted.json()).toEqual({ message: expect.any(String) })
  })

  it('responds to HEAD and returns the allowed methods', async () => {
    await fresh()
    const browser = newBrowser(world.server)
    const head = await browser.open(`/f/${form.databaseId}`, { method: 'HEAD' })
    expect(head).toMatchObject({ status: 200, text: '' })
    const refused = await browser.open(`/f/${form.databaseId}`, { method: 'DELETE' })
    expect(refused.status).toBe(405)
    expect(refused.headers.get('allow')).toBe('GET, HEAD, POST, OPTIONS')
  })

  it('allows only its own script and style by the Content-Security-Policy', async () => {
    await fresh()
    const { headers, text } = await newBrowser(world.server).open(`/f/${form.databaseId}`)
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+'; form-action 'self'/,
    )
    expect(policy).not.toContain('unsafe')
    expect(text).not.toMatch(/ style=| on\w+=/)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('cache-control')).toBe('private, no-store')
  })

  it('responds to a bot as if it had succeeded and stores nothing', async () => {
    await fresh()
    const browser = await begin()
    await browser.fill()
    expect((await browser.fill({ [q(1)]: 'yes', website_url: 'https://spam.example' })).path).toBe(at(2))
    const direct = await browser.open(`/f/${form.databaseId}`, {
      method: 'POST',
      body: `${q(1)}=yes&website_url=x`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    expect(direct.text).toContain('Thank you!')
    expect(await submissions()).toEqual([])
  })

  it('continues after questions were removed and added in the meantime', async () => {
    await fresh()
    const browser = await begin()
    await browser.fill()
    await world.run('mutation ($id: ID!) { formQuestionDelete(input: { id: $id }) { deletedQuestionId } }', {
      id: form.questions[1]?.id,
    })
    expect(await browser.fill({ [q(1)]: 'yes' })).toMatchObject({ status: 200 })
    expect(browser.seen().text).toContain('Welcome to this')
  })
})
