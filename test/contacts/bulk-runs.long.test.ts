import { describe, it } from 'vitest'
import { finishBesideLargeJobs, resumeAfterKill } from './bulk-scale.ts'

describe('bulk jobs of many contacts', { timeout: 300_000 }, () => {
  it('are resumed after their worker was killed', () => resumeAfterKill(4_000))

  it('do not delay the job of another account', () => finishBesideLargeJobs(10_000))
})
