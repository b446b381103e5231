// @module-tag rows
import { expect, it } from 'vitest'
import type { Ctx } from '../../src/db/context.ts'
import { progressOf } from '../../src/events/index.ts'
import type { Source, StampedEvent } from '../../src/kernel/feed.ts'

/** A source whose events the test adds. */
function newSource() {
  const events: StampedEvent[] = []
  let wake = Promise.withResolvers<void>()
  async function* read(): AsyncGenerator<StampedEvent, undefined> {
    for (;;) {
      while (events.length === 0) await wake.promise
      wake = Promise.withResolvers()
      yield* events.splice(0)
    }
  }
  const add = () => {
    events.push({
      accountId: 1,
      position: 1n,
      id: 1n,
      type: 'contact_import.progressed',
      data: {},
      createdAt: new Date(),
    })
    wake.resolve()
  }
  return { source: Object.assign(read(), { onBreak: undefined }) as unknown as Source, add }
}

it('the state of work that ends while an element is delivered has an element of its own', async () => {
  let status = 'RUNNING'
  const { source, add } = newSource()
  const table = { alias: 'x', select: async () => [{ id: 1, status }], notFound: () => new Error('not found') }
  const types = ['contact_import.progressed'] as never
  const options = {
    type: 'ContactImport',
    field: 'importId',
    needs: 'contacts:read',
    changes: types,
    ends: types,
  } as const
  const follow = progressOf({ ...options, table: table as never, over: ['COMPLETED'] as never })
  const ctx = {
    accountId: 1,
    scopes: undefined,
    clock: { now: () => new Date() },
    feed: { follow: async () => source, position: () => 0n },
  }
  const elements = await follow(ctx as unknown as Ctx, { importId: 1 })
  /** The state that each element shows, which is read when it is delivered. */
  const delivered: string[] = []
  const next = async () => {
    const { done } = await elements.next()
    if (!done) delivered.push(status)
    return done
  }
  await next()
  add()
  await next()
  status = 'COMPLETED'
  add()
  while (!(await next()));
  expect(delivered).toEqual(['RUNNING', 'RUNNING', 'COMPLETED'])
})
