import { describe, expect, it, vi } from 'vitest'
import type { Named, World } from '../support/world.ts'
import { newShop, page, StepUpdate } from './documents.ts'
import { type PageResponse, requestPage, type VisitOptions } from './visiting.ts'

const shown = 'Known: [{{FIRST_NAME}}] [{{EMAIL}}] [{{PHONE}}] [{{COMPANY}}] [{{CITY}}] [{{FIELD.Shoe size}}]'
const marketingConsentText = 'Yes, write to me.'

/**
 * Creates a funnel that asks for address, first name, phone and shoe size, and then shows the stored values of its
 * visitor.
 */
async function newFunnel({ doubleOptIn = false, product = false } = {}) {
  const world = await newShop()
  if (doubleOptIn) {
    await world.run('mutation { accountUpdate(input: { doubleOptIn: true }) { account { doubleOptIn } } }')
  }
  const size = await world.customField({ name: 'Shoe size' })
  const funnel = await world.funnel()
  const form = {
    type: product ? 'order_form' : 'form',
    id: 'join',
    fields: [{ name: 'email' }, { name: 'first_name' }, { name: 'phone' }, { name: 'Shoe size' }],
    ...(product ? { product: { name: 'Bowl', amount: '10.00', currency: 'EUR' } } : { marketingConsentText }),
  }
  const step = await world.step(funnel, { content: page(form, { type: 'text', text: shown }) })
  await world.step(funnel, { name: 'After', content: page({ type: 'text', text: shown }) })
  const input = { formId: step.form.id, label: 'Shoe size', type: 'SHORT_TEXT', customFieldId: size.id }
  const { question } = (
    await world.run(
      'mutation ($input: FormQuestionCreateInput!) { formQuestionCreate(input: $input) { question { databaseId } } }',
      { input },
    )
  ).formQuestionCreate
  const [account] = await world.rows<{ subdomain: string }>('SELECT subdomain FROM account WHERE id = $1', [
    world.accountId,
  ])
  const base = `/p/${account?.subdomain}/${funnel.databaseId}`
  const readStoredValues = async (cookie: string | undefined, query = '') =>
    /Known: ([^<]*)/.exec((await requestPage(world.server, `${base}/after${query}`, { cookie })).body)?.[1]
  const postOptIn = (fields: Record<string, string>, options: VisitOptions = {}) =>
    requestPage(world.server, `${base}/${step.path}`, { form: { form: 'join', consent: 'yes', ...fields }, ...options })
  return {
    world,
    funnel,
    step,
    size: `q${question.databaseId}`,
    sizeField: size,
    path: `${base}/${step.path}`,
    readStoredValues,
    postOptIn,
  }
}

/** Creates the contact Ada with all fields except the city. */
async function newAda(world: World, size: Named, input: object = {}) {
  const ada = await world.contact({
    ...{ email: 'ada@example.com', firstName: 'Ada', phone: '+44 1', companyName: 'Engines', emailMarketing: true },
    ...input,
  })
  await world.run(
    `mutation ($id: ID!, $field: ID!) {
      contactFieldSet(input: { contact: { id: $id }, customFieldId: $field, value: "38" }) { value } }`,
    { id: ada.id, field: size.id },
  )
  return ada
}

const contactOf = async (world: World, email = 'ada@example.com') =>
  (
    await world.run(
      `query ($email: String!) { contact(ref: { email: $email }) { firstName lastName phone companyName city emailMarketing
        tags { name } customFields { label value } consents { nodes { granted } }
        enrolments { nodes { state } } submissions { nodes { answers { label values } typedFields { field value } } } } }`,
      { email },
    )
  ).contact
/** Pages read the settings of their account once a second. */
const soon = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 100_000 })
const secrets = /\+44 1|Engines|\[38\]/

