// @module-tag rows
import { describe, it } from 'vitest'
import { completeAfterCrash } from './erasure-crash.ts'

describe('an erasure of many copies whose worker crashes', { timeout: 240_000 }, () => {
  // A batch examines 2,000 rows.
  it('is completed by two other workers', () => completeAfterCrash(60_000))
})
