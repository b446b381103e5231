import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mergeValuesOf, type Person } from '../../src/contacts/index.ts'
import { fill, mergeParts } from '../../src/contacts/record/merge-fields.ts'
import { escapeHtml } from '../../src/kernel/web/html.ts'
import { parseHtmlTemplate, renderHtml } from '../../src/mail/bodies/html-template.ts'

const ada: Person = {
  firstName: 'Ada',
  lastName: 'Lovelace',
  email: 'ada@example.com',
  phone: '+44 1',
  companyName: 'Engines',
  city: 'London',
  country: 'UK',
  createdAt: new Date('2026-03-27T23:30:00Z'),
  fields: { 'Shoe size': '43', constructor: '' },
}
/** Half past midnight in Paris, on the day on which the clocks go forward there. */
const now = new Date('2026-03-28T23:30:00Z')
const filled = (text: string, zone = 'Europe/Paris') => fill(mergeParts(text), mergeValuesOf(ada, now, zone))

describe('a merge field', () => {
  it.each([
    ['{{FIRST_NAME}} {{LAST_NAME}}', 'Ada Lovelace'],
    ['{{EMAIL}}, {{PHONE}}', 'ada@example.com, +44 1'],
    ['{{COMPANY}}, {{CITY}}, {{COUNTRY}}', 'Engines, London, UK'],
    ['{{SIGNUP_DATE}} {{DAYS_SINCE_SIGNUP}}', '2026-03-28 1'],
    ['{{TODAY_DATE}} {{TOMORROW_DATE}}', '2026-03-29 2026-03-30'],
    ['{{DAY_NAME}} {{MONTH_NAME}} {{YEAR}} {{TIME}}', 'Sunday March 2026 00:30'],
    ['{{FIELD.Shoe size}}/{{field.Shoe size:0}}/{{FIELD.shoe size:0}}', '43/43/0'],
    ['{{first_name}} {{ First_Name }}', 'Ada Ada'],
    ['{{VISITOR_CITY:here}}{{NOTHING}}', 'here'],
    ['{{FIELD.constructor:-}}{{FIELD.toString:-}}{{CONSTRUCTOR:-}}{{PROTOTYPE}}', '---'],
    ['{{FIRST_NAME: a : b }}', 'Ada'],
    ['{{NOTHING: a : b }}', 'a : b'],
    ['{ {FIRST_NAME}} {{}} {{1}} {{a b}} {{FIRST_NAME}', '{ {FIRST_NAME}} {{}} {{1}} {{a b}} {{FIRST_NAME}'],
    ['{{{FIRST_NAME}}}', '{Ada}'],
  ])('%s gives %s', (text, expected) => expect(filled(text)).toBe(expected))

  it('uses the time zone of the account for day and hour', () => {
    expect(filled('{{TODAY_DATE}} {{TIME}} {{SIGNUP_DATE}}', 'America/New_York')).toBe('2026-03-28 19:30 2026-03-27')
  })

  it('is filled once: merge fields in a value are text', () => {
    const values = () => '{{EMAIL}}$&$1'
    expect(fill(mergeParts('<{{FIRST_NAME}}>'), values)).toBe('<{{EMAIL}}$&$1>')
  })

  it('is not filled if the text would be too long in bytes', () => {
    const limit = { what: 'The text message', maxBytes: 6_000 }
    const parts = mergeParts('{{X}}'.repeat(20))
    expect(fill(parts, () => '€'.repeat(100), limit)).toHaveLength(2_000)
    expect(() => fill(parts, () => '€'.repeat(101), limit)).toThrow('The text message would have more than 6000 bytes.')
  })

  it('leaves other text unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        fc.pre(!text.includes('{{'))
        expect(filled(text)).toBe(text)
      }),
    )
  })

  it('escapes values at every position in HTML', () => {
    const places = [
      '<p>{{X}}</p>',
      '<p title="{{X}}">',
      "<p title='{{X}}'>",
      '<p title={{X}}>',
      '<p {{X}}>',
      '<a href="{{X}}">',
      '<a href="https://x/{{X}}">',
    ]
    fc.assert(
      fc.property(fc.constantFrom(...places), fc.string(), (place, value) => {
        const template = parseHtmlTemplate(`${place}{{UNSUBSCRIBE_URL}}`)
        const html = renderHtml(template, { values: (name) => (name === 'X' ? value : '') })
        const [before = '', after = ''] = place.split('{{X}}')
        const put = html.slice(before.length, html.length - after.length)
        expect(put).not.toMatch(/[<>"'`]/)
        if (/[ =]\{\{/.test(place)) expect(put).not.toMatch(/[\s=]/)
      }),
    )
    expect(escapeHtml(`&<>"'`)).toBe('&#38;&#60;&#62;&#34;&#39;')
  })
})