describe('a visitor who types the address of another contact', () => {
  it('sees the typed values, and no stored ones', async () => {
    const { world, sizeField, size, readStoredValues, postOptIn } = await newFunnel()
    await newAda(world, sizeField)
    const posted = await postOptIn({ email: 'ADA@example.com', first_name: 'Eve', [size]: '46' })
    expect(await readStoredValues(posted.cookie)).toBe('[Eve] [ADA@example.com] [] [] [] [46]')
    expect(await readStoredValues(posted.cookie, '?email=ada@example.com')).not.toMatch(secrets)
    expect(await readStoredValues(posted.cookie, '?firstname=Mallory')).toBe(
      '[Mallory] [ADA@example.com] [] [] [] [46]',
    )
    const refused = await postOptIn({ email: 'ada@example.com', consent: '' }, { cookie: posted.cookie })
    expect([refused.status, secrets.test(refused.body)]).toEqual([422, false])
    // A later post without an address does not show them either.
    const again = await postOptIn({ email: '', phone: '1' }, { cookie: posted.cookie })
    expect(again.body + (await readStoredValues(again.cookie ?? posted.cookie))).not.toMatch(secrets)
  })

  it('changes no stored value, and fills empty ones', async () => {
    const { world, sizeField, size, postOptIn } = await newFunnel()
    await newAda(world, sizeField, { phone: '' })
    await postOptIn({ email: 'ada@example.com', first_name: 'Eve', phone: '+1 666', [size]: '46' })
    expect(await contactOf(world)).toMatchObject({
      firstName: 'Ada',
      phone: '+1 666',
      companyName: 'Engines',
      customFields: [{ label: 'Shoe size', value: '38' }],
      submissions: {
        nodes: [
          {
            answers: expect.arrayContaining([
              { label: 'First name', values: ['Eve'] },
              { label: 'Shoe size', values: ['46'] },
            ]),
            typedFields: [{ field: 'PHONE', value: '+1 666' }],
          },
        ],
      },
    })
    await postOptIn({ email: 'ada@example.com', phone: '+1 777' })
    expect(await contactOf(world)).toMatchObject({ phone: '+1 666' })
  })

  it('sets no field that the form does not contain', async () => {
    const { world, postOptIn } = await newFunnel()
    const hidden = { company_name: 'Evil', city: 'Hell', country: 'XX', last_name: 'Eve', tags: 'vip', tag_ids: '1' }
    await postOptIn({ email: 'new@example.com', phone: '1', ...hidden })
    expect(await contactOf(world, 'new@example.com')).toMatchObject({
      ...{ phone: '1', companyName: '', city: '', lastName: '', tags: [] },
    })
  })

  it('gets the same response whether or not the address is known', async () => {
    const { world, path, sizeField, size, readStoredValues, postOptIn } = await newFunnel()
    await newAda(world, sizeField)
    const same = (posted: PageResponse) => {
      const { date: _date, ...headers } = posted.headers
      const cookies = [headers['set-cookie']]
        .flat()
        .map((each) => each?.replace(/=[^;]+/, (all) => `=${all.length}`).replace(/expires=[^;]+/, ''))
      const { location } = headers as Record<string, unknown>
      return { status: posted.status, body: posted.body, headers: { ...headers, location, 'set-cookie': cookies } }
    }
    const typed = { first_name: 'Eve', [size]: '46', phone: '1' }
    const [known, unknown] = [
      await postOptIn({ email: 'ada@example.com', ...typed }),
      await postOptIn({ email: 'eve@example.com', ...typed }),
    ]
    expect(same(known)).toEqual(same(unknown))
    for (const query of ['', '?email=x@example.com', '?firstname=X']) {
      expect((await readStoredValues(known.cookie, query))?.replaceAll('ada@', 'eve@')).toBe(
        await readStoredValues(unknown.cookie, query),
      )
    }
    const json = async (email: string) => {
      const named = `${email} ${Math.random()}`
      const { status, body } = await requestPage(world.server, path, {
        json: { email, consent: true, client_submission_id: named },
      })
      return { status, ...JSON.parse(body), client_submission_id: '' }
    }
    expect(await json('ada@example.com')).toEqual(await json('new@example.com'))
    // This is also true above the contact quota, when no contact is created for a new address.
    await world.rows('UPDATE account SET limit_contacts = 3 WHERE id = $1', [world.accountId])
    for (const doubleOptIn of [false, true]) {
      await world.rows('UPDATE account SET double_opt_in = $2 WHERE id = $1', [world.accountId, doubleOptIn])
      await soon(async () => expect((await json('off@example.com')).to_confirm).toBe(doubleOptIn))
      expect(await json('ada@example.com')).toEqual(await json('off@example.com'))
      const [one, other] = [
        await postOptIn({ email: 'ada@example.com' }),
        await postOptIn({ email: 'off@example.com' }),
      ]
      expect(same(one)).toEqual(same(other))
      expect((await readStoredValues(one.cookie))?.replace('ada@', 'off@')).toBe(await readStoredValues(other.cookie))
    }
    expect(await contactOf(world, 'off@example.com')).toBeNull()
  })

  it('does not renew a withdrawn consent; tags and sequences of the step are applied', async () => {
    const { world, sizeField, step, postOptIn } = await newFunnel()
    const ada = await newAda(world, sizeField)
    const tag = await world.tag('bowls')
    const [left, other] = [await world.sequence(), await world.sequence()]
    for (const each of [left, other]) await world.stage(each, { active: true })
    await world.run(StepUpdate, { input: { id: step.id, tagIds: [tag.id], sequenceIds: [left.id, other.id] } })
    await world.subscribe(ada, left)
    await world.run('mutation ($input: SequenceUnenrolInput!) { sequenceUnenrol(input: $input) { sequence { id } } }', {
      input: { contact: { id: ada.id }, sequenceId: left.id },
    })
    await postOptIn({ email: 'ada@example.com' })
    const active = () =>
      world.rows(`SELECT sequence_id AS id FROM enrolment WHERE account_id = $1 AND state = 'ACTIVE'`, [
        world.accountId,
      ])
    expect(await active()).toEqual([{ id: other.databaseId }])
    await world.run(
      'mutation ($id: ID!) { contactUnsubscribe(input: { contact: { id: $id } }) { contact { id } } }',
      ada,
    )
    await postOptIn({ email: 'ada@example.com' })
    const { emailMarketing, tags, consents } = await contactOf(world)
    expect([emailMarketing, tags]).toEqual([false, [{ name: 'bowls' }]])
    expect(consents.nodes[0]).toEqual({ granted: false })
    expect(await active()).toHaveLength(2)
    expect(await world.announced('contact.resubscribed')).toEqual([])
    // A contact that refused consent without having given it has also withdrawn it; one that was never asked has not.
    await world.contact({ email: 'no@example.com' })
    await world.run(
      'mutation { contactUnsubscribe(input: { contact: { email: "no@example.com" } }) { contact { id } } }',
    )
    await world.contact({ email: 'open@example.com' })
    for (const email of ['no@example.com', 'open@example.com']) await postOptIn({ email })
    expect(await contactOf(world, 'no@example.com')).toMatchObject({ emailMarketing: false })
    expect(await contactOf(world, 'open@example.com')).toMatchObject({ emailMarketing: true })
  })

  it('does not change the customer', async () => {
    const { world, postOptIn } = await newFunnel({ product: true })
    await world.order({ customer: { email: 'ada@example.com', firstName: 'Ada' } })
    await postOptIn({ email: 'ada@example.com', first_name: 'Eve', last_name: 'King' })
    const { orders } = await world.run('{ orders { nodes { customer { firstName lastName } } } }')
    expect(orders.nodes).toEqual([1, 2].map(() => ({ customer: { firstName: 'Ada', lastName: 'King' } })))
  })

  it('changes stored values only while the account trusts typed addresses', async () => {
    const { world, sizeField, readStoredValues, postOptIn } = await newFunnel()
    const ada = await newAda(world, sizeField)
    const trust = async (is: boolean) => {
      const document = `mutation ($is: Boolean) { accountUpdate(input: { trustTypedAddresses: $is }) {
        account { trustTypedAddresses } } }`
      const { account } = (await world.run(document, { is })).accountUpdate
      expect(account).toEqual({ trustTypedAddresses: is })
    }
    await trust(true)
    const full = '[Eve] [ada@example.com] [+44 1] [Engines] [] [38]'
    let cookie: string | undefined
    await soon(async () => {
      const posted = await postOptIn({ email: 'ada@example.com', first_name: 'Eve' })
      cookie = posted.cookie
      expect(await readStoredValues(cookie)).toBe(full)
    })
    expect(await contactOf(world)).toMatchObject({ firstName: 'Eve' })
    await world.run(
      'mutation ($id: ID!) { contactUnsubscribe(input: { contact: { id: $id } }) { contact { id } } }',
      ada,
    )
    await postOptIn({ email: 'ada@example.com' }, { cookie })
    expect(await contactOf(world)).toMatchObject({ emailMarketing: false })
    await trust(false)
    await soon(async () => expect(await readStoredValues(cookie)).toBe('[Eve] [ada@example.com] [] [] [] []'))
  })
})

