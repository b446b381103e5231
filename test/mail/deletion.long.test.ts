// @module-tag rows
import { describe, it } from 'vitest'
import { deleteWhileSending } from './deletion.ts'

describe('a thousand contacts that are deleted while their campaign is sent', { timeout: 240_000 }, () => {
  it('are missed and doubled by no kill of a worker, and are not written to afterwards', () =>
    deleteWhileSending({ all: 1_500, gone: 1_000, kills: 3 }))
})
