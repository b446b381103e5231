// @module-tag rows
import { describe, it } from 'vitest'
import { analyse, readRowsAFewTimes } from './first-campaign.ts'

describe('the first import and campaign of a new account', { timeout: 120_000 }, () => {
  it('read each row a few times with statistics that were never made', () => readRowsAFewTimes(async () => undefined))

  it('read each row a few times with statistics of empty tables', () => readRowsAFewTimes(analyse))
})
