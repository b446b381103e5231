import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { checkFigures } from '../../src/figures/check.ts'
import { start, until } from '../runtime/process.ts'
import { newWorld } from '../support/world.ts'
import { Create, Read, waitForImport } from './imports.ts'

describe('an import whose worker crashes', { timeout: 180_000 }, () => {
  it('is resumed by another worker and applies each row exactly once', async () => {
    const world = await newWorld()
    const env = {
      DATABASE_URL: world.server.databaseUrl,
      SECRET: 'a secret that only tests know',
      ROLES: 'worker',
      PORT: '0',
    }
    const rows = Array.from({ length: 8_000 }, (_, n) => `p${n}@example.com,${randomUUID()},a;b\n`)
    const csv = `email,first_name,tags\n${rows.join('')}`
    const { contactImport } = (await world.run(Create, { input: { csv } })).contactImportCreate
    const rowsDone = async () => (await world.run(Read, contactImport)).contactImport.rowsDone as number

    const first = start('main', [], env)
    await until(async () => (await rowsDone()) >= 1_000)
    first.signal('SIGKILL')
    await first.end
    const reached = await rowsDone()
    expect(reached).toBeGreaterThanOrEqual(1_000)
    expect(reached).toBeLessThan(8_000)
    const contacts = async () => (await world.run('{ contacts { totalCount } }')).contacts.totalCount
    expect(await contacts()).toBe(reached)

    const second = start('main', [], env)
    const end = await waitForImport(world, contactImport.id, 120_000)
    expect(end).toMatchObject({
      status: 'COMPLETED',
      rowsDone: 8_000,
      created: 8_000,
      updated: 0,
      unchanged: 0,
      failed: 0,
    })
    expect(await contacts()).toBe(8_000)
    const announced = await world.announced()
    expect(announced.filter(({ type }) => type === 'contact.created')).toHaveLength(8_000)
    expect(announced.filter(({ type }) => type === 'contact.tag_added')).toHaveLength(16_000)
    expect(await checkFigures(world.server.system)).toEqual([])
    second.signal('SIGTERM')
    expect(await second.end).toMatchObject({ code: 0 })
  })
})
