import { describe, expect, it } from 'vitest'
import { compilePage } from '../../../src/funnels/html/compile.ts'
import { tagsOf } from './reading.ts'
import { nobody, pageOf, question } from './sample.ts'

const email = question(1, 'EMAIL', 'E-mail address', { required: true })
const name = question(2, 'SHORT_TEXT', 'Your name', { contactField: 'FIRST_NAME' })
const source = question(3, 'HIDDEN', 'Source')
const note = question(4, 'LONG_TEXT', 'Note')
const pageWith = (form: object, questions = [email, name, source, note], view = nobody) => {
  const page = compilePage(pageOf([{ type: 'form', ...form }], { questions }))
  return { page, html: page.render(view) }
}
/** Returns the labels of the fields, by the name of the field. */
const asked = (html: string) =>
  tagsOf(html, 'label')
    .filter(({ attributes }) => attributes['for'] !== undefined)
    .map(({ text }) => text.replace(' Optional', '*'))

const alertOf = (html: string) => tagsOf(html, 'div').find(({ attributes }) => attributes['role'] === 'alert')?.text

describe('the form of a step', () => {
  it.each([
    ['all of its questions', undefined, ['E-mail address', 'Your name*', 'Note*']],
    ['those that are named, in that order', ['q4', 'email'], ['Note*', 'E-mail address']],
    ['those that are named by their labels', ['your NAME', 'E-mail address'], ['Your name*', 'E-mail address']],
    ['what must be answered, named or not', ['first_name'], ['Your name*', 'E-mail address']],
    ['a field of the contact that has no question', ['email', 'phone'], ['E-mail address', 'Phone*']],
    [
      'fields of the contact by other names',
      ['Given name', 'mobile', 'Organisation'],
      ['Your name*', 'Phone*', 'Company*', 'E-mail address'],
    ],
    ['nothing twice, and nothing unknown', ['email', 'q1', '1', 'constructor', 'q99'], ['E-mail address']],
  ])('contains %s', (_what, fields, labels) => {
    const { html } = pageWith(fields ? { fields: fields.map((each) => ({ name: each })) } : {})
    expect(asked(html)).toEqual(labels)
    expect(tagsOf(html, 'input').some(({ attributes }) => attributes['name'] === 'q3')).toBe(true)
  })

  it('uses the labels of the element, and makes fields required but never optional', () => {
    const { page, html } = pageWith({ fields: [{ name: 'q2', label: 'Call me', required: true }, { name: 'email' }] })
    expect(asked(html)).toEqual(['Call me', 'E-mail address'])
    expect([...page.forms.values()][0]?.fields).toEqual([
      { name: 'q2', questionId: 2, contactField: 'FIRST_NAME', required: true },
      { name: 'q1', questionId: 1, contactField: 'EMAIL', required: true },
      { name: 'q3', questionId: 3, contactField: null, required: false },
    ])
  })

  it('always contains an e-mail field', () => {
    for (const fields of [undefined, [], [{ name: 'nothing' }]]) {
      const { page, html } = pageWith({ fields }, [])
      expect(asked(html)).toEqual(['E-mail address'])
      expect([...page.forms.values()][0]?.fields).toEqual([
        { name: 'email', questionId: null, contactField: 'EMAIL', required: true },
      ])
    }
  })

  it('posts to its page with its own key and a honeypot', () => {
    const { html } = pageWith({ id: 'join', buttonText: 'Join' })
    expect(tagsOf(html, 'form')[0]?.attributes).toMatchObject({ id: 'join', method: 'post', action: '/p/kiln/7/bowls' })
    const inputs = new Map(tagsOf(html, 'input').map(({ attributes }) => [attributes['name'], attributes]))
    expect(inputs.get('form')).toMatchObject({ type: 'hidden', value: 'join' })
    expect(inputs.get('website_url')).toMatchObject({ tabindex: '-1', autocomplete: 'off' })
    expect(tagsOf(html, 'button')[0]).toMatchObject({ text: 'Join', attributes: { type: 'submit' } })
  })

  it('shows the full wording of terms and of a consent, and guesses neither from words', () => {
    const termsText = 'I agree to receive e-mails & "more" {{FIRST_NAME}}.\nReally.'
    const { page, html } = pageWith({ termsText, marketingConsentText: ' I accept the terms. ' })
    expect(
      tagsOf(html, 'label')
        .slice(-2)
        .map(({ text }) => text),
    ).toEqual([termsText, 'I accept the terms.'])
    expect([...page.forms.values()][0]?.boxes).toEqual([
      { name: 'terms', text: termsText, required: true },
      { name: 'consent', text: 'I accept the terms.', required: true },
    ])
    for (const none of [{}, { termsText: ' ', marketingConsentText: '' }, { consentText: 'I agree.' }])
      expect([...pageWith(none).page.forms.values()][0]?.boxes).toEqual([])
  })

  it.each([
    ['form', { terms: true, consent: true }],
    ['order_form', { terms: true, consent: false }],
  ])('requires in a %s what must be ticked, and ticks nothing in advance', (type, required) => {
    const product = { name: 'Bowl', amount: '1' }
    const questions = [question(5, 'CONSENT', 'Write to me.', { required: true })]
    const texts = { termsText: 'The terms.', marketingConsentText: 'Write to me.' }
    const { html } = pageWith({ type, id: 'buy', product, ...texts }, questions)
    const boxes = tagsOf(html, 'input').filter(({ attributes }) => attributes['type'] === 'checkbox')
    expect(boxes.map(({ attributes: { name, required, checked } }) => [name, required === '', checked])).toEqual([
      ['q5', type === 'form', undefined],
      ['terms', required.terms, undefined],
      ['consent', required.consent, undefined],
    ])
  })

  it.each([
    ['/thanks', '/thanks'],
    ['https://a.example/{{EMAIL:x}}?y', 'https://a.example/x?y'],
    ['javascript:x', null],
    ['java{{X}}script:x', null],
    ['//evil.example', null],
    ['/x\r\nSet-Cookie: a=b', null],
    ['', null],
    [7, null],
  ])('with the action %j leads to %j', (action, expected) => {
    expect([...pageWith({ action }).page.forms.values()][0]?.action).toBe(expected)
  })

  it('shows typed values and errors in the form that was posted', () => {
    const form = { type: 'form', marketingConsentText: 'Yes.' }
    const page = compilePage(
      pageOf(
        [
          { ...form, id: 'one' },
          { ...form, id: 'two' },
        ],
        { questions: [email, note] },
      ),
    )
    const view = {
      ...nobody,
      form: 'two',
      answers: new Map([
        ['q1', ['ada@<']],
        ['q4', ['\n</textarea>x']],
        ['consent', ['yes']],
      ]),
      faults: new Map([
        ['q1', 'must be an <e-mail> address'],
        ['consent', 'is needed'],
      ]),
    }
    const [, one = '', two = ''] = page.render(view).split('<form ')
    expect(one).not.toMatch(/aria-invalid|ada@|role="alert"/)
    const inputs = new Map(tagsOf(two, 'input').map(({ attributes }) => [attributes['id'], attributes]))
    expect(inputs.get('two-q1')).toMatchObject({
      value: 'ada@<',
      'aria-invalid': 'true',
      'aria-describedby': 'two-q1-fault',
    })
    expect(inputs.get('two-consent')).toMatchObject({
      checked: '',
      'aria-invalid': 'true',
      'aria-describedby': 'two-consent-fault',
    })
    expect(alertOf(two)).toBe('Please check the marked fields.')
    const output = tagsOf(two, 'p').map(({ attributes: { id }, text }) => [id, text])
    expect(output).toEqual(
      expect.arrayContaining([
        ['two-q1-fault', 'must be an <e-mail> address'],
        ['two-consent-fault', 'is needed'],
      ]),
    )
    expect(two).toContain('&#60;/textarea&#62;x</textarea>')
    const again = page.render({
      ...view,
      form: undefined,
      faults: new Map([
        ['', 'Too late.'],
        ['q9', 'is no question'],
      ]),
    })
    expect(alertOf(again)).toBe('Too late.is no question')
    expect(page.render(nobody)).not.toMatch(/aria-invalid|ada@|role="alert"/)
  })

  it('has unique IDs in a page with two forms', () => {
    const page = compilePage(
      pageOf([{ type: 'form' }, { type: 'form' }, { type: 'order_form', product: { name: 'x', amount: '1' } }]),
    )
    const ids = tagsOf(page.render(nobody)).flatMap(({ attributes }) => attributes['id'] ?? [])
    expect([...page.forms.keys()]).toEqual(['form-1', 'form-2', 'form-3'])
    expect(ids).toEqual([...new Set(ids)])
  })
})

