import { describe, it } from 'vitest'
import * as z from 'zod'
import { readQuery } from '../../rest-bridge/input/request.ts'
import { type NumberedRow, readChunks } from '../../src/contacts/imports/file/file-reader.ts'
import { mapColumns } from '../../src/contacts/imports/rows/columns.ts'
import { newRowParser } from '../../src/contacts/imports/rows/row-parser.ts'
import { checkFilter } from '../../src/db/filters/filter-check.ts'
import { mergeAnswers } from '../../src/forms/answers/answer-merge.ts'
import type { Question } from '../../src/forms/form/question-list.ts'
import { parseFields, parseJson, readAnswers } from '../../src/forms/page/form-post.ts'
import { validateContent } from '../../src/funnels/content/content-validation.ts'
import { findUnstorableText } from '../../src/kernel/values/storable-text.ts'
import { page } from '../funnels/documents.ts'
import { expectLinear } from '../support/growth.ts'

/** A kind of input whose size a client chooses: the work on an input of a size. */
interface Growing {
  readonly name: string
  readonly from: number
  readonly prepare: (size: number) => () => unknown
}

const numbers = (size: number) => Array.from({ length: size }, (_, index) => index)
const times = <Value>(size: number, value: (index: number) => Value) => numbers(size).map(value)
const ignoring = (work: () => unknown) => async () => {
  try {
    await work()
  } catch {
    // Only the time until the refusal counts.
  }
}

/** Reads a file, stores its rows as text as an import does, and parses each. */
function importing(text: string) {
  const bytes = Buffer.from(text)
  return ignoring(async () => {
    let header: string[] = []
    const source = (async function* () {
      yield bytes
    })()
    for await (const rows of readChunks(source, (names) => {
      header = names
    })) {
      const parse = newRowParser(mapColumns(header, [], []), [])
      for (const row of JSON.parse(JSON.stringify(rows)) as NumberedRow[]) parse(row)
    }
  })
}

const question = (id: number, more: object = {}) =>
  ({
    id,
    type: 'MULTIPLE_CHOICE',
    label: `${id}`,
    required: false,
    options: ['a', 'b'],
    points: [],
    contactField: null,
    ...more,
  }) as unknown as Question
const questions = times(100, (index) => question(index + 1))

function posting(body: object) {
  const bytes = Buffer.from(JSON.stringify(body))
  return ignoring(() => mergeAnswers(questions, [], readAnswers(questions, parseJson(bytes))))
}
function postingFields(text: string) {
  const bytes = Buffer.from(text)
  return ignoring(() => mergeAnswers(questions, [], readAnswers(questions, parseFields(bytes))))
}
const filtering = (filter: object) =>
  ignoring(() => checkFilter({} as never, { fields: {} } as never, filter, 'filter'))
const validating = (...elements: object[]) => {
  const document = page(...elements)
  return ignoring(() => validateContent(document))
}

