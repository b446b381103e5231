import { describe, expect, it } from 'vitest'
import { newShop, page } from './documents.ts'

const fields = '{ funnel { id archivedAt } }'
const Archive = `mutation ($id: ID!) { funnelArchive(input: { id: $id }) ${fields} }`
const Restore = `mutation ($id: ID!) { funnelRestore(input: { id: $id }) ${fields} }`

describe('funnelArchive and funnelRestore', () => {
  it('take the pages offline and online', async () => {
    const world = await newShop()
    const funnel = await world.funnel()
    const step = await world.step(funnel, { content: page({ type: 'form' }) })
    const { url } = (await world.run('query ($id: ID!) { funnelStep(id: $id) { url } }', step)).funnelStep
    const statuses = async () => {
      const body = new URLSearchParams({ email: 'ada@example.com' })
      const responses = [
        await fetch(url),
        await fetch(url.slice(0, url.lastIndexOf('/')), { redirect: 'manual' }),
        await fetch(url, { method: 'POST', body, redirect: 'manual' }),
      ]
      return responses.map(({ status }) => status)
    }
    expect((await statuses()).slice(0, 2)).toEqual([200, 302])
    const { funnel: archived } = (await world.run(Archive, funnel)).funnelArchive
    expect(archived).toEqual({ id: funnel.id, archivedAt: expect.any(String) })
    await expect.poll(statuses).toEqual([404, 404, 404])
    expect((await world.run(Archive, funnel)).funnelArchive.funnel).toEqual(archived)
    expect((await world.run(Restore, funnel)).funnelRestore.funnel.archivedAt).toBeNull()
    expect((await statuses()).slice(0, 2)).toEqual([200, 302])
    await world.run(Restore, funnel)
    expect(await world.announced('funnel.updated')).toHaveLength(2)
  })

  it('return NOT_FOUND and FORBIDDEN, and filter the list, which contains both by default', async () => {
    const world = await newShop()
    const [funnel, kept] = [await world.funnel(), await world.funnel()]
    const foreign = await (await world.other()).funnel()
    const key = await world.key({ scopes: ['funnels:read'] })
    for (const document of [Archive, Restore]) {
      expect((await world.fault(document, foreign)).extensions.code).toBe('NOT_FOUND')
      expect((await world.fault(document, funnel, { key })).extensions.code).toBe('FORBIDDEN')
    }
    await world.run(Archive, funnel)
    const idsOf = async (filter: object) => {
      const document = 'query ($filter: FunnelFilterInput) { funnels(filter: $filter) { nodes { id } } }'
      return (await world.run(document, { filter })).funnels.nodes.map(({ id }: { id: string }) => id)
    }
    expect(await idsOf({})).toEqual([kept.id, funnel.id])
    expect(await idsOf({ archivedAt: { exists: true } })).toEqual([funnel.id])
    expect(await idsOf({ archivedAt: { exists: false } })).toEqual([kept.id])
  })
})
