// @module-tag rows
import { describe, it } from 'vitest'
import { expectNoDelay } from './webhook-queue.ts'

describe('a long webhook queue', () => {
  it('delays no account because of 100,000 messages of another', () => expectNoDelay(100_000))
})
