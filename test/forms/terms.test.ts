import { beforeAll, describe, expect, it } from 'vitest'
import { type NamedForm, newWorld, type World } from '../support/world.ts'
import { Save } from './documents.ts'
import { newBrowser } from './http-browser.ts'

const email = { label: 'E-mail', type: 'EMAIL', required: true }
const terms = { label: 'I accept the terms of use and want e-mails.', type: 'TERMS' }
const consent = { label: 'Write to me.', type: 'CONSENT' }

const Update = `mutation ($input: FormQuestionUpdateInput!) { formQuestionUpdate(input: $input) {
  question { type label required } } }`
const Contact =
  'query ($e: String!) { contact(ref: { email: $e }) { emailMarketing consents { nodes { source text ip } } } }'
const proofs = '{ submissions { nodes { status acceptedTerms { source text documentVersion ip } } } }'

describe('a question for terms', () => {
  let world: World
  let form: NamedForm
  const save = async (answers: object[], input: object = {}) =>
    (await world.run(Save, { input: { formId: form.id, answers, ...input } })).submissionSave.submission
  const answer = (index: number, value: string | null) => ({ questionId: form.questions[index]?.id, value })
  const contactOf = async (address: string) => (await world.run(Contact, { e: address })).contact
  const mustBeAccepted = (index: number, place = '') => ({
    [`input.answers${place}`]: [`answers.${form.questions[index]?.databaseId} must be accepted`],
  })
  const names = () => form.questions.map(({ databaseId }) => `q${databaseId}`) as [string, string, string]

  beforeAll(async () => {
    world = await newWorld()
  })

  it('must be answered, and grants nothing', async () => {
    form = await world.form({ questions: [email, terms, consent] })
    const read = '{ forms { nodes { questions { type required } } } }'
    expect((await world.run(read)).forms.nodes[0].questions[1]).toEqual({ type: 'TERMS', required: true })
    const ada = [answer(0, 'ada@example.com')]
    const refused = async (answers: object[]) =>
      (await world.fault(Save, { input: { formId: form.id, answers, complete: true } })).extensions['details']
    expect(await refused(ada)).toEqual(mustBeAccepted(1))
    expect(await refused([...ada, answer(1, 'false')])).toEqual(mustBeAccepted(1, '.1'))
    await save([...ada, answer(1, 'true')], { complete: true })
    expect(await contactOf('ada@example.com')).toEqual({ emailMarketing: false, consents: { nodes: [] } })
    const optional = { id: form.questions[1]?.id, required: false }
    expect((await world.fault(Update, { input: optional })).extensions['details']).toMatchObject({
      'input.required': ['must be true for terms'],
    })
  })

  it('is shown as a box that is not ticked, and its tick is stored with words, version, address and time', async () => {
    form = await world.form({ questions: [email, terms, consent] })
    const browser = newBrowser(world.server)
    const [mail, box, agree] = names()
    await browser.open(`/f/${form.databaseId}`)
    await browser.fill({ [mail]: 'eve@example.com' })
    expect(browser.seen().text).toMatch(
      new RegExp(`<input type="checkbox" id="${box}" name="${box}" value="true" required`),
    )
    expect(browser.seen().text).not.toMatch(/<input[^>]* checked/)
    const refused = await browser.fill({})
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('Please accept this.')])
    await browser.fill({ [box]: 'true' })
    expect(browser.seen().text).toMatch(new RegExp(`name="${agree}" value="true"(?! required| checked)`))
    await browser.fill({})
    expect(await contactOf('eve@example.com')).toEqual({ emailMarketing: false, consents: { nodes: [] } })
    const [stored] = (await world.run(proofs)).submissions.nodes
    expect(stored).toEqual({
      status: 'COMPLETED',
      acceptedTerms: [{ source: `form:${form.databaseId}`, text: terms.label, documentVersion: '1', ip: '127.0.0.1' }],
    })
  })

  it.each([terms, consent])('whose words changed while the page was open is asked again: $type', async (question) => {
    form = await world.form({ questions: [email, question] })
    const browser = newBrowser(world.server)
    const [mail, box] = names()
    await browser.open(`/f/${form.databaseId}`)
    await browser.fill({ [mail]: 'ivy@example.com' })
    await world.run(Update, {
      input: { id: form.questions[1]?.id, label: 'Quite other words.' },
    })
    const again = await browser.fill({ [box]: 'true' })
    expect([again.status, again.text]).toEqual([422, expect.stringContaining('These words have changed.')])
    expect(again.text).toContain('Quite other words.')
    expect(again.text).not.toMatch(/<input[^>]* checked/)
    const read = '{ submissions { nodes { status answers { values } } } }'
    const answered = async () => (await world.run(read)).submissions.nodes[0].answers
    expect(await answered()).toHaveLength(1)
    await browser.fill({ [box]: 'true' })
    expect(await answered()).toHaveLength(2)
  })

  it('that becomes a consent, or the other way round, must be answered again', async () => {
    form = await world.form({ questions: [email, terms, { ...consent, required: true }] })
    const { id } = await save([answer(1, 'true')])
    await world.run(Update, { input: { id: form.questions[1]?.id, type: 'CONSENT', required: false } })
    await save([answer(0, 'kay@example.com')], { id })
    expect(await contactOf('kay@example.com')).toEqual({ emailMarketing: false, consents: { nodes: [] } })
    await save([answer(1, 'true'), answer(2, 'true')], { id })
    expect((await contactOf('kay@example.com')).consents.nodes).toMatchObject([{ text: terms.label }])
    await world.run(Update, { input: { id: form.questions[2]?.id, type: 'TERMS', required: true } })
    const fault = await world.fault(Save, { input: { formId: form.id, id, complete: true } })
    expect(fault.extensions['details']).toEqual(mustBeAccepted(2))
    await save([answer(2, 'true')], { id, complete: true })
    expect((await world.run(proofs)).submissions.nodes[0].acceptedTerms).toMatchObject([{ text: consent.label }])
  })

  it('is accepted again for other words, and no longer accepted if the answer is taken back', async () => {
    form = await world.form({ questions: [email, terms] })
    const { id } = await save([answer(1, 'true')])
    await world.run(Update, { input: { id: form.questions[1]?.id, label: 'The new terms.' } })
    await save([answer(1, 'true')], { id })
    const accepted = async () => (await world.run(proofs)).submissions.nodes[0].acceptedTerms
    expect(await accepted()).toMatchObject([{ text: 'The new terms.', documentVersion: '2', ip: '' }])
    await save([answer(1, 'false')], { id })
    expect(await accepted()).toEqual([])
  })
})
