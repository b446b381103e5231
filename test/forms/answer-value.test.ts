import { describe, expect, it } from 'vitest'
import { type AnswerRule, parseValues } from '../../src/forms/form/answer-values.ts'
import { bucketOf, outcomeOf, sumPoints } from '../../src/forms/form/scoring.ts'
import { decimal } from '../../src/kernel/values/money.ts'

const asked = (type: AnswerRule['type'], more: Partial<AnswerRule> = {}): AnswerRule => ({
  type,
  options: null,
  contactField: null,
  ...more,
})
const choice = { options: ['a', 'b', 'c d'] }

describe('parseValues', () => {
  it.each([
    [asked('YES_NO'), ['yes'], ['yes']],
    [asked('SINGLE_CHOICE', choice), [' c d '], ['c d']],
    [asked('MULTIPLE_CHOICE', choice), ['b', 'a', 'b'], ['a', 'b']],
    [asked('SHORT_TEXT'), [' words '], ['words']],
    [asked('LONG_TEXT'), [' two\nlines '], [' two\nlines ']],
    [asked('SHORT_TEXT'), ['😀'.repeat(255)], ['😀'.repeat(255)]],
    [asked('EMAIL'), ['Ada@example.com'], ['Ada@example.com']],
    [asked('PHONE'), ['+33 (0)1.23-45 67 89'], ['+33 (0)1.23-45 67 89']],
    [asked('NUMBER'), ['+012.500'], ['12.5']],
    [asked('NUMBER'), ['-0.0'], ['0']],
    ...(
      [
        ['1,5', '1.5'],
        ['-3,75', '-3.75'],
        ['0,125', '0.125'],
        ['1234,567', '1234.567'],
        [',5', '0.5'],
        ['.5', '0.5'],
        ['1 000', '1000'],
        ['1 000,5', '1000.5'],
        ['1\u00a0000\u202f000,25', '1000000.25'],
        ["1'000.50", '1000.5'],
        ['1’000', '1000'],
        ['1 000,500', '1000.5'],
        ['−2,5', '-2.5'],
        ['١٢٫٥', '12.5'],
        ['１２．５', '12.5'],
      ] as const
    ).map(([typed, number]) => [asked('NUMBER'), [typed], [number]] as const),
    [asked('NUMBER'), ['123456789012345'], ['123456789012345']],
    [asked('DATE'), ['2024-02-29'], ['2024-02-29']],
    [asked('RATING'), ['5'], ['5']],
    [asked('OPINION_SCALE'), ['0'], ['0']],
    [asked('URL'), ['https://example.com/a?b#c'], ['https://example.com/a?b#c']],
    ...(
      [
        ['example.com', 'https://example.com'],
        ['www.example.com/a?b=c#d', 'https://www.example.com/a?b=c#d'],
        ['//example.com/', 'https://example.com/'],
        ['bücher.example:8080', 'https://bücher.example:8080'],
        ['https://exa\u200bmple.com\u2060/a', 'https://example.com/a'],
        ['\ufeffhttp://example.com', 'http://example.com'],
      ] as const
    ).map(([typed, url]) => [asked('URL'), [typed], [url]] as const),
    ...(
      [
        ['\u202d+447700900123\u202c', '+447700900123'],
        ['\u200e+49 421 555010', '+49 421 555010'],
        ['٠٥٠١٢٣٤٥٦٧', '0501234567'],
        ['۰۹۱۲ ۳۴۵ ۶۷۸۹', '0912 345 6789'],
        ['＋８１（３）１２３４−５６７８', '+81(3)1234-5678'],
        ['+33\u00a01\u202f23\u201145 67–89', '+33 1 23-45 67-89'],
        ['\u2068+1 (415) 555‐2671\u2069', '+1 (415) 555-2671'],
      ] as const
    ).map(([typed, phone]) => [asked('PHONE'), [typed], [phone]] as const),
    [asked('EMAIL'), ['\u200eada@exam\u200bple.com'], ['ada@example.com']],
    [asked('DATE'), ['\u200e2024-02-29'], ['2024-02-29']],
    [asked('SHORT_TEXT'), ['family 👨‍👩‍👧'], ['family 👨‍👩‍👧']],
    [asked('CONSENT'), ['true'], ['true']],
    [asked('HIDDEN'), ['anything'], ['anything']],
    [asked('NUMBER'), [''], []],
    [asked('NUMBER'), [' \n'], []],
    [asked('STATEMENT'), [], []],
  ] as const)('parses the answer to %j from %j to %j', (question, input, values) => {
    expect(parseValues(question, input)).toEqual({ values })
  })

  it.each([
    [asked('YES_NO'), ['Yes']],
    [asked('YES_NO'), ['yes', 'no']],
    [asked('SINGLE_CHOICE', choice), ['A']],
    [asked('MULTIPLE_CHOICE', choice), ['a', 'x']],
    [asked('SHORT_TEXT'), ['x'.repeat(256)]],
    [asked('LONG_TEXT'), ['x'.repeat(10_001)]],
    [asked('HIDDEN'), ['x'.repeat(1_001)]],
    [asked('HIDDEN', { contactField: 'PHONE' }), ['1'.repeat(65)]],
    [asked('HIDDEN', { contactField: 'EMAIL' }), ['nobody']],
    [asked('SHORT_TEXT'), ['a\u001fb']],
    [asked('SHORT_TEXT'), ['a\0b']],
    [asked('LONG_TEXT'), ['\ud800']],
    [asked('EMAIL'), ['nobody@example']],
    [asked('PHONE'), ['call me']],
    [asked('PHONE'), ['+12']],
    [asked('NUMBER'), ['1e3']],
    ...[
      '1.000,5',
      '1,000.5',
      '1,000',
      '-12,345',
      '1,000,000',
      '1.000.000',
      '1,2,3',
      '1 00',
      "1'0000",
      '1 000 5',
      '5,',
      ',',
      '.',
      '-',
      '١٬٠٠٠',
    ].map((typed) => [asked('NUMBER'), [typed]] as const),
    [asked('NUMBER'), ['NaN']],
    [asked('NUMBER'), ['1234567890123456']],
    [asked('NUMBER'), ['0.1234567890123456']],
    [asked('DATE'), ['2026-02-30']],
    [asked('DATE'), ['0000-01-01']],
    [asked('DATE'), ['21/11/2026']],
    [asked('RATING'), ['0']],
    [asked('RATING'), ['4.0']],
    [asked('OPINION_SCALE'), ['11']],
    [asked('URL'), ['example']],
    [asked('URL'), ['ada@example.com']],
    [asked('URL'), ['example.com and more']],
    [asked('URL'), ['javascript:alert(1)']],
    [asked('CONSENT'), ['on']],
    [asked('STATEMENT'), ['read']],
  ] as const)('rejects for %j the answer %j', (question, input) => {
    expect(parseValues(question, input)).toEqual({ problem: expect.any(String) })
  })
})

