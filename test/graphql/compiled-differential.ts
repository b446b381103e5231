import { type DocumentNode, type ExecutionResult, execute, type GraphQLSchema, parse, print, validate } from 'graphql'
import { expect } from 'vitest'
import { operationOf } from '../../src/graphql/documents/operations.ts'
import { newCompiler } from '../../src/graphql/execution/compiled-queries.ts'
import { differentialSchema } from './differential-schema.ts'
import { newDocument } from './generated-documents.ts'

export const variables = { yes: true, no: false, n: 3 }

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
 * Executes a document often enough that it is compiled, and returns the results of its next two executions. Throws if it was not
 * compiled.
 */
export async function executeCompiled(
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
export function mustEqual(actual: ExecutionResult, expected: ExecutionResult, text: string): void {
  expect(JSON.stringify(actual.data), text).toBe(JSON.stringify(expected.data))
  const known = errorsOf(expected)
  const found = errorsOf(actual).filter((each) => known.includes(each) || !each.includes('Cannot return null for'))
  expect(found, text).toEqual(known)
}

/** Compares the results of generated documents, the same ones in each run, with those of graphql-js. */
export async function compareGenerated(documents: number): Promise<void> {
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
    }
    seen.errors += expected.errors ? 1 : 0
    seen.nulls += JSON.stringify(expected.data).includes('null') ? 1 : 0
    seen.fragments += text.includes('...') ? 1 : 0
    seen.directives += text.includes('@') ? 1 : 0
  }
  for (const [what, count] of Object.entries(seen)) expect(count, what).toBeGreaterThan(documents / 20)
}