describe('an order form', () => {
  const renderOrderForm = (product: object, settings = {}) => {
    const page = compilePage(
      pageOf([{ type: 'order_form', id: 'buy', product }], { questions: [note, name] }, settings),
    )
    return { page, html: page.render(nobody) }
  }

  it('shows the product, and asks for the buyer first', () => {
    const { page, html } = renderOrderForm({ name: 'Bowl', amount: '1234.50', currency: 'eur' }, { language: 'de' })
    expect(html).toContain('<span>Bowl</span> <strong>1.234,50\u00a0€</strong>')
    expect(asked(html)).toEqual(['E-Mail', 'Your name*', 'Nachname*', 'Note*'])
    const product = { name: 'Bowl', amount: '1234.50', currency: 'EUR' }
    expect([...page.products]).toEqual([['buy', product]])
    expect(page.forms.get('buy')?.product).toEqual(product)
  })

  it("shows all digits of a price, in the notation of the account's currency", () => {
    expect(renderOrderForm({ name: 'x', amount: '123456789012.34', currency: 'USD' }).html).toContain(
      '$123,456,789,012.34',
    )
    expect(renderOrderForm({ name: 'x', amount: '7.5' }).html).toContain('<strong>7.5</strong>')
  })

  it.each([
    ['', '1'],
    ['x', ''],
    ['x', '-1'],
    ['x', '1e3'],
    ['x', '1,5'],
    ['x', 'NaN'],
    ['x', '1.23456'],
    ['x', 1],
  ])('sells no %j at the price %j', (name, amount) => expect(renderOrderForm({ name, amount }).page.forms.size).toBe(0))
})
