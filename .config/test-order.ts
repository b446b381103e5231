import { hash } from 'node:crypto'
import type { TestSpecification } from 'vitest/node'
import { BaseSequencer } from 'vitest/node'

/** Small files that take longest, because they repeat what others define. A run would wait for them at its end. */
const slowest = [
  'mail/crash',
  'mail/first-campaign',
  'mail/deletion',
  'contacts/import-crash',
  'contacts/bulk-runs',
  'contacts/erasure-crash',
  'graphql/ids',
].map((name) => `/test/${name}.`)

/**
 * Orders the files by TEST_ORDER, if it is set: each value gives another order, so that none is always last. Otherwise, the
 * slowest files are first, and the others in the usual order.
 */
export class TestOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const order = process.env['TEST_ORDER']
    const placeOf = ({ moduleId }: TestSpecification) => {
      if (order)
        return Number.parseInt(hash('sha256', order + moduleId.slice(this.ctx.config.root.length)).slice(0, 12), 16)
      const place = slowest.findIndex((name) => moduleId.includes(name))
      return place < 0 ? slowest.length : place
    }
    return (await super.sort(files)).toSorted((a, b) => placeOf(a) - placeOf(b))
  }
}
