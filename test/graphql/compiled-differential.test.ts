import { execute, GraphQLError, parse } from 'graphql'
import { describe, expect, it } from 'vitest'
import { compareGenerated, executeCompiled, mustEqual, variables } from './compiled-differential.ts'
import { differentialSchema } from './differential-schema.ts'

describe('a compiled query', () => {
  it('returns what graphql-js returns, for 150 generated documents', () => compareGenerated(150))

  it.each(['id', 'label', 'flag', 'ratio', 'rank', 'wrong', 'kinds label', 'children { label }'])(
    'returns %s as graphql-js does, also if the value does not have the type of its field',
    async (fields) => {
      const text = `query ($yes: Boolean!, $no: Boolean!, $n: Int!) { things(first: 8) { name ${fields} isEven @include(if: $yes) @skip(if: $no) late @include(if: $no) } thing(n: $n) { count } }`
      const document = parse(text)
      const given = { schema: differentialSchema, document, contextValue: {}, variableValues: variables }
      for (const result of await executeCompiled(differentialSchema, document)) {
        mustEqual(result, await execute(given), text)
      }
    },
  )

  it('keeps the cause of an error', async () => {
    const [result] = await executeCompiled(differentialSchema, parse('{ thing { fails } }'))
    expect(result.errors?.[0]).toBeInstanceOf(GraphQLError)
    expect(result.errors?.[0]?.originalError?.message).toBe('fails 1')
  })
})
