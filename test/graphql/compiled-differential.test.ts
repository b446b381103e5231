import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLSchema,
  parse,
  print,
  validate,
} from 'graphql'
import { describe, expect, it } from 'vitest'
import { newCompiler } from '../../src/graphql/compiled-queries.ts'
import { operationOf } from '../../src/graphql/operations.ts'
import { sizeOf, sizeOfResult } from '../../src/graphql/result-size.ts'
import { differentialSchema } from './differential-schema.ts'
import { newDocument } from './generated-documents.ts'

const documents = 1_200
const variables = { yes: true, no: false, n: 3 }

/** Numbers from 0 to 1 that are the same in each run (mulberry32). */
function newRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/**
 * Executes a document often enough that it is compiled, and returns the results of its first two executions after that: a result whose
 * leaves do not have the type of their fields changes how the document is executed. Throws if it was not compiled.
 */
async function executeCompiled(
  schema: GraphQLSchema,
  document: DocumentNode,
): Promise<[ExecutionResult, ExecutionResult]> {
  const compiled = newCompiler(schema)
  const operation = operationOf(schema, document, undefined)
  for (const _ of [1, 2]) compiled(document, operation)
  const next = async () => {
    const run = compiled(document, operation)
    if (!run) throw new Error(`The document was not compiled: ${print(document)}`)
    return run({ schema, document, contextValue: {}, variableValues: variables }, variables)
  }
  return [await next(), await next()]
}

/** The errors of a result, which may come in any order. */
function errorsOf({ errors = [] }: ExecutionResult): string[] {
  return errors.map(({ message, path, locations }) => JSON.stringify({ message, path, locations })).sort()
}

/**
 * Compares a result with that of graphql-js. If fields beside each other are null and must not be, graphql-js reports the first
 * one, and a compiled query all of them.
 */
function mustEqual(actual: ExecutionResult, expected: ExecutionResult, text: string): void {
  expect(JSON.stringify(actual.data), text).toBe(JSON.stringify(expected.data))
  const known = errorsOf(expected)
  const found = errorsOf(actual).filter((each) => known.includes(each) || !each.includes('Cannot return null for'))
  expect(found, text).toEqual(known)
}

describe('a compiled query', () => {
  it(`returns what graphql-js returns, for ${documents} generated documents`, async () => {
    const random = newRandom(49)
    const seen = { errors: 0, nulls: 0, fragments: 0, directives: 0 }
    for (let count = 0; count < documents; count += 1) {
      const text = newDocument(differentialSchema, random)
      const document = parse(text)
      expect(validate(differentialSchema, document), text).toEqual([])
      const expected = await execute({
        schema: differentialSchema,
        document,
        contextValue: {},
        variableValues: variables,
      })
      for (const result of await executeCompiled(differentialSchema, document)) {
        mustEqual(result, expected, text)
        if (result.data) expect(sizeOfResult(result.data), text).toBe(sizeOf(result.data))
      }
      seen.errors += expected.errors ? 1 : 0
      seen.nulls += JSON.stringify(expected.data).includes('null') ? 1 : 0
      seen.fragments += text.includes('...') ? 1 : 0
      seen.directives += text.includes('@') ? 1 : 0
    }
    for (const [what, count] of Object.entries(seen)) expect(count, what).toBeGreaterThan(documents / 20)
  })

  it.each(['id', 'label', 'flag', 'ratio', 'rank', 'wrong', 'kinds label', 'children { label }'])(
    'returns %s as graphql-js does, also if the value does not have the type of its field',
    async (fields) => {
      const text = `query ($yes: Boolean!, $no: Boolean!, $n: Int!) { things(first: 8) { name ${fields} isEven @include(if: $yes) @skip(if: $no) late @include(if: $no) } thing(n: $n) { count } }`
      const document = parse(text)
      const given = { schema: differentialSchema, document, contextValue: {}, variableValues: variables }
      for (const result of await executeCompiled(differentialSchema, document)) {
        mustEqual(result, await execute(given), text)
        expect(sizeOfResult(result.data)).toBe(sizeOf(result.data))
      }
    },
  )

  it('keeps the cause of an error', async () => {
    const [result] = await executeCompiled(differentialSchema, parse('{ thing { fails } }'))
    expect(result.errors?.[0]).toBeInstanceOf(GraphQLError)
    expect(result.errors?.[0]?.originalError?.message).toBe('fails 1')
  })
})
