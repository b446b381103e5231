import { beforeAll, describe, expect, it } from 'vitest'
import { type NamedForm, newWorld, type World } from '../support/world.ts'
import { Save, SubmissionRead } from './documents.ts'

const Contact = `query ($email: String!) { contact(ref: { email: $email }) {
  id email firstName phone city emailMarketing customFields { label value }
  consents { nodes { kind granted source text } } submissions { nodes { id } totalCount } } }`

describe('the contact of a submission', () => {
  let world: World
  let form: NamedForm
  let score: { id: string; name: string }
  const [email, first, town, consent, phone, number] = [0, 1, 2, 3, 4, 5]
  const answer = (index: number, value: string | null) => ({ questionId: form.questions[index]?.id, value })
  const save = async (input: Record<string, unknown>) =>
    (await world.run(Save, { input: { formId: form.id, ...input } })).submissionSave.submission
  const contactOf = async (address: string) => (await world.run(Contact, { email: address })).contact

  beforeAll(async () => {
    world = await newWorld()
    score = await world.customField({ name: 'Team size', type: 'NUMBER' })
    form = await world.form({
      questions: [
        { label: 'E-mail', type: 'EMAIL' },
        { label: 'First name', type: 'SHORT_TEXT', contactField: 'FIRST_NAME' },
        { label: 'City', type: 'DROPDOWN', options: ['Paris', 'Lyon'], contactField: 'CITY' },
        { label: 'Send me the newsletter', type: 'CONSENT' },
        { label: 'Phone', type: 'PHONE', contactField: 'PHONE' },
        { label: 'Team size', type: 'HIDDEN', customFieldId: score.id },
      ],
    })
  })

  it('creates a contact from an e-mail answer and fills it with earlier and later answers', async () => {
    const { id } = await save({ answers: [answer(first, 'Ada'), answer(number, '12')] })
    expect((await world.run(SubmissionRead, { id })).submission.contact).toBeNull()
    const linked = await save({ id, answers: [answer(email, 'Ada@example.com')] })
    expect(linked.contact).toMatchObject({ email: 'Ada@example.com', firstName: 'Ada' })
    await save({ id, answers: [answer(town, 'Lyon'), answer(phone, '+33 1 23 45 67 89')] })
    expect(await contactOf('ada@example.com')).toMatchObject({
      firstName: 'Ada',
      city: 'Lyon',
      phone: '+33 1 23 45 67 89',
      emailMarketing: false,
      customFields: [{ label: 'Team size', value: '12' }],
      submissions: { nodes: [{ id }], totalCount: 1 },
    })
  })

  it('links the existing contact with the address and keeps its other fields', async () => {
    const grace = await world.contact({ email: 'grace@example.com', firstName: 'Grace', phone: '1' })
    const { contact } = await save({ answers: [answer(email, 'GRACE@example.com'), answer(town, 'Paris')] })
    expect(contact.id).toBe(grace.id)
    expect(await contactOf('grace@example.com')).toMatchObject({ firstName: 'Grace', phone: '1', city: 'Paris' })
  })

  it('links the contact of the input and never changes its address', async () => {
    const own = await world.contact({ email: 'own@example.com' })
    const { id, contact } = await save({
      contact: { email: 'OWN@example.com' },
      answers: [answer(email, 'else@example.com'), answer(first, 'Olga')],
    })
    expect(contact).toMatchObject({ id: own.id, email: 'own@example.com', firstName: 'Olga' })
    expect(await contactOf('else@example.com')).toBeNull()
    expect((await save({ id })).contact.id).toBe(own.id)
  })

  it('links another contact after an answer with another address', async () => {
    const { id } = await save({ answers: [answer(email, 'typo@example.con'), answer(first, 'Tim')] })
    const corrected = await save({ id, answers: [answer(email, 'tim@example.com')] })
    expect(corrected.contact).toMatchObject({ email: 'tim@example.com', firstName: 'Tim' })
  })

  it('records a consent with its wording, and never a withdrawal', async () => {
    const input = {
      clientSubmissionId: 'consent',
      answers: [answer(email, 'yes@example.com'), answer(consent, 'true')],
    }
    await save(input)
    await save(input)
    const agreed = {
      emailMarketing: true,
      consents: {
        nodes: [
          {
            kind: 'EMAIL_MARKETING',
            granted: true,
            source: `form:${form.databaseId}`,
            text: 'Send me the newsletter',
          },
        ],
      },
    }
    expect(await contactOf('yes@example.com')).toMatchObject(agreed)
    await save({ clientSubmissionId: 'consent', answers: [answer(consent, 'false')] })
    expect(await contactOf('yes@example.com')).toMatchObject(agreed)
  })

  it('saves the submission if a custom field rejects the answer', async () => {
    const { answers } = await save({ answers: [answer(email, 'odd@example.com'), answer(number, 'a dozen')] })
    expect(answers).toHaveLength(2)
    expect(await contactOf('odd@example.com')).toMatchObject({ customFields: [] })
  })

  it('leaves its submissions without its address when it is deleted', async () => {
    const { id } = await save({ answers: [answer(email, 'gone@example.com')] })
    await world.run('mutation { contactDelete(input: { contact: { email: "gone@example.com" } }) { deleted } }')
    expect((await world.run(SubmissionRead, { id })).submission).toMatchObject({
      contact: null,
      answers: [{ values: [] }],
    })
  })

  it('saves the submission without a contact if the contact quota is exhausted', async () => {
    const small = await world.other({ limits: { contacts: 1 } })
    const known = await small.contact({ email: 'known@example.com' })
    const asking = await small.form({ questions: [{ label: 'E-mail', type: 'EMAIL' }] })
    const saved = async (value: string) => {
      const input = { formId: asking.id, answers: [{ questionId: asking.questions[0]?.id, value }], complete: true }
      return (await small.run(Save, { input })).submissionSave.submission
    }
    expect(await saved('new@example.com')).toMatchObject({ status: 'COMPLETED', contact: null, answers: [{}] })
    expect((await saved('known@example.com')).contact.id).toBe(known.id)
    expect((await small.run('{ contacts { totalCount } }')).contacts.totalCount).toBe(1)
    expect(await small.announced('contact.created')).toHaveLength(1)
  })
})
