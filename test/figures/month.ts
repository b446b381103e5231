import { newCtx } from '../../src/db/context.ts'
import { compactFigures } from '../../src/figures/compaction.ts'
import { settableClock } from '../../src/kernel/clock.ts'
import { tracking } from '../../src/mail/index.ts'
import { VisitRecord } from '../funnels/documents.ts'
import { message } from '../mail/support.ts'
import { newServer } from '../support/server.ts'
import { type Named, newWorld, type World } from '../support/world.ts'

const person = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Thunderbird/140.0'

/** An account in which something happened on each day. */
export interface Month {
  readonly world: World
  readonly clock: ReturnType<typeof settableClock>
  readonly form: Named
  readonly funnel: Named
  readonly step: Named & { form: Named }
  /** The question of the form of the step: an e-mail address. */
  readonly question: { id: string }
}

/**
 * Simulates days of an account: contacts, unsubscriptions, deletions, opens and clicks, orders and refunds, subscriptions,
 * submissions and visits, at different hours, with a compaction between. The clock is then at the last day.
 */
export async function simulate(start: string, days: number, timezone: string): Promise<Month> {
  const clock = settableClock(new Date(start))
  const server = await newServer({}, { clock })
  const world = await newWorld({ server, timezone, subdomain: 'month' })
  const form = await world.form()
  const funnel = await world.funnel()
  const step = (await world.step(funnel)) as Month['step']
  const read = 'query ($id: ID!) { form(id: $id) { questions { id } } }'
  const [question] = (await world.run(read, { id: step.form.id })).form.questions
  const month: Month = { world, clock, form, funnel, step, question }
  for (let day = 0; day < days; day += 1) {
    clock.set(new Date(Date.parse(start) + day * 86_400_000 + ((day * 7) % 24) * 3_600_000 + (day % 4) * 900_000))
    await simulateDay(month, day)
    if (day === Math.floor(days / 2)) await compactFigures(server.system)
  }
  return month
}

async function simulateDay({ world, clock, form, step, question }: Month, day: number): Promise<void> {
  const contact = await world.contact({ emailMarketing: true })
  if (day % 3 === 0)
    await world.run(update('contactUnsubscribe', 'contact'), { input: { contact: { id: contact.id } } })
  if (day % 5 === 0) await world.run(remove, { input: { contact: { id: (await world.contact()).id } } })
  await react(world, clock, await message(world, contact, { campaignId: 1, sent: false, state: 'SENT' }), day)
  await world.submission(form, { complete: day % 2 === 0, answers: [] })
  await world.submission(step.form, {
    complete: day % 2 === 1,
    answers: [{ questionId: question.id, values: [`visitor${day}@example.com`] }],
  })
  for (let visit = 0; visit <= day % 3; visit += 1) {
    await world.run(VisitRecord, { input: { stepId: step.id, visitorId: `v${visit}`, isBot: visit === 2 } })
  }
  const order = await world.order({ status: 'COMPLETED', amount: `${day}.50` })
  if (day % 4 === 0) await world.run(update('orderRefund', 'order'), { input: { id: order.id } })
  if (day % 4 === 1) await world.order({ amount: '7.00' })
  await simulateSubscription(world, day)
}

async function simulateSubscription(world: World, day: number): Promise<void> {
  const { id } = await world.subscription({ amount: '10.00', rateMonths: (day % 3) + 1 })
  const change = (verb: string) => world.run(update(`subscription${verb}`, 'subscription'), { input: { id } })
  if (day % 2 === 0) await change('Fail')
  if (day % 4 === 0) await change('Restart')
  if (day % 6 === 0) await change('End')
  if (day % 12 === 0) await change('Restart')
}

async function react(world: World, clock: Month['clock'], recipientId: bigint, day: number): Promise<void> {
  const ctx = newCtx({ ...world.server.system, clock }, { accountId: world.accountId })
  for (let open = 0; open < day % 4; open += 1) await tracking.recordOpen(ctx, { recipientId, userAgent: person })
  for (let click = 0; click < day % 3; click += 1) {
    await tracking.recordClick(ctx, { recipientId, userAgent: person, url: `https://example.com/${click}` })
  }
}

const update = (name: string, field: string) =>
  `mutation ($input: ${name[0]?.toUpperCase()}${name.slice(1)}Input!) { ${name}(input: $input) { ${field} { id } } }`
const remove = 'mutation ($input: ContactDeleteInput!) { contactDelete(input: $input) { deleted } }'
