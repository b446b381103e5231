// @module-tag rows
import { describe, it } from 'vitest'
import { resumeAfterCrash } from './import-crash.ts'

describe('an import of many rows whose worker crashes', { timeout: 180_000 }, () => {
  it('is resumed by another worker and applies each row exactly once', () => resumeAfterCrash(8_000))
})
