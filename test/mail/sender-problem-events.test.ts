import { describe, expect, it } from 'vitest'
import { newCtx } from '../../src/db/context.ts'
import { inTransaction } from '../../src/db/transaction.ts'
import { forgetReports, senderProblems } from '../../src/mail/index.ts'
import { until } from '../runtime/process.ts'
import { settled } from '../support/settled.ts'
import { newWorld, type World } from '../support/world.ts'
import { createSubscribers, newSender, sendCampaign } from './sending.ts'
import { newSink } from './sink.ts'

const Events = `{ events(filter: { types: [SENDER_PROBLEM_CREATED, SENDER_PROBLEM_DELETED] }) { nodes {
  name ... on SenderProblemChangeEvent { senderProblemId senderProblem { id domain cause } } } } }`

const eventsOf = async (world: World) => {
  await settled(world)
  return (await world.run(Events)).events.nodes
}

const blame = (world: World, domain: string) =>
  inTransaction(newCtx(world.server.system, { accountId: world.accountId }), (tx) =>
    senderProblems.addProblem(tx, { email: `bob@${domain}`, cause: 'POLICY', detail: '550 5.7.1 policy' }),
  )

describe('the events of problems of the sender', () => {
  it('announce the first refusal of a domain with a cause, and the end 30 days after the last one', async () => {
    const world = await newWorld()
    const other = await world.other()
    for (const domain of ['one.example', 'one.example', 'two.example']) await blame(world, domain)
    await blame(other, 'one.example')
    const { senderProblems: problems } = await world.run('{ senderProblems { nodes { id domain cause } } }')
    const [two, one] = problems.nodes
    expect([two.domain, one.domain]).toEqual(['two.example', 'one.example'])
    const created = [two, one].map((senderProblem) => ({
      ...{ name: 'sender_problem.created', senderProblemId: senderProblem.id, senderProblem },
    }))
    expect(await eventsOf(world)).toEqual(created)

    await world.rows(
      "UPDATE sender_problem SET last_at = now() - interval '31 days' WHERE account_id = $1 AND domain = 'one.example'",
      [world.accountId],
    )
    await forgetReports(world.server.system)
    await forgetReports(world.server.system)
    const gone = { senderProblemId: one.id, senderProblem: null }
    expect(await eventsOf(world)).toEqual([
      { name: 'sender_problem.deleted', ...gone },
      created[0],
      { name: 'sender_problem.created', ...gone },
    ])
    expect(await eventsOf(other)).toMatchObject([{ name: 'sender_problem.created' }])
  })

  it('announce a refusal while a campaign is sent', async () => {
    const refuse = (to: string) => (to.startsWith('c1@') ? '554 5.7.1 client host blocked using bl.example' : undefined)
    const sink = await newSink({ onTo: refuse })
    const world = await newWorld({ server: await newSender(sink.url) })
    await createSubscribers(world, 2)
    await sendCampaign(world)
    await until(async () => (await world.run(Events)).events.nodes.length > 0)
    const problem = { domain: 'example.com', cause: 'BLOCK_LIST' }
    expect(await eventsOf(world)).toMatchObject([{ name: 'sender_problem.created', senderProblem: problem }])
  })
})
