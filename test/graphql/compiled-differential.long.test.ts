import { describe, it } from 'vitest'
import { compareGenerated } from './compiled-differential.ts'

describe('a compiled query', () => {
  it('returns what graphql-js returns, for 1,200 generated documents', () => compareGenerated(1_200))
})
