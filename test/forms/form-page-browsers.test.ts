import { beforeAll, describe, expect, it } from 'vitest'
import { newWorld, type World } from '../support/world.ts'
import { newBrowser } from './http-browser.ts'
import { newSurvey } from './survey.ts'

describe('JSON of a form and cookies', () => {
  let world: World
  beforeAll(async () => {
    world = await newWorld()
  })

  it('returns a submission to its browser only, not to a client that knows its identifier', async () => {
    const { id, path } = await newSurvey(world)
    const browser = newBrowser(world.server)
    await browser.send(path, {
      answers: { [id(0)]: 'yes', [id(1)]: 'Mail' },
      complete: false,
      client_submission_id: 'own',
    })
    const read = { headers: { accept: 'application/json' } }
    expect((await browser.open(path, read)).json()).toMatchObject({
      submission: {
        client_submission_id: 'own',
        status: 'in_progress',
        answers: { [id(0)]: 'yes', [id(1)]: ['Mail'] },
      },
    })
    const stranger = newBrowser(world.server)
    await stranger.send(path, { answers: {}, complete: false, client_submission_id: 'own' })
    expect((await stranger.open(path, read)).json()).toMatchObject({ submission: null })
  })

  it('starts a second submission for a browser that has completed one', async () => {
    const { id, path, rows } = await newSurvey(world)
    const browser = newBrowser(world.server)
    await browser.send(path, { answers: { [id(0)]: 'yes' } })
    await browser.send(path, { answers: { [id(0)]: 'yes' } })
    expect(await rows()).toHaveLength(1)
    await browser.send(path, { answers: { [id(0)]: 'no' } })
    expect(await rows()).toHaveLength(2)
  })

  it('links later submissions of a browser to the contact of its e-mail answer', async () => {
    const { id, path } = await newSurvey(world)
    const first = newBrowser(world.server)
    await first.send(path, { answers: { [id(0)]: 'yes', [id(3)]: 'known@example.com' } })
    const second = await world.form({ questions: [{ label: 'Well?', type: 'YES_NO' }] })
    const answer = { answers: { [second.questions[0]?.databaseId ?? 0]: 'yes' } }
    await first.send(`/f/${second.databaseId}`, answer)
    const linked = () =>
      world.rows<{ email: string | null }>(
        `SELECT c.email FROM submission s LEFT JOIN contact c ON c.account_id = s.account_id AND c.id = s.contact_id
         WHERE s.account_id = $1 AND s.form_id = $2 ORDER BY s.id`,
        [world.accountId, second.databaseId],
      )
    expect(await linked()).toEqual([{ email: 'known@example.com' }])

    const forced = newBrowser(world.server)
    const body = { answers: { [id(0)]: 'yes', [id(3)]: 'forced@example.com' } }
    await forced.send(path, body, { 'sec-fetch-site': 'cross-site' })
    await forced.send(`/f/${second.databaseId}`, answer)
    expect((await linked())[1]).toEqual({ email: null })
  })

  it('records a consent after the confirmation of the address if double opt-in is on', async () => {
    const { form, id, path } = await newSurvey(world)
    const survey = await world.form({ questions: [{ label: 'E-mail', type: 'EMAIL' }] })
    await world.rows('UPDATE account SET double_opt_in = true WHERE id = $1', [world.accountId])
    const browser = newBrowser(world.server)
    const parts = [{ [id(0)]: 'yes', [id(5)]: true }, { [id(3)]: 'unconfirmed@example.com' }, { [id(1)]: 'Ads' }]
    for (const [place, answers] of parts.entries()) {
      await browser.send(path, { answers, complete: place === 2, client_submission_id: 'unconfirmed' })
    }
    const answers = { [survey.questions[0]?.databaseId ?? 0]: 'surveyed@example.com' }
    await browser.send(`/f/${survey.databaseId}`, { answers })
    const agreed = () =>
      world.rows(
        `SELECT c.email, c.email_marketing, w.source, w.text FROM contact c
         LEFT JOIN confirmation w ON w.account_id = c.account_id AND w.contact_id = c.id
         WHERE c.account_id = $1 AND c.email IN ('unconfirmed@example.com', 'surveyed@example.com') ORDER BY c.email`,
        [world.accountId],
      )
    expect(await agreed()).toEqual([
      { email: 'surveyed@example.com', email_marketing: false, source: null, text: null },
      { email: 'unconfirmed@example.com', email_marketing: false, source: `form:${form.databaseId}`, text: 'I agree' },
    ])
    await world.rows('UPDATE account SET double_opt_in = false WHERE id = $1', [world.accountId])
    const next = await world.form({ questions: [{ label: 'Well?', type: 'YES_NO' }] })
    await browser.send(`/f/${next.databaseId}`, { answers: { [next.questions[0]?.databaseId ?? 0]: 'yes' } })
    expect(await world.rows('SELECT contact_id FROM submission WHERE form_id = $1', [next.databaseId])).toEqual([
      { contact_id: null },
    ])
    await browser.send(path, { answers: { [id(0)]: 'yes', [id(3)]: 'surveyed@example.com', [id(5)]: 'true' } })
    expect((await agreed())[0]).toMatchObject({ email_marketing: true })
    const consents = 'SELECT source, text, ip FROM contact_consent WHERE account_id = $1 AND source = $2'
    expect(await world.rows(consents, [world.accountId, `form:${form.databaseId}`])).toEqual([
      { source: `form:${form.databaseId}`, text: 'I agree', ip: '127.0.0.1' },
    ])
  })

  it('accepts no contact of another account and no question of another form', async () => {
    const { id, path } = await newSurvey(world)
    const mine = path
    const browser = newBrowser(world.server)
    await browser.send(mine, { answers: { [id(0)]: 'yes', [id(3)]: 'mine@example.com' } })
    const other = await world.other()
    const theirs = await other.form({ questions: [{ label: 'Well?', type: 'YES_NO' }] })
    const answer = { answers: { [theirs.questions[0]?.databaseId ?? 0]: 'yes' } }
    const cookie = `campanile_${other.accountId}=${browser.cookies.get(`campanile_${world.accountId}`)?.value}`
    await newBrowser(world.server).send(`/f/${theirs.databaseId}`, answer, { cookie })
    expect(await other.rows('SELECT contact_id FROM submission WHERE account_id = $1', [other.accountId])).toEqual([
      { contact_id: null },
    ])
    expect((await browser.send(mine, { ...answer, client_submission_id: 'mixed' })).status).toBe(422)
  })

  it('ignores a deleted contact in the cookie', async () => {
    const { id, path } = await newSurvey(world)
    const browser = newBrowser(world.server)
    await browser.send(path, { answers: { [id(0)]: 'yes', [id(3)]: 'gone@example.com' } })
    await world.run(
      'mutation { contactDelete(input: { contact: { email: "gone@example.com" } }) { deletedContactId } }',
    )
    expect((await browser.send(path, { answers: { [id(0)]: 'yes', [id(1)]: 'Ads' } })).status).toBe(200)
  })
})
