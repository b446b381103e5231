import { hash } from 'node:crypto'
import type { TestSpecification } from 'vitest/node'
import { BaseSequencer } from 'vitest/node'

/** Orders the files by TEST_ORDER, if it is set: each value gives another order. In the usual order otherwise. */
export class TestOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const order = process.env['TEST_ORDER']
    if (!order) return await super.sort(files)
    const root = this.ctx.config.root
    const placeOf = ({ moduleId }: TestSpecification) => hash('sha256', order + moduleId.slice(root.length))
    return files.toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1))
  }
}