const growing: readonly Growing[] = [
  {
    name: 'an import: columns of tags',
    from: 100,
    prepare: (size) =>
      importing(
        `email${',tags'.repeat(size)}\na@example.com,${times(size, (index) => `t${index};u${index % 300}`).join()}\n`,
      ),
  },
  {
    name: 'an import: tags in columns of tags',
    from: 20,
    prepare: (size) =>
      importing(
        `email${',tags'.repeat(size)}\na@example.com,${times(size, (column) => times(100, (tag) => `${column}t${tag}`).join(';')).join()}\n`,
      ),
  },
  {
    name: 'an import: tags in a cell',
    from: 20_000,
    prepare: (size) => importing(`email,tags\na@example.com,${times(size, (index) => `t${index}`).join(';')}\n`),
  },
  {
    name: 'an import: quoted tags in a cell',
    from: 10_000,
    prepare: (size) => importing(`email,tags\na@example.com,"${times(size, (index) => `""t${index}`).join(';')}"\n`),
  },
  { name: 'an import: commas of a row', from: 100_000, prepare: (size) => importing(`email\n${','.repeat(size)}x\n`) },
  {
    name: 'an import: rows of more cells than the header',
    from: 50,
    prepare: (size) => importing(`email\n${`${','.repeat(1_000)}x\n`.repeat(size)}`),
  },
  {
    name: 'an import: rows of one contact',
    from: 1_000,
    prepare: (size) => importing(`email,first_name\n${'a@example.com,Ada\n'.repeat(size)}`),
  },
  {
    name: 'a post to a form: answers to one question',
    from: 2_000,
    prepare: (size) => posting({ answers: times(size, () => ({ question_id: 1, answer: 'a' })) }),
  },
  {
    name: 'a post to a form: values of one question',
    from: 5_000,
    prepare: (size) => posting({ answers: { 1: times(size, (index) => `${index}`) } }),
  },
  {
    name: 'a post to a form: unknown questions',
    from: 2_000,
    prepare: (size) => posting({ answers: Object.fromEntries(times(size, (index) => [`x${index}`, 'a'])) }),
  },
  {
    name: 'a post to a form: a long name of a question',
    from: 100_000,
    prepare: (size) => posting({ answers: times(20, () => ({ question_id: 'x'.repeat(size), answer: 'a' })) }),
  },
  {
    name: 'a post to a form: attribution',
    from: 100_000,
    prepare: (size) => posting({ answers: {}, attribution: { utm_source: '\u0001x'.repeat(size) } }),
  },
  { name: 'a post to a form: one field', from: 5_000, prepare: (size) => postingFields('q1=a&'.repeat(size)) },
  {
    name: 'a post to a form: many fields',
    from: 5_000,
    prepare: (size) => postingFields(times(size, (index) => `q${index}=a`).join('&')),
  },
  { name: 'a filter: parts', from: 10_000, prepare: (size) => filtering({ and: times(size, () => ({})) }) },
  {
    name: 'a filter: parts in parts',
    from: 500,
    prepare: (size) => filtering(numbers(size).reduce<object>((inner) => ({ not: inner }), {})),
  },
  {
    name: 'a list in a query',
    from: 2_000,
    prepare: (size) => () => readQuery(z.object({ 'id[]': z.any() }), new URLSearchParams('id[]=1&'.repeat(size))),
  },
  {
    name: 'JSON: text in lists in objects',
    from: 10_000,
    prepare: (size) => {
      const value = { a: times(size, (index) => ({ [`k${index}`]: ['x'] })) }
      return () => findUnstorableText(value)
    },
  },
  {
    name: 'JSON: lists in lists',
    from: 10_000,
    prepare: (size) => {
      const value = numbers(size).reduce<unknown>((inner) => [inner], 'x')
      return () => findUnstorableText(value)
    },
  },
  {
    name: 'a page: elements',
    from: 200,
    prepare: (size) => validating(...times(size, () => ({ type: 'title', text: 'x' }))),
  },
  {
    name: 'a page: merge fields',
    from: 1_000,
    prepare: (size) => validating(...times(10, () => ({ type: 'title', text: '{{A}}'.repeat(size / 10) }))),
  },
  { name: 'a page: HTML', from: 1_000, prepare: (size) => validating({ type: 'html', html: '<p>a</p>'.repeat(size) }) },
  {
    name: 'a page: lines of text',
    from: 5_000,
    prepare: (size) => validating({ type: 'text', text: 'a\n'.repeat(size) }),
  },
]

/**
 * Tests that the time of each kind grows as its input does, whose largest size is 2 to the power of `doublings` times the
 * smallest.
 */
export function describeGrowth(doublings: number): void {
  describe('the time of work grows as its input', () => {
    it.each(growing)('$name', { timeout: 120_000 }, async ({ prepare, from }) => {
      await expectLinear(prepare, { from, doublings })
    })
  })
}
