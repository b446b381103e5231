import { expect, it } from 'vitest'
import { type Failure, hasSecondLook } from '../../.ci/second-look.ts'

const failure: Failure = { test: 'a', name: 'Error', message: 'no', stack: '', actual: '', expected: '', tags: [] }
const list = (...elements: unknown[]) => JSON.stringify(elements, undefined, 2)
const compared = (actual: string, expected: string) => ({ name: 'AssertionError', actual, expected })

const mail = 'test/mail/rules.test.ts'
const row = (id: number, name: string) => ({ id, name })

it.each<[string, string, Partial<Failure>]>([
  ['a time limit', mail, { message: 'Test timed out in 120000ms.' }],
  ['a time limit of a hook', 'test/rest/tags.test.ts', { message: 'Hook timed out in 240000ms.' }],
  ['a time limit of a file with rows', mail, { message: 'Test timed out in 120000ms.', tags: ['rows'] }],
  [
    'a browser that waits',
    'test/graphql/scopes.test.ts',
    { name: 'TimeoutError', message: 'Timeout 30000ms exceeded.' },
  ],
  [
    'a server without time, in a file with rows',
    mail,
    { message: 'mutation failed: [{"message":"No.","extensions":{"code":"UNAVAILABLE"}}]', tags: ['rows'] },
  ],
  ['a database that is too slow to connect to', mail, { message: 'timeout exceeded when trying to connect' }],
  ['a text', mail, compared('a text', 'another text')],
  ['a number', mail, compared('1', '2')],
  ['a field of a row', mail, compared(list(row(1, 'Ada')), list(row(1, 'Eve')))],
  ['another order', mail, compared(list('a@example.com', 'b@example.com'), list('b@example.com', 'a@example.com'))],
  ['a list of faults', 'test/console/crawl.long.test.ts', compared(list('The list is empty beside an error.'), list())],
])('%s gets a second look', (_, file, part) => {
  expect(hasSecondLook(file, { ...failure, ...part })).toBe(true)
})

it.each<[string, string, Partial<Failure>]>([
  ['a wrong answer of the REST bridge', 'test/rest/tags.test.ts', compared('200', '404')],
  ['a wrong answer of isolation', 'test/graphql/isolation.test.ts', compared('200', '404')],
  ['a wrong answer of twin accounts', 'test/graphql/twin-accounts.test.ts', {}],
  ['a wrong answer of a file with rows', mail, { ...compared('299', '300'), tags: ['rows'] }],
  ['a lost row', mail, compared(list(1, 2), list(1, 2, 3))],
  ['a doubled row', mail, compared(list('a@example.com', 'a@example.com'), list('a@example.com'))],
  [
    'a foreign row in a page',
    mail,
    compared(list({ nodes: [row(1, 'Ada'), row(9, 'Eve')] }), list({ nodes: [row(1, 'Ada')] })),
  ],
  ['one row instead of another', mail, compared(list(row(1, 'Ada')), list(row(2, 'Ada')))],
  ['another length', mail, { ...compared('4', '3'), message: 'expected [ … ] to have a length of 3 but got 4' }],
  ['a process that ended', mail, { message: 'main ended with null, without /^ready/: ' }],
])('%s gets no second look', (_, file, part) => {
  expect(hasSecondLook(file, { ...failure, ...part })).toBe(false)
})