describe('a visitor whose opt-in creates the contact', () => {
  it('is identified after that, and can correct the values', async () => {
    const { world, readStoredValues, postOptIn } = await newFunnel()
    const posted = await postOptIn({ email: 'ada@example.com', first_name: 'Adda' })
    await world.run(
      'mutation { contactUpdate(input: { contact: { email: "ada@example.com" }, companyName: "Engines" }) { contact { id } } }',
    )
    expect(await readStoredValues(posted.cookie)).toBe('[Adda] [ada@example.com] [] [Engines] [] []')
    const corrected = await postOptIn({ email: 'ada@example.com', first_name: 'Ada' }, { cookie: posted.cookie })
    expect(await contactOf(world)).toMatchObject({ firstName: 'Ada' })
    expect(await readStoredValues(corrected.cookie)).toBe('[Ada] [ada@example.com] [] [Engines] [] []')
  })

  it('is no longer identified after another browser types the address, and cannot see its values', async () => {
    const { world, readStoredValues, postOptIn } = await newFunnel()
    const early = await postOptIn({ email: 'ada@example.com', first_name: 'Eve' })
    await postOptIn({ email: 'ada@example.com', phone: '+44 1' })
    expect(await contactOf(world)).toMatchObject({ phone: '+44 1' })
    expect(await readStoredValues(early.cookie)).toBe('[Eve] [ada@example.com] [] [] [] []')
    await postOptIn({ email: 'ada@example.com', first_name: 'Mallory' }, { cookie: early.cookie })
    expect(await contactOf(world)).toMatchObject({ firstName: 'Eve' })
  })

  it('gets no data with an incomplete cookie or a cookie of another account', async () => {
    const { world, readStoredValues, postOptIn } = await newFunnel()
    const { cookie = '' } = await postOptIn({ email: 'ada@example.com', first_name: 'Ada' })
    const [name = '', value = ''] = cookie.split('=')
    const other = await newFunnel()
    expect(await other.readStoredValues(`campanile_${other.world.accountId}=${value}`)).toBe('[] [] [] [] [] []')
    for (const wrong of [value.slice(0, -2), `${value}AA`, 'x', 'A'.repeat(5_000), '%00']) {
      expect(await readStoredValues(`${name}=${wrong}`)).toBe('[] [] [] [] [] []')
    }
    expect(world.server.errors).toEqual([])
  })
})
