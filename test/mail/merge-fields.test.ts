import * as fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
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
  locale: '',
  fields: {
    'Shoe size': '43',
    Balance: '-1234.50',
    Born: '1815-12-10',
    constructor: '',
    'Shoe: EU': '42',
    'R&D': 'yes',
  },
  fieldTypes: {
    'Shoe size': 'TEXT',
    Balance: 'NUMBER',
    Born: 'DATE',
    'Shoe: EU': 'TEXT',
    'R&D': 'TEXT',
    'a:b:c': 'TEXT',
  },
}
/** Half past midnight in Paris, on the day on which the clocks go forward there. */
const now = new Date('2026-03-28T23:30:00Z')
const filled = (text: string, zone = 'Europe/Paris', { language = '', locale = '' } = {}) =>
  fill(mergeParts(text), mergeValuesOf({ ...ada, locale }, now, { zone, language }))

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
    ['{{FIELD.Shoe: EU}}/{{FIELD.Shoe: EU:none}}/{{FIELD.Shoe: US}}/{{FIELD.Shoe}}', '42/42/US/'],
    ['{{FIELD.a:b:c}}/{{FIELD.a:b:c: d:e }}/{{FIELD.a:b}}', '/d:e/b'],
    ['{{FIELD.Shoe\u00a0size}}/{{\u00a0FIRST_NAME\u00a0}}/{{FIELD.Shoe  size}}', '43/Ada/43'],
    ['%7B%7BEMAIL%7D%7D {%7bFIRST_NAME}%7D {{FIRST_NAME%7d%7d', 'ada@example.com Ada Ada'],
    ['%7b{FIELD.Shoe%20size}%7d/{{FIELD.R%26D}}/%7B{FIELD.Shoe%3A%20EU%7D%7D', '43/yes/42'],
    ['%7B{NOTHING%3Aa%20b%7D%7D %7B%7B %7Bx%7D %ff %7B%7B1%7D%7D', 'a%20b %7B%7B %7Bx%7D %ff %7B%7B1%7D%7D'],
  ])('%s gives %s', (text, expected) => expect(filled(text)).toBe(expected))

  it('uses the time zone of the account for day and hour', () => {
    expect(filled('{{TODAY_DATE}} {{TIME}} {{SIGNUP_DATE}}', 'America/New_York')).toBe('2026-03-28 19:30 2026-03-27')
  })

  it.each([
    ['fr', '28 mars 2026, dimanche, mars, -1 234,5, 10 décembre 1815'],
    ['de', '28. März 2026, Sonntag, März, -1.234,5, 10. Dezember 1815'],
    ['es', '28 de marzo de 2026, domingo, marzo, -1234,5, 10 de diciembre de 1815'],
    ['it', '28 marzo 2026, domenica, marzo, -1234,5, 10 dicembre 1815'],
    ['pt-BR', '28 de março de 2026, domingo, março, -1.234,5, 10 de dezembro de 1815'],
    ['nl', '28 maart 2026, zondag, maart, -1.234,5, 10 december 1815'],
    ['pl', '28 marca 2026, niedziela, marzec, -1234,5, 10 grudnia 1815'],
    ['en-GB', '2026-03-28, Sunday, March, -1234.50, 1815-12-10'],
  ])('is written in %s, which the text or else the contact has', (language, expected) => {
    const text = '{{SIGNUP_DATE}}, {{DAY_NAME}}, {{MONTH_NAME}}, {{FIELD.Balance}}, {{FIELD.Born}}'
    const plain = (value: string) => value.replaceAll(/[\u00a0\u202f]/g, ' ')
    expect(plain(filled(text, 'Europe/Paris', { language }))).toBe(expected)
    expect(plain(filled(text, 'Europe/Paris', { locale: language }))).toBe(expected)
    expect(plain(filled(text, 'Europe/Paris', { language, locale: 'fi' }))).toBe(expected)
  })

  it('is in the language of the contact if that of the text is none', () => {
    expect(filled('{{DAY_NAME}}', 'Europe/Paris', { language: 'zz', locale: 'de' })).toBe('Sonntag')
    const none = { language: 'zz', locale: 'x' }
    expect(filled('{{DAY_NAME}} {{TODAY_DATE}} {{FIELD.Balance}}', 'Europe/Paris', none)).toBe(
      'Sunday 2026-03-29 -1234.50',
    )
  })

  it('is written once, however often a text has it', () => {
    const format = vi.spyOn(Intl, 'NumberFormat')
    const text = '{{FIELD.Balance}} '.repeat(1_000)
    expect(filled(text, 'Europe/Paris', { language: 'de' })).toBe('-1.234,5 '.repeat(1_000))
    expect(format).toHaveBeenCalledOnce()
  })

  it('has few readings, however many colons it has', () => {
    const [field] = mergeParts(`{{FIELD.a${':b'.repeat(400_000)}}}`)
    expect(field).toMatchObject({ name: 'FIELD.a', longer: { length: 4 } })
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