it('names the decimal signs if a number can be read in two ways', () => {
  expect(parseValues(asked('NUMBER'), ['1.000,5'])).toEqual({
    problem:
      'must be a number such as 12, -3.5 or -3,5, with a point or a comma as the decimal sign and neither between thousands',
  })
})

describe('scoring', () => {
  it('sums the points of the values exactly', () => {
    const points = [
      { answer: 'a', points: '0.1' },
      { answer: 'b', points: '0.2' },
      { answer: 'c', points: '-1' },
    ]
    expect(sumPoints(points, ['a', 'b']).toFixed()).toBe('0.3')
    expect(sumPoints(points, ['c']).toFixed()).toBe('-1')
    expect(sumPoints(points, ['d']).toFixed()).toBe('0')
  })

  it('assigns the bucket from exactly its threshold', () => {
    const thresholds = { warmFrom: '-1', hotFrom: '2.5' }
    const bucket = (score: string) => bucketOf(decimal(score), thresholds)
    expect(['-1.01', '-1', '2.49', '2.5', '100'].map(bucket)).toEqual(['COLD', 'WARM', 'WARM', 'HOT', 'HOT'])
    expect(bucketOf(decimal('3'), { warmFrom: '3', hotFrom: '3' })).toBe('HOT')
  })

  it('returns the first outcome of the bucket, or undefined', () => {
    const outcomes = [{ bucket: 'HOT' }, { bucket: 'COLD' }, { bucket: 'HOT' }] as const
    expect(outcomeOf(outcomes, 'HOT')).toBe(outcomes[0])
    expect(outcomeOf(outcomes, 'WARM')).toBeUndefined()
  })
})
