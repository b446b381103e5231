import { expect, it } from 'vitest'
import { checkFigures } from '../../src/figures/check.ts'
import { newDemo } from '../support/demo.ts'
import { seriesOf } from './documents.ts'

it('the demonstration has figures over several weeks, which equal its rows, and a bulk job', async () => {
  const world = await newDemo()
  for (const figure of ['NEW_CONTACTS', 'SENDS', 'UNIQUE_OPENS', 'ORDERS', 'MRR']) {
    const { points } = await seriesOf(world, figure, { interval: 'WEEK' })
    expect(points.filter(({ value }) => Number(value) > 0).length, figure).toBeGreaterThan(2)
  }
  expect(await checkFigures(world.server.system)).toEqual([])
  const { nodes } = (await world.run('{ bulkJobs { nodes { status changed done apiKey { name } } } }')).bulkJobs
  expect(nodes).toMatchObject([{ status: 'COMPLETED', apiKey: { name: 'demo' } }])
  expect(nodes[0].changed).toBeGreaterThan(0)
})

it('the demonstration has an import, a merge, an erasure and an archived campaign, each in the audit log', async () => {
  const world = await newDemo()
  const { contactImports, campaigns, auditLog, merged, former, fair, senderProblems } = await world.run(`{
    contactImports(first: 2) { nodes { status rowsTotal errors(first: 2) { nodes { line } } } }
    campaigns(first: 100, filter: { archivedAt: { exists: true } }) { nodes { name } }
    senderProblems { nodes { domain cause failures } }
    auditLog(first: 100) { nodes { action apiKey { name } objectIds } }
    merged: contact(ref: { email: "camille@lambert.example" }) { tags { name } timeline(first: 10) { nodes { type } } }
    former: contact(ref: { email: "former.customer@example.com" }) { id }
    fair: contacts(filter: { email: { contains: "clay-fair" } }) { totalCount }
  }`)
  expect(contactImports.nodes).toMatchObject([
    { status: 'REVIEW', rowsTotal: 4 },
    { status: 'COMPLETED', rowsTotal: 5, errors: { nodes: [{ line: 4 }] } },
  ])
  expect(campaigns.nodes).toMatchObject([{ name: 'Christmas market, cancelled' }])
  expect(merged.tags).toMatchObject([{ name: 'customer' }])
  expect(merged.timeline.nodes.length).toBeGreaterThan(1)
  expect(senderProblems.nodes).toContainEqual({ domain: 'mail-north.example', cause: 'BLOCK_LIST', failures: 1 })
  expect([former, fair.totalCount]).toEqual([null, 4])
  const actions = auditLog.nodes.map(({ action }: { action: string }) => action)
  expect(actions).toEqual(
    expect.arrayContaining(['contactsBulk', 'contactImportCreate', 'contactMerge', 'contactErase', 'campaignArchive']),
  )
})
