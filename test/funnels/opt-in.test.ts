import { describe, expect, it } from 'vitest'
import type { World } from '../support/world.ts'
import { ContentSet, newShop, page, StepUpdate } from './documents.ts'
import { newOptInFunnel } from './opt-in.ts'
import { requestPage } from './visiting.ts'

const contactRead = `query ($email: String) { contacts(filter: { email: { eq: $email } }) { nodes {
  databaseId email firstName lastName phone city emailMarketing tags { name }
  consents { nodes { kind granted source text ip } } } } }`
const contactOf = async (world: World, email: string) => (await world.run(contactRead, { email })).contacts.nodes[0]
const submissionsOf = async (world: World) =>
  (
    await world.run(`{ submissions { nodes { status attribution { key value } firstAttribution { key value }
      contact { email } answers { label values } } } }`)
  ).submissions.nodes

describe('a post to a funnel page', () => {
  it('creates a contact with its consent, and applies the tags and sequences of the step', async () => {
    const { world, step, base, path, mail, first, funnel } = await newOptInFunnel()
    const tag = await world.tag('bowls')
    const sequence = await world.sequence()
    await world.stage(sequence, { active: true })
    await world.run(StepUpdate, { input: { id: step.id, tagIds: [tag.id], sequenceIds: [sequence.id] } })
    const came = await requestPage(world.server, `${path}?utm_source=first`)
    await requestPage(world.server, `${path}?utm_source=last`, {
      cookie: came.cookie,
      headers: { referer: 'https://ads.example/bowls?secret=1' },
    })
    const posted = await requestPage(world.server, path, {
      cookie: came.cookie,
      form: { form: 'join', [mail]: 'Ada@Example.com', [first]: 'Ada', consent: 'yes', website_url: '' },
    })
    expect([posted.status, posted.headers['location'], posted.body]).toEqual([303, './after', 'See Other'])
    const contact = await contactOf(world, 'ada@example.com')
    expect(contact).toMatchObject({ firstName: 'Ada', emailMarketing: true, tags: [{ name: 'bowls' }] })
    expect(contact.consents.nodes).toEqual([
      {
        kind: 'EMAIL_MARKETING',
        granted: true,
        source: `funnel:${funnel.databaseId}/welcome`,
        text: 'Yes, write to me about bowls.',
        ip: '127.0.0.1',
      },
    ])
    const [submission] = await submissionsOf(world)
    expect(submission).toMatchObject({
      status: 'COMPLETED',
      contact: { email: 'Ada@Example.com' },
      firstAttribution: [
        { key: 'UTM_SOURCE', value: 'first' },
        { key: 'LANDING_PAGE', value: path },
      ],
      attribution: [
        { key: 'UTM_SOURCE', value: 'last' },
        { key: 'REFERRER', value: 'https://ads.example/bowls' },
        { key: 'LANDING_PAGE', value: path },
      ],
    })
    const types = (await world.announced()).map(({ type }) => type)
    for (const type of ['form_submission.completed', 'funnel.opt_in', 'contact.created', 'contact.tag_added']) {
      expect(types.filter((each) => each === type)).toEqual([type])
    }
    const rows = await world.rows('SELECT 1 FROM enrolment WHERE account_id = $1', [world.accountId])
    expect(rows).toHaveLength(1)
    // From now on the browser is identified.
    const next = await requestPage(world.server, `${base}/after`, { cookie: posted.cookie })
    expect(next.body).toContain('Hi Ada')
    expect(next.headers['cache-control']).toBe('private, no-store')
  })

  it('accepts common field names of other forms, and JSON', async () => {
    const { world, path } = await newOptInFunnel()
    const plain = {
      email: 'grace@example.com',
      firstname: 'Grace',
      lastname: 'Hopper',
      phone: '+1 555 0100',
      city: 'NYC',
    }
    const posted = await requestPage(world.server, path, {
      form: { ...plain, consent: 'on', unknown: 'x' },
      headers: { origin: 'https://blog.example', 'sec-fetch-site': 'cross-site' },
    })
    expect(posted.status).toBe(303)
    // Another site cannot set the identity of a browser.
    expect(posted.cookie).toBeUndefined()
    // A post cannot set fields that the form does not contain.
    expect(await contactOf(world, plain.email)).toMatchObject({ firstName: 'Grace', lastName: '', phone: '', city: '' })
    const asJson = await requestPage(world.server, path, {
      json: { email: 'edsger@example.com', first_name: 'Edsger', consent: true, client_submission_id: 'mine' },
    })
    expect([asJson.status, JSON.parse(asJson.body)]).toEqual([
      200,
      { message: 'Taken.', next: './after', to_confirm: false, client_submission_id: 'mine' },
    ])
    expect(await contactOf(world, 'edsger@example.com')).toMatchObject({ firstName: 'Edsger', emailMarketing: true })
  })

  it('shows invalid input again with the typed values, and stores nothing', async () => {
    const { world, path, mail, first } = await newOptInFunnel()
    const typed = '"><script>alert(1)</script>{{EMAIL}}'
    const wrong = await requestPage(world.server, path, { form: { form: 'join', [mail]: 'nobody', [first]: typed } })
    expect(wrong.status).toBe(422)
    expect(wrong.headers['cache-control']).toBe('no-store')
    expect(wrong.body).toContain('Please agree to this.')
    expect(wrong.body).toContain('value="nobody"')
    expect(wrong.body).toContain('{{EMAIL}}')
    expect(wrong.body).not.toContain('<script>alert')
    const bad = await requestPage(world.server, path, { form: { form: 'join', [mail]: 'nobody', consent: 'yes' } })
    expect(bad.body).toContain('Please enter a valid e-mail address.')
    const empty = await requestPage(world.server, path, { json: {} })
    expect([empty.status, JSON.parse(empty.body)]).toEqual([
      422,
      {
        message: 'The submitted values are invalid.',
        details: { [mail]: ['This is required.'], consent: ['This must be agreed to.'] },
      },
    ])
    expect(await submissionsOf(world)).toEqual([])
    expect((await world.run('{ contacts { totalCount } }')).contacts.totalCount).toBe(0)
  })

  it('responds to a bot as if it had succeeded, and stores nothing', async () => {
    const { world, path, mail } = await newOptInFunnel()
    const posted = await requestPage(world.server, path, {
      form: { form: 'join', [mail]: 'bot@example.com', consent: 'yes', website_url: 'https://spam.example' },
    })
    expect([posted.status, posted.headers['location']]).toEqual([303, './after'])
    expect(await submissionsOf(world)).toEqual([])
    expect(await contactOf(world, 'bot@example.com')).toBeUndefined()
  })

  it('returns the reason if the body cannot be read', async () => {
    const { world, path, mail } = await newOptInFunnel()
    const ask = async (options: Parameters<typeof requestPage>[2]) => {
      const { status, body } = await requestPage(world.server, path, options)
      expect(body).not.toContain('    at ')
      return status
    }
    expect(await ask({ form: 'x=1', headers: { 'content-type': 'multipart/form-data; boundary=x' } })).toBe(415)
    expect(await ask({ form: 'x=1', headers: { 'content-type': 'text/plain' } })).toBe(415)
    expect(await ask({ form: `x=${'y'.repeat(70_000)}` })).toBe(413)
    expect(await ask({ form: '{', headers: { 'content-type': 'application/json' } })).toBe(400)
    expect(await ask({ json: [] })).toBe(400)
    expect(await ask({ json: { email: { a: 1 } } })).toBe(400)
    expect(await ask({ form: { form: 'gone' } })).toBe(409)
    expect(await ask({ form: { form: 'join', [mail]: 'a\0@example.com', consent: 'yes' } })).toBe(422)
    expect(await ask({ form: `form=join&${mail}=%ff%fe&consent=yes` })).toBe(422)
    expect(await ask({ form: { email: 'x'.repeat(2_000), consent: 'yes' } })).toBe(422)
    expect(world.server.errors).toEqual([])
  })

  it('creates one submission if it is sent twice or repeated with one identifier', async () => {
    const { world, path, mail } = await newOptInFunnel()
    const { cookie } = await requestPage(world.server, path)
    const send = (more: Record<string, string> = {}) =>
      requestPage(world.server, path, {
        cookie,
        form: { form: 'join', [mail]: 'ada@example.com', consent: 'yes', ...more },
      })
    const both = await Promise.all([send(), send(), send()])
    expect(both.map(({ status }) => status)).toEqual([303, 303, 303])
    expect(await submissionsOf(world)).toHaveLength(1)
    await Promise.all(Array.from({ length: 5 }, () => send({ client_submission_id: 'one', [mail]: 'eve@example.com' })))
    expect(await submissionsOf(world)).toHaveLength(2)
    expect(await world.announced('funnel.opt_in')).toHaveLength(2)
    expect(await world.announced('contact.created')).toHaveLength(2)
  })

  it('records a repeated consent again', async () => {
    const { world, path, mail } = await newOptInFunnel()
    await world.contact({ email: 'ada@example.com', emailMarketing: true, firstName: 'Ada' })
    await requestPage(world.server, path, { form: { form: 'join', [mail]: 'ada@example.com', consent: 'yes' } })
    const { consents, firstName } = await contactOf(world, 'ada@example.com')
    expect(firstName).toBe('Ada')
    expect(consents.nodes.map(({ text }: { text: string }) => text)).toEqual(['Yes, write to me about bowls.', ''])
  })

  it('shows only typed values for a known address, also with confirmation', async () => {
    const { world, path, base, mail, first, after } = await newOptInFunnel()
    await world.contact({ email: 'ada@example.com', firstName: 'Ada', city: 'Bath' })
    await world.run(ContentSet, {
      input: { id: after.id, content: page({ type: 'text', text: '[{{FIRST_NAME}}] [{{EMAIL}}] [{{CITY}}]' }) },
    })
    const answers = { form: 'join', [mail]: 'ada@example.com', consent: 'yes' }
    const known = await requestPage(world.server, path, { form: answers })
    const greeted = await requestPage(world.server, `${base}/after`, { cookie: known.cookie })
    expect(greeted.body).toContain('[] [ada@example.com] []')
    expect(greeted.headers['cache-control']).toBe('private, no-store')
    await world.run('mutation { accountUpdate(input: { doubleOptIn: true }) { account { doubleOptIn } } }')
    const unproven = await requestPage(world.server, path, { form: { ...answers, [first]: '<b>Eve' } })
    const shown = await requestPage(world.server, `${base}/after`, { cookie: unproven.cookie })
    expect(shown.body).toContain('[&#60;b&#62;Eve] [ada@example.com] []')
    expect(shown.body).not.toContain('Bath')
  })

  it("does not identify the browser if it names another visitor's submission without an address", async () => {
    const { world, path, base, mail, after } = await newOptInFunnel({ elements: [{ type: 'title', text: 'Hello' }] })
    await world.run(ContentSet, {
      input: { id: after.id, content: page({ type: 'text', text: '[{{FIRST_NAME}}] [{{EMAIL}}]' }) },
    })
    const json = { client_submission_id: '1', [mail]: 'ada@example.com', first_name: 'Ada' }
    const own = await requestPage(world.server, path, { json })
    expect((await requestPage(world.server, `${base}/after`, { cookie: own.cookie })).body).toContain(
      '[Ada] [ada@example.com]',
    )
    const stranger = await requestPage(world.server, path, { json: { client_submission_id: '1' } })
    expect((await requestPage(world.server, `${base}/after`, { cookie: stranger.cookie })).body).toContain('[] []')
  })

  it('shows thanks at the last step, and returns 404 for an archived form', async () => {
    const { world, step, path, after, mail } = await newOptInFunnel()
    await world.run('mutation ($id: ID!) { funnelStepDelete(input: { id: $id }) { deletedFunnelStepId } }', after)
    const posted = await requestPage(world.server, path, {
      form: { form: 'join', [mail]: 'a@example.com', consent: 'yes' },
    })
    expect(posted.headers['location']).toBe('./welcome?thanks')
    expect((await requestPage(world.server, `${path}?thanks`)).body).toContain('Thank you')
    await world.run('mutation ($id: ID!) { formArchive(input: { id: $id }) { form { id } } }', step.form)
    const closed = await requestPage(world.server, path, {
      form: { form: 'join', [mail]: 'b@example.com', consent: 'yes' },
    })
    expect(closed.status).toBe(404)
  })

  it('belongs to the contact of the cookie, but not if the cookie is of another account', async () => {
    const { world, path, mail, step } = await newOptInFunnel()
    const { cookie } = await requestPage(world.server, path, {
      form: { form: 'join', [mail]: 'ada@example.com', consent: 'yes' },
    })
    await world.run(
      'mutation ($input: FormQuestionUpdateInput!) { formQuestionUpdate(input: $input) { question { id } } }',
      {
        input: { id: Number(mail.slice(1)), required: false },
      },
    )
    expect((await requestPage(world.server, path, { cookie, form: { form: 'join', consent: 'yes' } })).status).toBe(303)
    const other = await newOptInFunnel({ world: await newShop({ server: world.server }) })
    await requestPage(world.server, other.path, {
      cookie,
      form: { form: 'join', [other.mail]: 'eve@example.com', consent: 'yes' },
    })
    const contacts = (await submissionsOf(world)).map(({ contact }: { contact: { email: string } }) => contact?.email)
    expect(contacts).toEqual(['ada@example.com', 'ada@example.com'])
    expect(await contactOf(other.world, 'ada@example.com')).toBeUndefined()
    // A deleted contact identifies no browser.
    const { databaseId } = await contactOf(world, 'ada@example.com')
    await world.run('mutation ($id: ID!) { contactDelete(input: { contact: { id: $id } }) { deleted } }', {
      id: databaseId,
    })
    expect((await requestPage(world.server, path, { cookie })).status).toBe(200)
    expect(
      (await requestPage(world.server, path, { cookie, form: { form: 'join', consent: 'yes', x: '1' } })).status,
    ).toBe(303)
    expect(step.form).toBeDefined()
  })
})
